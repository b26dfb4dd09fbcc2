import type { Row, Statement } from '../db/database.ts';
import type { Quota } from './caller.ts';

/** A bucket counts in thousandths of a request, so that the refill of each millisecond is a whole number. */
export const unitsPerRequest = 1_000;

type ReservationRequest = {
  readonly clientId: string;
  readonly scope: string;
  readonly quota: Quota;
  /** The time of the bucket, as far as this process knows it; monotonic milliseconds. */
  readonly now: number;
  readonly waiting: number;
  readonly prefetch: number;
  /** The number of unused requests of an earlier grant, which are added to the bucket again. */
  readonly returned: number;
};

/** The number of statements of one reservation; the last one returns `granted`, `units` and `at`. */
export const statementsPerReservation = 4;

/**
 * The statements of a reservation, in this order and in one write unit: create the bucket, add the returned requests and the
 * refill, compute the grant, subtract it. No request is granted twice, since the second statement locks the row until the
 * unit is committed. The time of a bucket never goes back.
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

/** The granted requests, the units that are left for all processes, and the time of the bucket. */
export type QuotaGrant = { readonly granted: number; readonly units: number; readonly at: number };

/** The grant from the last row of a reservation. */
export function parseQuotaGrant(row: Row | undefined): QuotaGrant {
  const { granted, units, at } = row ?? {};
  if (typeof granted !== 'number' || typeof units !== 'number' || typeof at !== 'number') {
    throw new TypeError('expected three numbers in the row of a reservation');
  }
  return { granted, units, at };
}
