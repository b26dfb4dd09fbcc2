import { parseArgs } from 'node:util';
import { allClients } from '../access/client-store.ts';
import { dateExists } from '../identity/birth-date.ts';
import { type ClientUsage, usageByClient } from '../identity/verification-usage.ts';
import { type Clock, toInstant } from '../kernel/clock.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import type { Read } from '../store/db.ts';
import { type Command, demandCaller, type ExitCode, type Terminal, UsageError } from './command.ts';

/** What the report needs; `knowsIds` is false where another register is asked. */
export type UsageRoom = {
  readonly read: Read;
  readonly clock: Clock;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'strangerKeyOf'>;
  readonly knowsIds: boolean;
};

export type OpenUsageRoom = <T>(use: (room: UsageRoom) => Promise<T>) => Promise<T>;

const dayMs = 86_400_000;
const usualDays = 7;
const mostDays = 366;

const details = `For each client with a verification: how many were asked, the share of each decision in per cent, how many asked with an id
that nobody has, and how many without an id. Most answers of no_match first. It counts the answers that are kept
(VERIFICATIONS_KEPT_DAYS), and opens each for it.

  --from DAY    The first day, YYYY-MM-DD by UTC; six days before the last unless stated.
  --until DAY   The last day; today unless stated. At most ${mostDays} days.
  --json        A list of figures; unknownIds is null where REGISTER_URL is asked, which alone knows its ids.`;

/** `clients usage`. */
export function usageCommands(openRoom: OpenUsageRoom, terminal: Terminal): readonly Command[] {
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
        return await openRoom((room) => tellUsage(room, { from, until, json: values.json === true }, terminal));
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

type Wanted = { readonly from: number | undefined; readonly until: number | undefined; readonly json: boolean };

async function tellUsage(room: UsageRoom, wanted: Wanted, terminal: Terminal): Promise<ExitCode> {
  const last = wanted.until ?? Math.floor(room.clock.now() / dayMs) * dayMs;
  const first = wanted.from ?? last - (usualDays - 1) * dayMs;
  if (first > last) throw new UsageError('--from is behind --until, which is today unless stated');
  if (last - first >= mostDays * dayMs) throw new UsageError(`at most ${mostDays} days are counted at once`);
  const onPage = () => demandCaller(terminal);
  const span = { from: first, until: last + dayMs };
  const usage = await usageByClient({ ...room, span, onPage });
  const names = new Map((await allClients(room.read)).map(({ clientId, name }) => [clientId, name]));
  const told = usage.map((one) => ({ ...shown(one, room.knowsIds), name: names.get(one.clientId) ?? null }));
  if (wanted.json) terminal.stdout(`${JSON.stringify(told)}\n`);
  else {
    terminal.stdout(`${columns.join('\t')}\tname\n`);
    for (const one of told)
      terminal.stdout(`${columns.map((column) => one[column] ?? '-').join('\t')}\t${one.name ?? '-'}\n`);
    const day = (ms: number) => toInstant(ms).slice(0, 10);
    terminal.stderr(`${told.length} clients, ${day(first)} to ${day(last)}\n`);
  }
  return 0;
}

const columns = [
  ...(['clientId', 'questions', 'matchPercent', 'noMatchPercent', 'notDeterminedPercent'] as const),
  ...(['unknownIds', 'searches', 'erased'] as const),
] as const;

function shown({ match, noMatch, notDetermined, ...usage }: ClientUsage, knowsIds: boolean) {
  // Of an erased citizen nobody knows what was decided.
  const decided = usage.questions - usage.erased;
  const percent = (count: number) => (decided === 0 ? null : Math.round((1000 * count) / decided) / 10);
  return {
    ...usage,
    unknownIds: knowsIds ? usage.unknownIds : null,
    matchPercent: percent(match),
    noMatchPercent: percent(noMatch),
    notDeterminedPercent: percent(notDetermined),
  };
}
