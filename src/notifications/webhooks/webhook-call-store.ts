import type { Read, Row, Statement } from '../../db/database.ts';
import { createMultiRowBuilder } from '../../db/multi-row-statement.ts';
import { enumField, idField, integerField, integerOrNull, textField, textOrNull } from '../../db/row-fields.ts';
import type { EventId, WebhookId } from '../../kernel/id.ts';
import { type CallAttempt, callOutcomes, type ListedCall } from './webhook-call.ts';
import { callsPerUnit } from './webhook-store.ts';

/** A claimed call. `attempts` counts this attempt. */
export type WebhookJob = { readonly webhook: WebhookId; readonly event: EventId; readonly attempts: number };

const queueCalls = createMultiRowBuilder(
  'insert into webhook_call (webhook_id, event_id, status, attempts, run_at) values',
  5,
  'on conflict (webhook_id, event_id) do nothing',
);

/** Queues calls, each due at `at`. A call that exists already stays unchanged. */
export function insertCalls(
  calls: readonly { readonly webhook: WebhookId; readonly event: EventId; readonly at: number }[],
): Statement[] {
  return queueCalls(calls.map(({ webhook, event, at }) => [webhook, event, 'queued', 0, at]));
}

/** A webhook with waiting calls, and when the first is due. Calls of a webhook that is not active are given up. */
export type WaitingWebhook = { readonly id: WebhookId; readonly runAt: number; readonly isActive: boolean };

/** The webhooks with waiting calls. The query jumps from one webhook to the next in the index, so its cost does not grow with the calls. */
export async function findWaitingWebhooks(read: Read): Promise<WaitingWebhook[]> {
  const rows = await read(
    `with recursive waiting (id) as (
        select min(c.webhook_id) from webhook_call c where c.status = 'queued'
        union all
        select (select min(c.webhook_id) from webhook_call c where c.status = 'queued' and c.webhook_id > w.id)
        from waiting w where w.id is not null)
      select w.id, (select h.status from webhook h where h.id = w.id) as status,
        (select min(c.run_at) from webhook_call c where c.status = 'queued' and c.webhook_id = w.id) as run_at
      from waiting w where w.id is not null order by w.id`,
  );
  return rows.map((row) => ({
    id: idField(row, 'id', 'webhook'),
    runAt: integerOrNull(row, 'run_at') ?? 0,
    isActive: textField(row, 'status') === 'active',
  }));
}

/**
 * Marks up to `callsPerUnit` calls of an inactive webhook as dead; the worker repeats it until none is left. It does nothing when the
 * webhook is active again: calls that are still queued then stay queued.
 */
export function giveUpCalls(id: WebhookId): Statement[] {
  return [
    // Locks the row, so that a request for redelivery runs either before the next statement or after this unit.
    { sql: 'update webhook set status = status where id = $1', args: [id] },
    {
      sql: `with next as materialized (
          select event_id from webhook_call where status = 'queued' and webhook_id = $1 order by run_at, event_id limit ${callsPerUnit})
        update webhook_call set status = 'dead' where webhook_id = $1 and status = 'queued' and event_id in (select event_id from next)
          and exists (select 1 from webhook h where h.id = $1 and h.status <> 'active')`,
      args: [id],
    },
  ];
}

type ClaimCallsOptions = {
  readonly webhook: WebhookId;
  readonly now: number;
  readonly reclaimAt: number;
  readonly limit: number;
};

/** Claims due calls of a webhook. They are due again at `reclaimAt`, in case this process crashes. */
export function claimCalls({ webhook, now, reclaimAt, limit }: ClaimCallsOptions): Statement {
  return {
    sql: claimCallsSql(''),
    postgresSql: claimCallsSql('for update skip locked'),
    args: [now, reclaimAt, limit, webhook],
  };
}

// On PostgreSQL a claim skips the rows that another claim has locked. SQLite has one writer.
function claimCallsSql(rowLock: string): string {
  return `with due as materialized (
      select event_id from webhook_call where status = 'queued' and webhook_id = $4 and run_at <= $1
      order by run_at, event_id limit $3 ${rowLock})
    update webhook_call set attempts = attempts + 1, run_at = $2
    where webhook_id = $4 and event_id in (select event_id from due)
    returning webhook_id, event_id, attempts`;
}

/** Reads a row that `claimCalls` returns. */
export function webhookJobFromRow(row: Row): WebhookJob {
  return {
    webhook: idField(row, 'webhook_id', 'webhook'),
    event: idField(row, 'event_id', 'event'),
    attempts: integerField(row, 'attempts'),
  };
}

type CallCompletion = {
  readonly status: 'queued' | 'done' | 'dead';
  readonly runAt: number;
  /** The attempt that ended; undefined when the receiver was not called. */
  readonly made?: CallAttempt;
};

/** Stores the outcome of a call. It does nothing when the call was claimed again in the meantime. */
export function completeCall(
  { webhook, event, attempts }: WebhookJob,
  { status, runAt, made }: CallCompletion,
): Statement {
  if (made === undefined)
    return {
      sql: `update webhook_call set status = $1, run_at = $2
        where webhook_id = $3 and event_id = $4 and attempts = $5 and coalesce(status, '') = 'queued' returning event_id`,
      args: [status, runAt, webhook, event, attempts],
    };
  // A clock that was set back in between must not make the duration negative.
  const durationMs = Math.max(0, made.durationMs);
  return {
    sql: `update webhook_call set status = $1, run_at = $2, answer = $6, outcome = $7, started_at = $8, duration_ms = $9
      where webhook_id = $3 and event_id = $4 and attempts = $5 and coalesce(status, '') = 'queued' returning event_id`,
    args: [status, runAt, webhook, event, attempts, made.answer, made.outcome, made.startedAt, durationMs],
  };
}

/** Sorts after each event id. */
const afterAllEventIds = 'evt_~';

type CallPage = { readonly webhook: WebhookId; readonly before: EventId | undefined; readonly limit: number };

/** One page of the calls of a webhook, those of the newest events first. */
export async function findCallPage(read: Read, { webhook, before, limit }: CallPage): Promise<ListedCall[]> {
  const rows = await read(
    `select c.event_id, c.status, c.attempts, c.run_at, c.answer, c.outcome, c.started_at, c.duration_ms, e.type, e.at
      from webhook_call c join feed_event e on e.id = c.event_id
      where c.webhook_id = $1 and c.event_id < $2 order by c.event_id desc limit $3`,
    [webhook, before ?? afterAllEventIds, limit],
  );
  return rows.map(listedCallFromRow);
}

const callStateOf = { queued: 'waiting', done: 'done', dead: 'dead' } as const;

function listedCallFromRow(row: Row): ListedCall {
  return {
    eventId: idField(row, 'event_id', 'event'),
    type: textField(row, 'type'),
    eventAt: integerField(row, 'at'),
    state: callStateOf[enumField(row, 'status', ['queued', 'done', 'dead'])],
    attempts: integerField(row, 'attempts'),
    runAt: integerField(row, 'run_at'),
    last: lastAttemptFromRow(row),
  };
}

function lastAttemptFromRow(row: Row): CallAttempt | undefined {
  if (textOrNull(row, 'outcome') === null) return undefined;
  return {
    outcome: enumField(row, 'outcome', callOutcomes),
    answer: integerOrNull(row, 'answer'),
    startedAt: integerField(row, 'started_at'),
    durationMs: integerField(row, 'duration_ms'),
  };
}
