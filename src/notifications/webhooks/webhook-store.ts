import type { EventId, WebhookId } from '../../kernel/id.ts';
import type { Read, Row, Statement } from '../../store/db.ts';
import { createMultiRow } from '../../store/multi-row.ts';
import { bytesField, idField, textField, wholeField, wholeOrNull, wordField } from '../../store/row-fields.ts';
import { type SignatureScheme, signatureSchemes } from './webhook-secret.ts';

/** `disabled`: its receiver answered 410; asking for redelivery makes it `active` again. */
const webhookStatuses = ['active', 'disabled', 'removed'] as const;

/** Where a client wants to be told; the secrets are sealed. */
export type Webhook = {
  readonly id: WebhookId;
  readonly clientId: string;
  readonly url: string;
  readonly status: (typeof webhookStatuses)[number];
  readonly signature: SignatureScheme;
  readonly secret: Uint8Array;
  readonly old: { readonly secret: Uint8Array; readonly until: number } | undefined;
  readonly createdAt: number;
  /** What was given up is on its way back into the queue. */
  readonly isReviving: boolean;
};

const columns = 'id, client_id, url, status, signature, secret, old_secret, old_until, created_at, revive_after';

/** Stores a new webhook. */
export function insertWebhook(webhook: Omit<Webhook, 'status' | 'old' | 'isReviving'>): Statement {
  const { id, clientId, url, signature, secret, createdAt } = webhook;
  return {
    sql: `insert into webhook (id, client_id, url, status, signature, secret, created_at)
      values ($1, $2, $3, 'active', $4, $5, $6)`,
    args: [id, clientId, url, signature, secret, createdAt],
  };
}

/** The webhooks of a client that are not removed, oldest first. */
export async function findWebhooks(read: Read, clientId: string): Promise<Webhook[]> {
  const rows = await read(
    `select ${columns} from webhook where client_id = $1 and status <> 'removed' order by id limit 100`,
    [clientId],
  );
  return rows.map(webhookOf);
}

/** Beyond that a count would hold others up: a receiver may be gone for days, and hundreds of thousands of calls with it. */
export const mostCounted = 10_000;
/** The first of the calls of a webhook in a state, as many as are counted. */
const counted = (status: 'queued' | 'dead', webhook: string) =>
  `(select count(*) from (select 1 from webhook_call c where c.webhook_id = ${webhook} and c.status = '${status}' limit ${mostCounted}) counted)`;

/** How many calls of a webhook wait, and how many were given up; each counted up to `mostCounted`. */
export type Calls = { readonly waiting: number; readonly dead: number };

/** The same with their calls. */
export async function findCounted(read: Read, clientId: string): Promise<{ webhook: Webhook; calls: Calls }[]> {
  const rows = await read(
    `select ${columns}, ${counted('queued', 'webhook.id')} as waiting, ${counted('dead', 'webhook.id')} as dead
      from webhook where client_id = $1 and status <> 'removed' order by id limit 100`,
    [clientId],
  );
  return rows.map((row) => ({ webhook: webhookOf(row), calls: callsOf(row) }));
}

function callsOf(row: Row): Calls {
  return { waiting: wholeField(row, 'waiting'), dead: wholeField(row, 'dead') };
}

/** The ids of the webhooks of a client that are to be called. */
export async function findActive(read: Read, clientId: string): Promise<WebhookId[]> {
  const webhooks = await findWebhooks(read, clientId);
  return webhooks.filter(({ status }) => status === 'active').map(({ id }) => id);
}

/** One webhook, whoever's it is. */
export async function findWebhook(read: Read, id: WebhookId): Promise<Webhook | undefined> {
  const [row] = await read(`select ${columns} from webhook where id = $1`, [id]);
  return row === undefined ? undefined : webhookOf(row);
}

function webhookOf(row: Row): Webhook {
  const until = wholeOrNull(row, 'old_until');
  return {
    id: idField(row, 'id', 'webhook'),
    clientId: textField(row, 'client_id'),
    url: textField(row, 'url'),
    status: wordField(row, 'status', webhookStatuses),
    signature: wordField(row, 'signature', signatureSchemes),
    secret: bytesField(row, 'secret'),
    old: until === null ? undefined : { secret: bytesField(row, 'old_secret'), until },
    createdAt: wholeField(row, 'created_at'),
    isReviving: row['revive_after'] !== null,
  };
}

