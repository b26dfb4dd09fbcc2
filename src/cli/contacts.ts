import type { FileHandle } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { compilePartCheck } from '../api/validate-request.ts';
import { openRegularFile } from '../config/regular-file.ts';
import type { Settings } from '../config/settings.ts';
import type { Statement } from '../db/database.ts';
import { readTextLines } from '../identity/import/text-lines.ts';
import { citizenIdPattern, citizenIdRequirement, maxCitizenIdLength } from '../kernel/id.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import { type CodeChannel, parseContactAddress } from '../notifications/contact/contact-code.ts';
import {
  contactPreferencesShape,
  mergedPreferences,
  preferencesFault,
} from '../notifications/contact/contact-preferences.ts';
import {
  findPreferences,
  savePreferences,
  saveVerifiedContacts,
} from '../notifications/contact/contact-preferences-store.ts';
import { resolveReadableFile } from './argument-file.ts';
import { type Command, type ExitCode, singleArgument, type Terminal } from './command.ts';
import { type CommandContext, eventHead, type WithContext } from './command-context.ts';
import { createProgressView, type ProgressView } from './progress.ts';

/** The dependencies of the import. */
export type ContactsContext = CommandContext & {
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>;
  readonly register: { exists(citizenId: string): Promise<boolean> };
  readonly settings: Pick<Settings, 'phoneCountry'>;
};

const addressSchema = Type.Object(
  { address: Type.String({ maxLength: 254 }), verifiedAt: Type.String({ format: 'date-time' }) },
  { additionalProperties: false },
);

const lineSchema = Type.Object(
  {
    citizenId: Type.String({ minLength: 1, maxLength: maxCitizenIdLength }),
    email: Type.Optional(addressSchema),
    phone: Type.Optional(addressSchema),
    wishes: Type.Optional(contactPreferencesShape),
  },
  { additionalProperties: false },
);

type ContactLine = Static<typeof lineSchema>;

const faultsOf = compilePartCheck('body', lineSchema);

const batchSize = 100;
const maxLineLength = 10_000;

/** The command `contacts import`. */
export function contactCommands(withContext: WithContext<ContactsContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'contacts import',
      usage: 'contacts import FILE',
      summary: 'Imports verified addresses and contact preferences of citizens from a file of JSON lines.',
      notes: 'The page docs/operate/channels.md describes the file: one JSON object per line.',
      example: 'contacts import contacts.jsonl',
      run: async (args) => {
        const path = await resolveReadableFile(terminal.cwd, singleArgument(args, 'one file'));
        return await withContext((context) => importContacts(context, path, terminal));
      },
    },
  ];
}

/** Imports line by line. An invalid line is reported by number, without its content, and the others are stored. */
async function importContacts(context: ContactsContext, path: string, terminal: Terminal): Promise<ExitCode> {
  await using file = await openRegularFile(path);
  const view = createProgressView(terminal, context.clock);
  const counts = { stored: 0, refused: 0 };
  try {
    await importLines(context, { file, view, counts }, terminal);
  } finally {
    view.end();
  }
  terminal.stderr(`${counts.stored} citizens stored, ${counts.refused} lines refused.\n`);
  return counts.refused === 0 ? 0 : 1;
}

type ContactImport = {
  readonly file: FileHandle;
  readonly view: ProgressView;
  readonly counts: { stored: number; refused: number };
};

async function importLines(
  context: ContactsContext,
  { file, view, counts }: ContactImport,
  terminal: Terminal,
): Promise<void> {
  const { size: bytesTotal } = await file.stat();
  let [number, bytesDone] = [0, 0];
  let batch: NumberedLine[] = [];
  const flushBatch = async () => {
    await importBatch(context, batch, counts, terminal);
    batch = [];
  };
  const isPending = (citizenId: string) =>
    batch.some(({ line }) => typeof line !== 'string' && line.citizenId === citizenId);
  for await (const lines of readTextLines(file, 0)) {
    for (const { text: written, end } of lines) {
      number += 1;
      const text = number === 1 ? written.replace(/^\ufeff/, '') : written;
      if (text.trim() === '') continue;
      const line = await withParsedAddresses(parseLine(text), context.settings.phoneCountry);
      // Two lines about one citizen go into different batches, so that the later one wins.
      if (batch.length === batchSize || (typeof line !== 'string' && isPending(line.citizenId))) {
        await flushBatch();
        view.show({ bytesDone, bytesTotal, rows: number - 1, refused: counts.refused });
      }
      batch.push({ number, line });
      bytesDone = end;
    }
  }
  await flushBatch();
}

