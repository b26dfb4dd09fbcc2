import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Read } from '../../src/db/database.ts';
import { listDeposits, listVisibleDocuments } from '../../src/documents/document-store.ts';
import { findInboxPage } from '../../src/notifications/inbox/citizen-inbox.ts';
import {
  findNotificationPage,
  type NotificationFilter,
} from '../../src/notifications/notification/notification-list-store.ts';
import { openMigratedDatabase } from '../support/postgres-databases.ts';
import { waitUntil } from '../support/wait-until.ts';

// PostgreSQL caches the plan of a prepared statement, which fits the statistics of that time and any arguments. For a rare list it
// would be wrong: it would read all notifications of a client to find the five that failed.

const many = 20_000;

async function openPlace(t: TestContext) {
  const { db, operator } = await openMigratedDatabase(t);
  const fill = async (from: number, to: number) => {
    const rows = `generate_series(${from}, ${to}) i`;
    await operator.query(`insert into notification (id, client_id, citizen_id, reference, category, status, status_at, revision,
        content, created_at, deliver_by, accepted_event)
      select 'ntf_' || lpad(i::text, 26, '0'), 'client', 'citizen ' || i, 'reference ' || i, 'information', 'delivered', i, 0, '\\x00', i, i, 'evt_' || lpad(i::text, 26, '0')
      from ${rows}`);
    await operator.query(`insert into document (id, citizen_id, issuer, status, created_at, sealed_record)
      select 'doc_' || lpad(i::text, 26, '0'), 'citizen ' || i, 'client', 'available', i, '\\x00' from ${rows}`);
  };
  return { db, operator, fill };
}

const nothing = { reference: undefined, citizenId: undefined, status: undefined };
const bounds = { clientId: 'client', from: undefined, before: undefined, position: undefined };
const filters: readonly Partial<NotificationFilter>[] = [
  { citizenId: 'citizen 7' },
  { status: 'undeliverable' },
  { reference: 'reference 7' },
  { reference: 'reference 7', status: 'delivered' },
];

async function askForAll(read: Read): Promise<void> {
  for (const filter of filters) await findNotificationPage(read, { ...bounds, ...nothing, ...filter }, 21);
  const reader = { client: 'client', purpose: undefined };
  await listVisibleDocuments(read, { citizenId: 'citizen 7', reader, now: 1, after: undefined, limit: 21 });
  for (const status of [undefined, 'quarantined'] as const)
    await listDeposits(read, { issuer: 'client', status, after: undefined, limit: 21 });
  // The inbox has no message to decrypt.
  await findInboxPage({ read, citizenKeys: { keyOf: () => assert.fail() } as never }, 'citizen 7', { limit: 20 });
}

for (const first of [40, 100, many]) {
  test(`postgres: lists use their own index, also with plans that were cached at ${first} rows`, async (t) => {
    const { db, operator, fill } = await openPlace(t);
    await fill(1, first);
    await operator.query('analyze notification, document');
    for (let times = 0; times < 10; times += 1) await askForAll(db.read);
    await fill(first + 1, many);
    for (let times = 0; times < 10; times += 1) await askForAll(db.read);
    await db.close();
    // Sessions report their counts when they end.
    const sessions = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    await waitUntil(async () => (await operator.query(sessions)).rows.length === 0);
    const { rows } = await operator.query(
      "select cast(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as bigint) as n from pg_stat_user_tables where relname in ('notification', 'document')",
    );
    assert.ok(Number(rows[0].n) < many, `${rows[0].n} rows were read`);
  });
}