/** Ends a webhook, refused (`rows`) where that was done; what waits for it is given up by `giveUpPage`. */
export function remove(id: WebhookId): Statement {
  const sql = "update webhook set status = 'removed' where id = $1 and status <> 'removed' returning id";
  return { sql, args: [id], rows: 1 };
}

/** Calls a webhook no more whose receiver is gone; nothing where it was removed meanwhile. */
export function disable(id: WebhookId): Statement {
  return {
    sql: "update webhook set status = 'disabled', revive_after = null where id = $1 and status = 'active'",
    args: [id],
  };
}

/** Removes the webhooks of a client that is no more; what waits for them is given up by `giveUpPage`. */
export function removeAll(clientId: string): Statement {
  return {
    sql: "update webhook set status = 'removed' where client_id = $1 and status <> 'removed'",
    args: [clientId],
  };
}

type Rotation = { readonly secret: Uint8Array; readonly until: number; readonly now: number };

/**
 * Gives a webhook a new secret; the present one signs along until `until`, and one that still does goes on for the time
 * that it was given. Refused (`rows`) where the webhook was removed.
 */
export function rotateSecret(id: WebhookId, { secret, until, now }: Rotation): Statement[] {
  return [
    {
      // Locks the row: of two rotations at once the second one sees what the first has made.
      sql: "update webhook set status = status where id = $1 and status <> 'removed' returning id",
      args: [id],
      rows: 1,
    },
    { sql: 'delete from webhook_old_secret where webhook_id = $1 and until <= $2', args: [id, now] },
    {
      sql: `insert into webhook_old_secret (webhook_id, until, secret)
        select id, old_until, old_secret from webhook where id = $1 and old_until > $2 on conflict do nothing`,
      args: [id, now],
    },
    {
      sql: 'update webhook set old_secret = secret, old_until = $1, secret = $2 where id = $3',
      args: [until, secret, id],
    },
  ];
}

const mostOldSecrets = 8;

/** The secrets before the old one that sign along still, sealed, the newest first. */
export async function findOlderSecrets(read: Read, id: WebhookId, now: number): Promise<Uint8Array[]> {
  const sql = `select secret from webhook_old_secret where webhook_id = $1 and until > $2 order by until desc limit ${mostOldSecrets}`;
  return (await read(sql, [id, now])).map((row) => bytesField(row, 'secret'));
}

/**
 * Has what was given up put back into the queue, from the first attempt, and makes the webhook active; refused (`rows`) where it was
 * removed. The worker does so with `revivePage`, for it may be more than others could wait for.
 */
export function askRevival(id: WebhookId): Statement {
  return {
    sql: "update webhook set status = 'active', revive_after = '' where id = $1 and status <> 'removed' returning id",
    args: [id],
    rows: 1,
  };
}

/** A webhook that is to have calls back, those of events behind `after`. */
type Revival = { readonly id: WebhookId; readonly after: string };

/** Some of the webhooks that are to have calls back. */
export async function findRevivals(read: Read): Promise<Revival[]> {
  const rows = await read(
    "select id, revive_after from webhook where revive_after is not null and status = 'active' order by id limit 10",
  );
  return rows.map((row) => ({ id: idField(row, 'id', 'webhook'), after: textField(row, 'revive_after') }));
}

/** So many calls change their state in one unit at most. */
const movedAtOnce = 500;

/**
 * The next calls that a webhook has back. What is given up again meanwhile stays so: it lies before where the next page begins. Harmless
 * where another process does the same.
 */
export async function revivePage(read: Read, { id, after }: Revival, now: number): Promise<Statement[]> {
  const rows = await read(
    `select event_id from webhook_call where webhook_id = $1 and status = 'dead' and event_id > $2
      order by event_id limit ${movedAtOnce}`,
    [id, after],
  );
  const [last] = rows.slice(-1).map((row) => textField(row, 'event_id'));
  const next = rows.length < movedAtOnce ? null : (last ?? null);
  return [
    { sql: 'update webhook set revive_after = $1 where id = $2 and revive_after = $3', args: [next, id, after] },
    {
      sql: `update webhook_call set status = 'queued', attempts = 0, run_at = $1
        where webhook_id = $2 and status = 'dead' and event_id > $3 and event_id <= $4`,
      args: [now, id, after, last ?? after],
    },
  ];
}

