import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listDocuments } from '../../src/documents/document-store.ts';
import { listInbox } from '../../src/notifications/inbox/citizen-inbox.ts';
import { findPage, type ListFilter } from '../../src/notifications/notification-list-store.ts';
import type { Read } from '../../src/store/db.ts';
import { openMigrated } from '../postgres-databases.ts';
import { until } from '../until.ts';

// A server keeps the plan of a prepared statement, made for any values by the statistics of that time. Of a list that is asked
// for seldom that would be the wrong one for as long: the index of all that a client has sent, for the five that failed.

const many = 20_000;

async function openPlace(t: TestContext) {
  const { db, operator } = await openMigrated(t);
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
const filters: readonly Partial<ListFilter>[] = [
  { citizenId: 'citizen 7' },
  { status: 'undeliverable' },
  { reference: 'reference 7' },
  { reference: 'reference 7', status: 'delivered' },
];

async function askForAll(read: Read): Promise<void> {
  for (const filter of filters) await findPage(read, { ...bounds, ...nothing, ...filter }, 21);
  const reader = { client: 'client', purpose: undefined };
  await listDocuments(read, { citizenId: 'citizen 7', reader, now: 1, after: undefined, limit: 21 });
  // There is no message in it, and so none to open.
  await listInbox({ read, citizenKeys: { keyOf: () => assert.fail() } as never }, 'citizen 7', { limit: 20 });
}

for (const first of [40, 100, many]) {
  test(`postgres: lists find what they show by their own index, though their plans were made at ${first} rows`, async (t) => {
    const { db, operator, fill } = await openPlace(t);
    await fill(1, first);
    await operator.query('analyze notification, document');
    for (let times = 0; times < 10; times += 1) await askForAll(db.read);
    await fill(first + 1, many);
    for (let times = 0; times < 10; times += 1) await askForAll(db.read);
    await db.close();
    // The sessions tell their counts when they end.
    const sessions = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    await until(async () => (await operator.query(sessions)).rows.length === 0);
    const { rows } = await operator.query(
      "select cast(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as bigint) as n from pg_stat_user_tables where relname in ('notification', 'document')",
    );
    assert.ok(Number(rows[0].n) < many, `${rows[0].n} rows were looked at`);
  });
}
