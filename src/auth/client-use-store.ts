import type { Read, Statement } from '../db/database.ts';
import { integerField, textField } from '../db/row-fields.ts';

const dayMs = 86_400_000;
/** The counts of older days are deleted. */
const keptDays = 90;

/** The number of requests of a client on a day (days since 1970, UTC). The outcome is a decision, the name of a problem, or `ok`. */
type ClientUse = {
  readonly clientId: string;
  readonly day: number;
  readonly operation: string;
  readonly outcome: string;
  readonly requests: number;
};

/** The day of an instant (epoch ms), as `ClientUse` counts it. */
export function useDayOf(ms: number): number {
  return Math.floor(ms / dayMs);
}

/** Adds requests to a count. */
export function addClientUse({ clientId, day, operation, outcome, requests }: ClientUse): Statement {
  return {
    sql: `insert into client_use (client_id, day, operation, outcome, requests) values ($1, $2, $3, $4, $5)
      on conflict (client_id, day, operation, outcome) do update set requests = client_use.requests + excluded.requests`,
    args: [clientId, day, operation, outcome, requests],
  };
}

/** The most counts that one call deletes. The next hour deletes more. */
const deletedAtOnce = 10_000;

/** Deletes the counts of days that are too old. */
export function deleteOldClientUse(now: number): Statement {
  return {
    sql: `delete from client_use where (client_id, day, operation, outcome) in
      (select client_id, day, operation, outcome from client_use where day < $1 order by day limit ${deletedAtOnce})`,
    args: [useDayOf(now) - keptDays],
  };
}

/** The days from `fromDay` to `untilDay`, both included; of one client, or of all. */
type UsePeriod = { readonly fromDay: number; readonly untilDay: number; readonly clientId?: string };

/** The requests of each client in a period, and the last day with a request (days since 1970, UTC). */
export async function findLastUse(
  read: Read,
  { fromDay, untilDay }: Omit<UsePeriod, 'clientId'>,
): Promise<ReadonlyMap<string, { readonly lastDay: number; readonly requests: number }>> {
  const rows = await read(
    `select client_id, max(day) as last_day, cast(sum(requests) as bigint) as requests from client_use
      where day >= $1 and day <= $2 group by client_id`,
    [fromDay, untilDay],
  );
  return new Map(
    rows.map((row) => [
      textField(row, 'client_id'),
      { lastDay: integerField(row, 'last_day'), requests: integerField(row, 'requests') },
    ]),
  );
}

/** The requests in a period by client, operation and outcome; for `GET /v1/client` and `clients usage --operations`. */
export async function findClientUse(
  read: Read,
  { fromDay, untilDay, clientId }: UsePeriod,
): Promise<Omit<ClientUse, 'day'>[]> {
  const [where, args] = clientId === undefined ? ['', []] : [' and client_id = $3', [clientId]];
  const rows = await read(
    `select client_id, operation, outcome, cast(sum(requests) as bigint) as requests from client_use
      where day >= $1 and day <= $2${where} group by client_id, operation, outcome order by client_id, operation, outcome`,
    [fromDay, untilDay, ...args],
  );
  return rows.map((row) => ({
    clientId: textField(row, 'client_id'),
    operation: textField(row, 'operation'),
    outcome: textField(row, 'outcome'),
    requests: integerField(row, 'requests'),
  }));
}