/** The calls of one webhook. */
export async function countCalls(read: Read, id: WebhookId): Promise<Calls> {
  const [row] = await read(`select ${counted('queued', '$1')} as waiting, ${counted('dead', '$1')} as dead`, [id]);
  return row === undefined ? { waiting: 0, dead: 0 } : callsOf(row);
}

/** A call that is to be made. */
export type WebhookJob = { readonly webhook: WebhookId; readonly event: EventId; readonly attempts: number };

const queueCalls = createMultiRow(
  'insert into webhook_call (webhook_id, event_id, status, attempts, run_at) values',
  5,
  'on conflict (webhook_id, event_id) do nothing',
);

/** Queues calls, each due at `at`; harmless where one is there. */
export function insertCalls(
  calls: readonly { readonly webhook: WebhookId; readonly event: EventId; readonly at: number }[],
): Statement[] {
  return queueCalls(calls.map(({ webhook, event, at }) => [webhook, event, 'queued', 0, at]));
}

/** A webhook for which something waits, and the time of its first call. Of one that is not active nothing is called: it is given up. */
export type WaitingWebhook = { readonly id: WebhookId; readonly runAt: number; readonly isActive: boolean };

/** The webhooks for which something waits. It jumps from one to the next in the index, however much waits for each. */
export async function waitingWebhooks(read: Read): Promise<WaitingWebhook[]> {
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
    runAt: wholeOrNull(row, 'run_at') ?? 0,
    isActive: textField(row, 'status') === 'active',
  }));
}

/**
 * Gives up the next calls of a webhook that is not active; nothing where it has become so again. The worker does so page by page, for
 * they may be more than others could wait for. Those that were in the queue when it became active again wait on.
 */
export function giveUpPage(id: WebhookId): Statement[] {
  return [
    // Locks the row: a revival is asked for before what follows looks, or finds what this has given up.
    { sql: 'update webhook set status = status where id = $1', args: [id] },
    {
      sql: `with next as materialized (
          select event_id from webhook_call where status = 'queued' and webhook_id = $1 order by run_at, event_id limit ${movedAtOnce})
        update webhook_call set status = 'dead' where webhook_id = $1 and status = 'queued' and event_id in (select event_id from next)
          and exists (select 1 from webhook h where h.id = $1 and h.status <> 'active')`,
      args: [id],
    },
  ];
}

type ClaimAsk = { readonly webhook: WebhookId; readonly now: number; readonly again: number; readonly limit: number };

/** Takes due calls of a webhook; they fall due again at `again`, should this process be lost. */
export function claimCalls({ webhook, now, again, limit }: ClaimAsk): Statement {
  return {
    sql: `with due as materialized (
        select event_id from webhook_call where status = 'queued' and webhook_id = $4 and run_at <= $1
        order by run_at, event_id limit $3 /* skip locked */)
      update webhook_call set attempts = attempts + 1, run_at = $2
      where webhook_id = $4 and event_id in (select event_id from due)
      returning webhook_id, event_id, attempts`,
    args: [now, again, limit, webhook],
  };
}

/** A row of `claimCalls`. */
export function webhookJobOf(row: Row): WebhookJob {
  return {
    webhook: idField(row, 'webhook_id', 'webhook'),
    event: idField(row, 'event_id', 'event'),
    attempts: wholeField(row, 'attempts'),
  };
}

type CallEnd = { readonly status: 'queued' | 'done' | 'dead'; readonly runAt: number; readonly answer: number | null };

/** Stores what a call came to; nothing where it was claimed anew meanwhile. */
export function endCall({ webhook, event, attempts }: WebhookJob, { status, runAt, answer }: CallEnd): Statement {
  return {
    sql: `update webhook_call set status = $1, run_at = $2, answer = $3
      where webhook_id = $4 and event_id = $5 and attempts = $6 and coalesce(status, '') = 'queued' returning event_id`,
    args: [status, runAt, answer, webhook, event, attempts],
  };
}
