import { parseArgs } from 'node:util';
import { allClients } from '../auth/client-store.ts';
import { findClientUse, useDayOf } from '../auth/client-use-store.ts';
import type { Read } from '../db/database.ts';
import { dateExists } from '../identity/register/birth-date.ts';
import { type ClientUsage, verificationUsageByClient } from '../identity/verification/verification-usage.ts';
import { type Clock, formatInstant } from '../kernel/clock.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import { type Command, type ExitCode, requireCaller, type Terminal, UsageError, wrongOption } from './command.ts';
import type { WithContext } from './command-context.ts';

/** The dependencies of the report. `hasOwnRegister` is false if REGISTER_URL names another register. */
export type UsageContext = {
  readonly read: Read;
  readonly clock: Clock;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'earlierKeyOf'>;
  readonly hasOwnRegister: boolean;
};

const dayMs = 86_400_000;
const defaultDays = 7;
const maxDays = 366;

const options: Command['options'] = [
  {
    form: '--from DAY',
    meaning: 'The first day in UTC, such as 2026-11-20.',
    defaultValue: 'six days before the last day',
  },
  {
    form: '--until DAY',
    meaning: `The last day in UTC. The period has at most ${maxDays} days.`,
    defaultValue: 'today',
  },
  {
    form: '--operations',
    meaning: 'Counts the requests of all operations by outcome instead. The server keeps these counts for 90 days.',
  },
  {
    form: '--json',
    meaning: 'Prints the result as JSON. unknownIds is null with REGISTER_URL: only that register knows its ids.',
  },
];

const notes = `For each client with a verification, the command shows the number of verifications and the percentage of each decision. It also shows how many verifications stated an unknown id, and how many stated no id. Clients with the most no_match come first. The command counts the stored results (VERIFICATIONS_KEPT_DAYS), and decrypts each of them.`;

/** The command `clients usage`. */
export function usageCommands(withContext: WithContext<UsageContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'clients usage',
      usage: 'clients usage [--from DAY] [--until DAY] [--operations] [--json]',
      summary: 'Counts verification decisions by client, to find clients that guess ids or values.',
      options,
      notes,
      example: 'clients usage --from 2026-11-01 --until 2026-11-30',
      run: async (args) => {
        const { values } = parseArgs({
          args,
          options: {
            from: { type: 'string' },
            until: { type: 'string' },
            operations: { type: 'boolean' },
            json: { type: 'boolean' },
          },
        });
        const from = readDay('--from', values.from);
        const until = readDay('--until', values.until);
        const { json = false, operations = false } = values;
        return await withContext((context) => {
          const period = periodOf(context, { from, until });
          return (operations ? printOperations : printUsage)(context, { ...period, json }, terminal);
        });
      },
    },
  ];
}

function readDay(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || !dateExists(text)) throw wrongOption(flag, 'a day such as 2026-11-20', text);
  return Date.parse(`${text}T00:00:00Z`);
}

/** The first and the last day of the report (epoch ms, UTC). */
type Period = { readonly first: number; readonly last: number };
type UsageOptions = Period & { readonly json: boolean };

function periodOf(
  { clock }: UsageContext,
  { from, until }: { readonly from: number | undefined; readonly until: number | undefined },
): Period {
  const last = until ?? Math.floor(clock.now() / dayMs) * dayMs;
  const first = from ?? last - (defaultDays - 1) * dayMs;
  if (first > last)
    throw new UsageError('--from: expected a day before --until (default: today), received a later day.');
  if (last - first >= maxDays * dayMs)
    throw new UsageError(`Expected a period of at most ${maxDays} days, received a longer one. Use a later --from.`);
  return { first, last };
}

async function printOperations(
  { read }: UsageContext,
  { first, last, json }: UsageOptions,
  { stdout, stderr }: Terminal,
): Promise<ExitCode> {
  const rows = await findClientUse(read, { fromDay: useDayOf(first), untilDay: useDayOf(last) });
  if (json) stdout(`${JSON.stringify(rows)}\n`);
  else {
    stdout('clientId\toperation\toutcome\trequests\n');
    for (const row of rows) stdout(`${[row.clientId, row.operation, row.outcome, row.requests].join('\t')}\n`);
    stderr(`${new Set(rows.map(({ clientId }) => clientId)).size} clients, ${periodText({ first, last })}\n`);
  }
  return 0;
}

function periodText({ first, last }: Period): string {
  const day = (ms: number) => formatInstant(ms).slice(0, 10);
  return `${day(first)} to ${day(last)}`;
}

async function printUsage(context: UsageContext, options: UsageOptions, terminal: Terminal): Promise<ExitCode> {
  const { first, last } = options;
  const onPage = () => requireCaller(terminal);
  const span = { from: first, until: last + dayMs };
  const usage = await verificationUsageByClient({ ...context, span, onPage });
  const names = new Map((await allClients(context.read)).map(({ clientId, name }) => [clientId, name]));
  const rows = usage.map((one) => ({
    ...usageRow(one, context.hasOwnRegister),
    name: names.get(one.clientId) ?? null,
  }));
  if (options.json) terminal.stdout(`${JSON.stringify(rows)}\n`);
  else {
    terminal.stdout(`${columns.join('\t')}\tname\n`);
    for (const one of rows)
      terminal.stdout(`${columns.map((column) => one[column] ?? '-').join('\t')}\t${one.name ?? '-'}\n`);
    terminal.stderr(`${rows.length} clients, ${periodText(options)}\n`);
  }
  return 0;
}

const columns = [
  'clientId',
  'questions',
  'matchPercent',
  'noMatchPercent',
  'notDeterminedPercent',
  'unknownIds',
  'searches',
  'erased',
] as const;

function usageRow({ match, noMatch, notDetermined, ...usage }: ClientUsage, hasOwnRegister: boolean) {
  // The decisions about erased citizens cannot be decrypted.
  const decided = usage.questions - usage.erased;
  const percent = (count: number) => (decided === 0 ? null : Math.round((1000 * count) / decided) / 10);
  return {
    ...usage,
    unknownIds: hasOwnRegister ? usage.unknownIds : null,
    matchPercent: percent(match),
    noMatchPercent: percent(noMatch),
    notDeterminedPercent: percent(notDetermined),
  };
}
