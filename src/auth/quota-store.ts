import type { Row, Statement } from '../db/database.ts';
import type { Quota } from './caller.ts';

/** A thousandth of a request, so that what flows in within a millisecond is a whole number and nothing is rounded. */
export const unitsPerRequest = 1_000;

/** What a process asks of the budget that all share, for one client under one scope. */
export type ReservationRequest = {
  readonly clientId: string;
  readonly scope: string;
  readonly quota: Quota;
  /** The time of the bucket, as this process knows it. */
  readonly now: number;
  /** Requests that wait for an answer. */
  readonly waiting: number;
  /** Requests that it would keep in hand besides, for those to come. */
  readonly prefetch: number;
  /** Requests that it was given before and did not use. */
  readonly returned: number;
};

/** Statements of one reservation; the last one gives `granted`, `units` and `at`. */
export const statementsPerReservation = 4;

/**
 * The statements that take from the shared budget, in this order and in one unit: the bucket is there, what came back and
 * what flowed in since is added, as many are granted as wait or are wanted ahead, and the grant is taken off. Nothing is given
 * twice, since the second statement locks the row until the unit is stored. The time of a bucket never goes back.
 */
export function reserveStatements({
  clientId,
  scope,
  quota,
  now,
  waiting,
  prefetch,
  returned,
}: ReservationRequest): readonly Statement[] {
  const full = quota.burst * unitsPerRequest;
  return [
    {
      sql: `insert into quota_bucket (client_id, scope, units, at, granted) values ($1, $2, $3, $4, 0)
        on conflict (client_id, scope) do nothing`,
      args: [clientId, scope, full, now],
    },
    {
      sql: `update quota_bucket set
          units = case
            when at < $3 and units + $4 + ($3 - at) * $5 < $6 then units + $4 + ($3 - at) * $5
            when at >= $3 and units + $4 < $6 then units + $4
            else $6 end,
          at = case when at < $3 then $3 else at end
        where client_id = $1 and scope = $2`,
      args: [clientId, scope, now, returned * unitsPerRequest, quota.perSecond, full],
    },
    {
      sql: `update quota_bucket set granted = case
          when units / 1000 <= $3 then units / 1000
          when $4 <= $3 then $3
          when units / 1000 <= $4 then units / 1000
          else $4 end
        where client_id = $1 and scope = $2`,
      args: [clientId, scope, waiting, prefetch],
    },
    {
      sql: `update quota_bucket set units = units - granted * 1000 where client_id = $1 and scope = $2
        returning granted, units, at`,
      args: [clientId, scope],
      rows: 1,
    },
  ];
}

/** What was granted, what is left for everybody, in units, and the time of the bucket. */
export type QuotaGrant = { readonly granted: number; readonly units: number; readonly at: number };

export function parseQuotaGrant(row: Row | undefined): QuotaGrant {
  const { granted, units, at } = row ?? {};
  if (typeof granted !== 'number' || typeof units !== 'number' || typeof at !== 'number') {
    throw new TypeError('a reservation gives three numbers');
  }
  return { granted, units, at };
}
