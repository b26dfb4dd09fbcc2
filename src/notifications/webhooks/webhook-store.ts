import type { Read, Row, Statement } from '../../db/database.ts';
import { bytesField, enumField, idField, integerField, integerOrNull, textField } from '../../db/row-fields.ts';
import type { WebhookId } from '../../kernel/id.ts';
import { type SignatureScheme, signatureSchemes } from './webhook-secret.ts';

/** `disabled`: the receiver answered 410. A request for redelivery makes it `active` again. */
const webhookStatuses = ['active', 'disabled', 'removed'] as const;

/** A URL that is called with the events of a client. The secrets are encrypted. */
export type Webhook = {
  readonly id: WebhookId;
  readonly clientId: string;
  readonly url: string;
  readonly status: (typeof webhookStatuses)[number];
  readonly signature: SignatureScheme;
  readonly secret: Uint8Array;
  readonly previous: { readonly secret: Uint8Array; readonly until: number } | undefined;
  readonly createdAt: number;
  /** The worker is moving dead calls back into the queue. */
  readonly isRedelivering: boolean;
};

const columns = 'id, client_id, url, status, signature, secret, old_secret, old_until, created_at, redeliver_after';

/** The limit per client. */
export const maxWebhooks = 10;

/**
 * Stores a new webhook. Refused (`rows`) when the client has `maxWebhooks` of them, or is disabled. The first statement locks the row
 * of the client, so that concurrent inserts and the disabling of the client run one after the other.
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

/** Counts stop here: a receiver can be down for days, and counting hundreds of thousands of calls would delay other requests. */
export const maxCallCount = 10_000;
const countCallsSql = (status: 'queued' | 'dead', webhook: string) =>
  `(select count(*) from (select 1 from webhook_call c where c.webhook_id = ${webhook} and c.status = '${status}' limit ${maxCallCount}) counted)`;

/** The numbers of waiting and of dead calls of a webhook, each counted up to `maxCallCount`. */
export type CallCounts = { readonly waiting: number; readonly dead: number };

/** As `findWebhooks`, with the counts of their calls. */
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

/** The ids of the active webhooks of a client. */
export async function findActiveWebhooks(read: Read, clientId: string): Promise<WebhookId[]> {
  const webhooks = await findWebhooks(read, clientId);
  return webhooks.filter(({ status }) => status === 'active').map(({ id }) => id);
}

/** A webhook of any client, in any status. */
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
    isRedelivering: row['redeliver_after'] !== null,
  };
}

/** Removes a webhook. Refused (`rows`) when it was removed before. The worker gives up its waiting calls (`giveUpCalls`). */
export function markWebhookRemoved(id: WebhookId): Statement {
  const sql = "update webhook set status = 'removed' where id = $1 and status <> 'removed' returning id";
  return { sql, args: [id], rows: 1 };
}

/** Disables a webhook whose receiver answered 410. It does nothing when the webhook was removed in the meantime. */
export function disableWebhook(id: WebhookId): Statement {
  return {
    sql: "update webhook set status = 'disabled', redeliver_after = null where id = $1 and status = 'active'",
    args: [id],
  };
}

/** Removes the webhooks of a disabled client. The worker gives up their waiting calls (`giveUpCalls`). */
export function removeClientWebhooks(clientId: string): Statement {
  return {
    sql: "update webhook set status = 'removed' where client_id = $1 and status <> 'removed'",
    args: [clientId],
  };
}

type SecretRotation = { readonly secret: Uint8Array; readonly until: number; readonly now: number };

/**
 * Gives a webhook a new secret. The current secret also signs until `until`, and each previous one until its own end. Refused (`rows`)
 * when the webhook was removed.
 */
export function replaceWebhookSecret(id: WebhookId, { secret, until, now }: SecretRotation): Statement[] {
  return [
    {
      // Locks the row, so that the second of two concurrent rotations sees the result of the first.
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

/** The encrypted secrets older than the previous one that still sign, newest first. */
export async function findOlderSecrets(read: Read, id: WebhookId, now: number): Promise<Uint8Array[]> {
  const sql = `select secret from webhook_old_secret where webhook_id = $1 and until > $2 order by until desc limit ${maxOldSecrets}`;
  return (await read(sql, [id, now])).map((row) => bytesField(row, 'secret'));
}

/**
 * Makes a webhook active and requests the redelivery of its dead calls, from their first attempt. Refused (`rows`) when it was removed.
 * The worker queues the calls in pages (`redeliverPage`), because there can be too many for one unit.
 */
export function requestRedelivery(id: WebhookId): Statement {
  return {
    sql: `update webhook set status = 'active', redeliver_after = ''
      where id = $1 and status <> 'removed' returning id`,
    args: [id],
    rows: 1,
  };
}

/** A webhook whose dead calls of events after the id `after` are to be queued again. */
type PendingRedelivery = { readonly id: WebhookId; readonly after: string };

/** The first webhooks with a pending redelivery. */
export async function findPendingRedeliveries(read: Read): Promise<PendingRedelivery[]> {
  const rows = await read(
    `select id, redeliver_after from webhook where redeliver_after is not null and status = 'active'
      order by id limit 10`,
  );
  return rows.map((row) => ({ id: idField(row, 'id', 'webhook'), after: textField(row, 'redeliver_after') }));
}

/** The limit of calls that one unit changes. */
export const callsPerUnit = 500;

/**
 * Queues the next page of dead calls again. Calls that are given up again in the meantime stay dead, because their ids are before the
 * next page. Two processes can do this at the same time.
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
    { sql: 'update webhook set redeliver_after = $1 where id = $2 and redeliver_after = $3', args: [next, id, after] },
    {
      sql: `update webhook_call set status = 'queued', attempts = 0, run_at = $1
        where webhook_id = $2 and status = 'dead' and event_id > $3 and event_id <= $4`,
      args: [now, id, after, last ?? after],
    },
  ];
}

/** The counts of the calls of one webhook. */
export async function countCalls(read: Read, id: WebhookId): Promise<CallCounts> {
  const [row] = await read(
    `select ${countCallsSql('queued', '$1')} as waiting, ${countCallsSql('dead', '$1')} as dead`,
    [id],
  );
  return row === undefined ? { waiting: 0, dead: 0 } : callCountsFromRow(row);
}
