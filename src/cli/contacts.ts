import type { FileHandle } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { compileCheck } from '../api/parse.ts';
import { openPlainFile } from '../identity/import/import-blocks.ts';
import { textLines } from '../identity/import/text-lines.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import { citizenIdDetail, citizenIdPattern, longestCitizenId, type Mint } from '../kernel/id.ts';
import { parseMailAddress } from '../kernel/mail-address.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import type { Commit } from '../ledger/commit.ts';
import { saveVerified, saveWishes } from '../notifications/contact/contact-wish-store.ts';
import { wishesFault, wishesShape } from '../notifications/contact/contact-wishes.ts';
import type { Statement } from '../store/db.ts';
import { type Command, type ExitCode, onlyArgument, type Terminal } from './command.ts';
import { namedFile } from './named-file.ts';
import { createProgressView, type ProgressView } from './progress.ts';

/** What the command needs; `operator` is who runs it, as the ledger will say. */
export type ContactsRoom = {
  readonly commit: Commit;
  readonly clock: Clock;
  readonly random: Random;
  readonly mint: Mint;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>;
  readonly register: { exists(citizenId: string): Promise<boolean> };
  readonly operator: string;
};

const address = (pattern: string) =>
  Type.Object(
    { address: Type.String({ maxLength: 254, pattern }), verifiedAt: Type.String({ format: 'date-time' }) },
    { additionalProperties: false },
  );

const lineShape = Type.Object(
  {
    citizenId: Type.String({ minLength: 1, maxLength: longestCitizenId }),
    email: Type.Optional(address('@')),
    phone: Type.Optional(address('^\\+[1-9][0-9]{6,14}$')),
    wishes: Type.Optional(wishesShape),
  },
  { additionalProperties: false },
);

type Line = Static<typeof lineShape>;

const faultsOf = compileCheck('body', lineShape);

const linesAtOnce = 100;
const longestLine = 10_000;

/** `contacts import`. */
export function contactCommands(
  openRoom: <T>(use: (room: ContactsRoom) => Promise<T>) => Promise<T>,
  terminal: Terminal,
): readonly Command[] {
  return [
    {
      name: 'contacts import',
      usage: 'contacts import FILE',
      summary: 'Takes verified addresses and wishes of citizens over, a JSON object a line; see docs/notifications.md.',
      run: async (args) => {
        const path = namedFile(terminal.cwd, onlyArgument(args, 'name one file'));
        return await openRoom((room) => importContacts(room, path, terminal));
      },
    },
  ];
}

/** Line by line; a line that is wrong is told by its number alone, and the others go in. */
async function importContacts(room: ContactsRoom, path: string, terminal: Terminal): Promise<ExitCode> {
  await using file = await openPlainFile(path);
  const view = createProgressView(terminal, room.clock);
  const counts = { stored: 0, refused: 0 };
  try {
    await importLines(room, { file, view, counts }, terminal);
  } finally {
    view.end();
  }
  terminal.stderr(`${counts.stored} citizens stored, ${counts.refused} lines refused.\n`);
  return counts.refused === 0 ? 0 : 1;
}

type Work = {
  readonly file: FileHandle;
  readonly view: ProgressView;
  readonly counts: { stored: number; refused: number };
};

async function importLines(room: ContactsRoom, { file, view, counts }: Work, terminal: Terminal): Promise<void> {
  const { size: bytesTotal } = await file.stat();
  let [number, bytesDone] = [0, 0];
  let batch: Numbered[] = [];
  const finish = async () => {
    await importBatch(room, batch, counts, terminal);
    batch = [];
  };
  const waiting = (citizenId: string) =>
    batch.some(({ line }) => typeof line !== 'string' && line.citizenId === citizenId);
  for await (const lines of textLines(file, 0)) {
    for (const { text: written, end } of lines) {
      number += 1;
      const text = number === 1 ? written.replace(/^\ufeff/, '') : written;
      if (text.trim() === '') continue;
      const line = parseLine(text);
      // Of two lines about one citizen the later counts, so they do not go together.
      if (batch.length === linesAtOnce || (typeof line !== 'string' && waiting(line.citizenId))) {
        await finish();
        view.show({ bytesDone, bytesTotal, rows: number - 1, refused: counts.refused });
      }
      batch.push({ number, line });
      bytesDone = end;
    }
  }
  await finish();
}

/** A line of that number, or why it is refused. */
type Numbered = { readonly number: number; readonly line: Line | string };

async function importBatch(
  room: ContactsRoom,
  batch: readonly Numbered[],
  counts: Work['counts'],
  { stderr }: Terminal,
): Promise<void> {
  const ends = await Promise.allSettled(batch.map(({ line }) => importLine(room, line)));
  for (const [index, end] of ends.entries()) {
    if (end.status === 'rejected') throw end.reason;
    if (end.value === undefined) counts.stored += 1;
    else {
      counts.refused += 1;
      stderr(`line ${batch[index]?.number}: ${end.value}\n`);
    }
  }
}

/** Stores a line; gives why not, where that is the fault of the line. */
async function importLine(room: ContactsRoom, line: Line | string): Promise<string | undefined> {
  if (typeof line === 'string') return line;
  const { citizenId } = line;
  if (!(await room.register.exists(citizenId))) return 'no such citizen is in the register';
  const now = room.clock.now();
  const head = { id: room.mint('event'), at: now, actor: { operator: room.operator } };
  await room.commit({
    events: [{ type: 'contact-wishes.stated', ...head, citizenId }],
    statements: await statementsOf(room, line, now),
  });
  return undefined;
}

async function statementsOf(room: ContactsRoom, line: Line, now: number): Promise<Statement[]> {
  const { citizenId, email, phone, wishes } = line;
  const key = await room.citizenKeys.keyOf(citizenId);
  const verified = { ...(email === undefined ? {} : { email }), ...(phone === undefined ? {} : { phone }) };
  return [
    ...(wishes === undefined ? [] : [saveWishes({ citizenId, value: wishes, now, key }, room.random)]),
    ...(email === undefined && phone === undefined
      ? []
      : [saveVerified({ citizenId, value: verified, now, key }, room.random)]),
  ];
}

function parseLine(text: string): Line | string {
  if (text.length > longestLine) return `longer than ${longestLine} characters`;
  // The reader puts it where bytes are not UTF-8.
  if (text.includes('\ufffd')) return 'not UTF-8 text; convert the file, as with iconv';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  const [first] = faultsOf(value);
  if (first !== undefined) return `${first.pointer ?? ''} ${first.detail}`.trim();
  // The check proved that it has the shape.
  const line = value as Line;
  if (!citizenIdPattern.test(line.citizenId)) return `/citizenId ${citizenIdDetail}`;
  if (line.email === undefined && line.phone === undefined && line.wishes === undefined) return 'nothing to store';
  if (line.email !== undefined && parseMailAddress(line.email.address) === undefined)
    return '/email/address must be one address that mail can be sent to, its part before the @ in ASCII';
  return (line.wishes === undefined ? undefined : wishesFault(line.wishes)) ?? line;
}
