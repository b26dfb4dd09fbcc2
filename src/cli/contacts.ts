import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Clock, Random } from '../kernel/clock.ts';
import type { Mint } from '../kernel/id.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import type { Commit } from '../ledger/commit.ts';
import { saveVerified, saveWishes } from '../notifications/contact-wish-store.ts';
import { wishesFault, wishesShape } from '../notifications/contact-wishes.ts';
import type { Statement } from '../store/db.ts';
import { type Command, type ExitCode, type Terminal, UsageError } from './command.ts';

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
    citizenId: Type.String({ minLength: 1, maxLength: 128 }),
    email: Type.Optional(address('^[^@\\s]+@[^@\\s]+$')),
    phone: Type.Optional(address('^\\+[1-9][0-9]{6,14}$')),
    wishes: Type.Optional(wishesShape),
  },
  { additionalProperties: false },
);

type Line = Static<typeof lineShape>;

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
        const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
        const [file, ...others] = positionals;
        if (file === undefined || others.length > 0) throw new UsageError('name one file');
        return await openRoom((room) => importContacts(room, resolve(terminal.cwd, file), terminal));
      },
    },
  ];
}

/** Line by line; a line that is wrong is told by its number alone, and the others go in. */
async function importContacts(room: ContactsRoom, path: string, { stderr }: Terminal): Promise<ExitCode> {
  let [number, stored, refused] = [0, 0, 0];
  let batch: Array<Promise<string | undefined>> = [];
  const finish = async () => {
    for (const fault of await Promise.all(batch)) {
      if (fault === undefined) stored += 1;
      else {
        refused += 1;
        stderr(`${fault}\n`);
      }
    }
    batch = [];
  };
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    number += 1;
    const text = number === 1 ? line.replace(/^\ufeff/, '') : line;
    if (text.trim() === '') continue;
    const at = number;
    batch.push(importLine(room, text).then((fault) => (fault === undefined ? undefined : `line ${at}: ${fault}`)));
    if (batch.length === linesAtOnce) await finish();
  }
  await finish();
  stderr(`${stored} citizens stored, ${refused} lines refused.\n`);
  return refused === 0 ? 0 : 1;
}

async function importLine(room: ContactsRoom, text: string): Promise<string | undefined> {
  const line = parseLine(text);
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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  if (!Value.Check(lineShape, value)) {
    const [first] = Value.Errors(lineShape, value);
    return `${first?.instancePath ?? ''} ${first?.message ?? 'does not fit'}`.trim();
  }
  if (value.email === undefined && value.phone === undefined && value.wishes === undefined) return 'nothing to store';
  return (value.wishes === undefined ? undefined : wishesFault(value.wishes)) ?? value;
}
