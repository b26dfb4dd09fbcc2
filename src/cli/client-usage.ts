import { parseArgs } from 'node:util';
import { allClients } from '../auth/client-store.ts';
import type { Read } from '../db/database.ts';
import { dateExists } from '../identity/register/birth-date.ts';
import { type ClientUsage, verificationUsageByClient } from '../identity/verification/verification-usage.ts';
import { type Clock, formatInstant } from '../kernel/clock.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import { type Command, type ExitCode, requireCaller, type Terminal, UsageError } from './command.ts';
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

const details = `For each client with a verification: how many were asked, the share of each decision in per cent, how many asked with an id
that nobody has, and how many without an id. Most answers of no_match first. It counts the answers that are kept
(VERIFICATIONS_KEPT_DAYS), and opens each for it.

  --from DAY    The first day, YYYY-MM-DD by UTC; default: six days before the last one.
  --until DAY   The last day; default: today. At most ${maxDays} days.
  --json        A list of figures; unknownIds is null with REGISTER_URL: only that register knows its ids.`;

/** The command `clients usage`. */
export function usageCommands(withContext: WithContext<UsageContext>, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'clients usage',
      usage: 'clients usage [--from DAY] [--until DAY] [--json]',
      summary: 'Counts verification decisions by client, to find clients that guess ids or values.',
      details,
      run: async (args) => {
        const { values } = parseArgs({
          args,
          options: { from: { type: 'string' }, until: { type: 'string' }, json: { type: 'boolean' } },
        });
        const from = readDay('--from', values.from);
        const until = readDay('--until', values.until);
        return await withContext((context) =>
          printUsage(context, { from, until, json: values.json === true }, terminal),
        );
      },
    },
  ];
}

function readDay(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || !dateExists(text))
    throw new UsageError(`${flag} takes a day as 2026-11-20, not '${text}'`);
  return Date.parse(`${text}T00:00:00Z`);
}

type UsageOptions = { readonly from: number | undefined; readonly until: number | undefined; readonly json: boolean };

async function printUsage(context: UsageContext, options: UsageOptions, terminal: Terminal): Promise<ExitCode> {
  const last = options.until ?? Math.floor(context.clock.now() / dayMs) * dayMs;
  const first = options.from ?? last - (defaultDays - 1) * dayMs;
  if (first > last) throw new UsageError('--from is behind --until, which is today unless stated');
  if (last - first >= maxDays * dayMs) throw new UsageError(`at most ${maxDays} days are counted at once`);
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
    const day = (ms: number) => formatInstant(ms).slice(0, 10);
    terminal.stderr(`${rows.length} clients, ${day(first)} to ${day(last)}\n`);
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