/** The parsed line, or the reason why it is refused. */
type NumberedLine = { readonly number: number; readonly line: ContactLine | string };

async function importBatch(
  context: ContactsContext,
  batch: readonly NumberedLine[],
  counts: ContactImport['counts'],
  { stderr }: Terminal,
): Promise<void> {
  const results = await Promise.allSettled(batch.map(({ line }) => importLine(context, line)));
  for (const [index, result] of results.entries()) {
    if (result.status === 'rejected') throw result.reason;
    if (result.value === undefined) counts.stored += 1;
    else {
      counts.refused += 1;
      stderr(`line ${batch[index]?.number}: ${result.value}\n`);
    }
  }
}

/** Stores a line; returns the reason if the line itself is refused. */
async function importLine(context: ContactsContext, line: ContactLine | string): Promise<string | undefined> {
  if (typeof line === 'string') return line;
  const { citizenId } = line;
  if (!(await context.register.exists(citizenId))) return 'the register has no citizen with this id';
  const head = eventHead(context);
  await context.commit({
    events: [{ type: 'contact-wishes.stated', ...head, citizenId }],
    statements: await statementsOf(context, line, head.at),
  });
  return undefined;
}

async function statementsOf(context: ContactsContext, line: ContactLine, now: number): Promise<Statement[]> {
  const { citizenId, email, phone, wishes } = line;
  const key = await context.citizenKeys.keyOf(citizenId);
  const stated = wishes && mergedPreferences(wishes, (await findPreferences(context, citizenId)).preferences);
  const verified = { ...(email === undefined ? {} : { email }), ...(phone === undefined ? {} : { phone }) };
  return [
    ...(stated === undefined ? [] : [savePreferences({ citizenId, value: stated, now, key }, context.random)]),
    ...(email === undefined && phone === undefined
      ? []
      : [saveVerifiedContacts({ citizenId, value: verified, now, key }, context.random)]),
  ];
}

function parseLine(text: string): ContactLine | string {
  if (text.length > maxLineLength) return `expected at most ${maxLineLength} characters, received ${text.length}`;
  // The decoder writes this character for bytes that are not UTF-8.
  if (text.includes('\ufffd')) return 'expected UTF-8 text; convert the file, for example with iconv';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'expected a JSON object, received other text';
  }
  const [first] = faultsOf(value);
  if (first !== undefined) return `${first.pointer ?? ''} ${first.detail}`.trim();
  // The schema check has verified this shape.
  const line = value as ContactLine;
  if (!citizenIdPattern.test(line.citizenId)) return `/citizenId ${citizenIdRequirement}`;
  if (line.email === undefined && line.phone === undefined && line.wishes === undefined)
    return 'expected email, phone or wishes, received none of them';
  return (line.wishes === undefined ? undefined : preferencesFault(line.wishes)) ?? line;
}

const addressFaults = {
  email: '/email/address must be one email address, with ASCII characters before the @',
  sms: '/phone/address must be one phone number with its country code, such as +4740000000; without the code, set PHONE_COUNTRY',
} as const;

/** The line with its addresses in the form that messages use, or the reason why it is refused. */
async function withParsedAddresses(
  line: ContactLine | string,
  phoneCountry: string | undefined,
): Promise<ContactLine | string> {
  if (typeof line === 'string') return line;
  const parse = async (channel: CodeChannel, written: ContactLine['email']) => {
    if (written === undefined) return undefined;
    const address = await parseContactAddress(channel, written.address, phoneCountry);
    return address === undefined ? addressFaults[channel] : { ...written, address };
  };
  const email = await parse('email', line.email);
  const phone = await parse('sms', line.phone);
  if (typeof email === 'string') return email;
  if (typeof phone === 'string') return phone;
  return { ...line, ...(email === undefined ? {} : { email }), ...(phone === undefined ? {} : { phone }) };
}
