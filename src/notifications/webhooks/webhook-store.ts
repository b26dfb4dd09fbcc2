import type { Read, Row, Statement } from '../../db/database.ts';
import { bytesField, enumField, idField, integerField, integerOrNull, textField } from '../../db/row-fields.ts';
import type { WebhookId } from '../../kernel/id.ts';
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
  readonly previous: { readonly secret: Uint8Array; readonly until: number } | undefined;
  readonly createdAt: number;
  /** What was given up is on its way back into the queue. */
  readonly isRedelivering: boolean;
};

const columns = 'id, client_id, url, status, signature, secret, old_secret, old_until, created_at, revive_after';

/** A client has no more of them. */
export const maxWebhooks = 10;

/**
 * Stores a new webhook; refused (`rows`) where its client has that many, or is disabled, whose webhooks were removed. Whoever
 * makes another one at the same time, or disables the client, waits for the row of the client.
 */
export function insertWebhook(webhook: Omit<Webhook, 'status' | 'previous' | 'isRedelivering'>): Statement[] {
  const { id, clientId, url, signature, secret, createdAt } = webhook;
  return [
    { sql: 'update client set name = name where client_id = $1', args: [clientId] },
    {
      sql: `insert into webhook (id, client_id, url, status, signature, secret, created_at)
        select cast($1 as text), cast($2 as text), cast($3 as text), 'active', cast($4 as text), $5,
            cast($6 as bigint)
          where (select count(*) from webhook where client_id = $2 and status <> 'removed') < ${maxWebhooks}
            and not exists (select 1 from client where client_id = $2 and disabled_at is not null)
        returning id`,
      args: [id, clientId, url, signature, secret, createdAt],
      rows: 1,
    },
  ];
}

/** The webhooks of a client that are not removed, oldest first. */
export async function findWebhooks(read: Read, clientId: string): Promise<Webhook[]> {
  const rows = await read(
    `select ${columns} from webhook where client_id = $1 and status <> 'removed' order by id limit 100`,
    [clientId],
  );
  return rows.map(webhookFromRow);
}

/** Beyond that a count would hold others up: a receiver may be gone for days, and hundreds of thousands of calls with it. */
export const maxCallCount = 10_000;
/** The first of the calls of a webhook in a state, as many as are counted. */
const countCallsSql = (status: 'queued' | 'dead', webhook: string) =>
  `(select count(*) from (select 1 from webhook_call c where c.webhook_id = ${webhook} and c.status = '${status}' limit ${maxCallCount}) counted)`;

/** How many calls of a webhook wait, and how many were given up; each counted up to `mostCounted`. */
export type CallCounts = { readonly waiting: number; readonly dead: number };

/** The same with their calls. */
export async function findWebhooksWithCounts(
  read: Read,
  clientId: string,
): Promise<{ webhook: Webhook; calls: CallCounts }[]> {
  const rows = await read(
    `select ${columns}, ${countCallsSql('queued', 'webhook.id')} as waiting, ${countCallsSql('dead', 'webhook.id')} as dead
      from webhook where client_id = $1 and status <> 'removed' order by id limit 100`,
    [clientId],
  );
  return rows.map((row) => ({ webhook: webhookFromRow(row), calls: callCountsFromRow(row) }));
}

function callCountsFromRow(row: Row): CallCounts {
  return { waiting: integerField(row, 'waiting'), dead: integerField(row, 'dead') };
}

/** The ids of the webhooks of a client that are to be called. */
export async function findActiveWebhooks(read: Read, clientId: string): Promise<WebhookId[]> {
  const webhooks = await findWebhooks(read, clientId);
  return webhooks.filter(({ status }) => status === 'active').map(({ id }) => id);
}

/** One webhook, whoever's it is. */
export async function findWebhook(read: Read, id: WebhookId): Promise<Webhook | undefined> {
  const [row] = await read(`select ${columns} from webhook where id = $1`, [id]);
  return row === undefined ? undefined : webhookFromRow(row);
}

