import type { Read } from '../db/database.ts';
import { integerField, integerOrNull, textField, textOrNull } from '../db/row-fields.ts';
import { minIdAt } from '../kernel/id.ts';
import { parseReasonCode, reasonCodes, reasonOf } from '../notifications/notification/reason.ts';

/** Failed deliveries of one channel and reason. */
export type DeliveryFailures = {
  readonly channel: string;
  readonly reason: string;
  readonly whoActs: string;
  readonly detail: string;
  readonly count: number;
};

/** More deliveries than this are not counted, so that the page stays fast on a large database. */
const maxCounted = 100_000;

/** The deliveries since an instant that failed or whose outcome is unknown, by channel and reason, the most frequent first. */
export async function countFailures(read: Read, since: number): Promise<readonly DeliveryFailures[]> {
  // Ids sort by time, so the primary key finds the newest deliveries.
  const rows = await read(
    `select channel, reason, count(*) as count from (
        select channel, status, reason from delivery where id >= $1 order by id desc limit $2) newest
      where status in ('failed', 'unknown') and reason is not null
      group by channel, reason order by count(*) desc, channel, reason`,
    [minIdAt('delivery', since), maxCounted],
  );
  return rows.map((row) => {
    const { code, whoActs, detail } = reasonOf(parseReasonCode(textField(row, 'reason')));
    return { channel: textField(row, 'channel'), reason: code, whoActs, detail, count: integerField(row, 'count') };
  });
}

/** More messages than this are not named for one channel and reason. */
const maxNamed = 3;

const citizenReasons = reasonCodes.filter((code) => reasonOf(code).whoActs === 'citizen');

/** The newest messages since an instant that failed for a reason about which the citizen must do something; of one service, or of all. */
export async function findCitizenFailures(
  read: Read,
  { since, service }: { readonly since: number; readonly service: string | null },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await read(
    `select channel, reason, notification_id from (
        select f.id, channel, reason, notification_id,
            row_number() over (partition by channel, reason order by f.id desc) as place from (
          select id, notification_id, channel, status, reason from delivery where id >= $1 order by id desc limit $2) f
        where f.status in ('failed', 'unknown') and f.reason in (${citizenReasons.map((code) => `'${code}'`).join(', ')})
          and (cast($3 as text) is null or $3 = (select client_id from notification n where n.id = f.notification_id))
      ) numbered
      where place <= $4 order by id desc`,
    [minIdAt('delivery', since), maxCounted, service, maxNamed],
  );
  const byReason = Map.groupBy(rows, (row) =>
    failureKey({ channel: textField(row, 'channel'), reason: textField(row, 'reason') }),
  );
  return new Map([...byReason].map(([key, some]) => [key, some.map((row) => textField(row, 'notification_id'))]));
}

/** The key of `findCitizenFailures`. */
export function failureKey({ channel, reason }: Pick<DeliveryFailures, 'channel' | 'reason'>): string {
  return `${channel} ${reason}`;
}

/** The webhooks that the server has disabled or whose calls it has given up, with a contact of the client. */
export async function findFailedWebhooks(read: Read) {
  const rows = await read(
    `select w.id, w.client_id, w.status, coalesce(k.contact_email, k.contact_phone, k.contact_url) as contact
      from webhook w join client k on k.client_id = w.client_id
      where w.status = 'disabled' or (w.status = 'active'
        and exists (select 1 from webhook_call c where c.webhook_id = w.id and c.status = 'dead'))
      order by w.id limit 100`,
    [],
  );
  return rows.map((row) => ({
    id: textField(row, 'id'),
    clientId: textField(row, 'client_id'),
    disabled: textField(row, 'status') === 'disabled',
    contact: textOrNull(row, 'contact'),
  }));
}

/** The number of documents in quarantine, by the result of their scan. */
export async function countQuarantined(read: Read) {
  const rows = await read(
    `select scan_verdict, count(*) as count from document where status = 'quarantined' group by scan_verdict order by 1`,
    [],
  );
  return rows.map((row) => ({ verdict: textOrNull(row, 'scan_verdict'), count: integerField(row, 'count') }));
}

/** The imports that have not finished and have stored nothing since an instant. */
export async function findStoppedImports(read: Read, since: number) {
  const rows = await read(
    `select id, rows_read, updated_at from register_import where finished = false and updated_at < $1
      order by updated_at desc limit 20`,
    [since],
  );
  return rows.map((row) => ({
    id: textField(row, 'id'),
    rows: integerField(row, 'rows_read'),
    stoppedAt: integerField(row, 'updated_at'),
  }));
}

/** The number of proposals of one service, or of all, that wait for a decision, and when the oldest was made (epoch milliseconds). */
export async function countOpenProposals(
  read: Read,
  { now, service }: { readonly now: number; readonly service: string | null },
) {
  const [row] = await read(
    `select count(*) as count, min(at) as oldest from staff_proposal
      where status = 'proposed' and expires_at > $1 and (cast($2 as text) is null or service = $2)`,
    [now, service],
  );
  return row === undefined
    ? { count: 0, oldest: null }
    : { count: integerField(row, 'count'), oldest: integerOrNull(row, 'oldest') };
}
