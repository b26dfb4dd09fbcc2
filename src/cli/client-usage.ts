import { parseArgs } from 'node:util';
import { allClients } from '../auth/client-store.ts';
import type { Read } from '../db/database.ts';
import { dateExists } from '../identity/register/birth-date.ts';
import { type ClientUsage, verificationUsageByClient } from '../identity/verification/verification-usage.ts';
import { type Clock, formatInstant } from '../kernel/clock.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import { type Command, type ExitCode, requireCaller, type Terminal, UsageError } from './command.ts';

/** What the report needs; `knowsIds` is false where another register is asked. */
export type UsageContext = {
  readonly read: Read;
  readonly clock: Clock;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'decoyKeyOf'>;
  readonly hasOwnRegister: boolean;
};

export type WithUsageContext = <T>(use: (context: UsageContext) => Promise<T>) => Promise<T>;

const dayMs = 86_400_000;
const defaultDays = 7;
const maxDays = 366;

const details = `For each client with a verification: how many were asked, the share of each decision in per cent, how many asked with an id
that nobody has, and how many without an id. Most answers of no_match first. It counts the answers that are kept
(VERIFICATIONS_KEPT_DAYS), and opens each for it.

  --from DAY    The first day, YYYY-MM-DD by UTC; six days before the last unless stated.
  --until DAY   The last day; today unless stated. At most ${maxDays} days.
  --json        A list of figures; unknownIds is null where REGISTER_URL is asked, which alone knows its ids.`;

/** `clients usage`. */
export function usageCommands(withContext: WithUsageContext, terminal: Terminal): readonly Command[] {
  return [
    {
      name: 'clients usage',
      usage: 'clients usage [--from DAY] [--until DAY] [--json]',
      summary: 'Says by client how verifications ended, so that one that tries ids or values is seen.',
      details,
      run: async (args) => {
        const { values } = parseArgs({
          args: [...args],
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
  ...(['clientId', 'questions', 'matchPercent', 'noMatchPercent', 'notDeterminedPercent'] as const),
  ...(['unknownIds', 'searches', 'erased'] as const),
] as const;

function usageRow({ match, noMatch, notDetermined, ...usage }: ClientUsage, hasOwnRegister: boolean) {
  // Of an erased citizen nobody knows what was decided.
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