function webhookFromRow(row: Row): Webhook {
  const until = integerOrNull(row, 'old_until');
  return {
    id: idField(row, 'id', 'webhook'),
    clientId: textField(row, 'client_id'),
    url: textField(row, 'url'),
    status: enumField(row, 'status', webhookStatuses),
    signature: enumField(row, 'signature', signatureSchemes),
    secret: bytesField(row, 'secret'),
    previous: until === null ? undefined : { secret: bytesField(row, 'old_secret'), until },
    createdAt: integerField(row, 'created_at'),
    isRedelivering: row['revive_after'] !== null,
  };
}

/** Ends a webhook, refused (`rows`) where that was done; what waits for it is given up by `giveUpPage`. */
export function markWebhookRemoved(id: WebhookId): Statement {
  const sql = "update webhook set status = 'removed' where id = $1 and status <> 'removed' returning id";
  return { sql, args: [id], rows: 1 };
}

/** Calls a webhook no more whose receiver is gone; nothing where it was removed meanwhile. */
export function disableWebhook(id: WebhookId): Statement {
  return {
    sql: "update webhook set status = 'disabled', revive_after = null where id = $1 and status = 'active'",
    args: [id],
  };
}

/** Removes the webhooks of a client that is no more; what waits for them is given up by `giveUpPage`. */
export function removeClientWebhooks(clientId: string): Statement {
  return {
    sql: "update webhook set status = 'removed' where client_id = $1 and status <> 'removed'",
    args: [clientId],
  };
}

type SecretRotation = { readonly secret: Uint8Array; readonly until: number; readonly now: number };

/**
 * Gives a webhook a new secret; the present one signs along until `until`, and one that still does goes on for the time
 * that it was given. Refused (`rows`) where the webhook was removed.
 */
export function replaceWebhookSecret(id: WebhookId, { secret, until, now }: SecretRotation): Statement[] {
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

const maxOldSecrets = 8;

/** The secrets before the old one that sign along still, sealed, the newest first. */
export async function findOlderSecrets(read: Read, id: WebhookId, now: number): Promise<Uint8Array[]> {
  const sql = `select secret from webhook_old_secret where webhook_id = $1 and until > $2 order by until desc limit ${maxOldSecrets}`;
  return (await read(sql, [id, now])).map((row) => bytesField(row, 'secret'));
}

/**
 * Has what was given up put back into the queue, from the first attempt, and makes the webhook active; refused (`rows`) where it was
 * removed. The worker does so with `revivePage`, for it may be more than others could wait for.
 */
export function requestRedelivery(id: WebhookId): Statement {
  return {
    sql: "update webhook set status = 'active', revive_after = '' where id = $1 and status <> 'removed' returning id",
    args: [id],
    rows: 1,
  };
}

/** A webhook that is to have calls back, those of events behind `after`. */
type PendingRedelivery = { readonly id: WebhookId; readonly after: string };

/** Some of the webhooks that are to have calls back. */
export async function findPendingRedeliveries(read: Read): Promise<PendingRedelivery[]> {
  const rows = await read(
    "select id, revive_after from webhook where revive_after is not null and status = 'active' order by id limit 10",
  );
  return rows.map((row) => ({ id: idField(row, 'id', 'webhook'), after: textField(row, 'revive_after') }));
}

/** So many calls change their state in one unit at most. */
export const callsPerUnit = 500;

/**
 * The next calls that a webhook has back. What is given up again meanwhile stays so: it lies before where the next page begins. Harmless
 * where another process does the same.
 */
export async function redeliverPage(read: Read, { id, after }: PendingRedelivery, now: number): Promise<Statement[]> {
  const rows = await read(
    `select event_id from webhook_call where webhook_id = $1 and status = 'dead' and event_id > $2
      order by event_id limit ${callsPerUnit}`,
    [id, after],
  );
  const [last] = rows.slice(-1).map((row) => textField(row, 'event_id'));
  const next = rows.length < callsPerUnit ? null : (last ?? null);
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
export async function countCalls(read: Read, id: WebhookId): Promise<CallCounts> {
  const [row] = await read(
    `select ${countCallsSql('queued', '$1')} as waiting, ${countCallsSql('dead', '$1')} as dead`,
    [id],
  );
  return row === undefined ? { waiting: 0, dead: 0 } : callCountsFromRow(row);
}
