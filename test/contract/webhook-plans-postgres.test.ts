import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { findWebhooks, removeClientWebhooks } from '../../src/notifications/webhooks/webhook-store.ts';
import { openMigratedDatabase } from '../support/postgres-databases.ts';

type Plan = { readonly 'Rows Removed by Filter'?: number; readonly Plans?: readonly Plan[] };

const removedIn = (plan: Plan): number =>
  (plan['Rows Removed by Filter'] ?? 0) + (plan.Plans ?? []).reduce((sum, one) => sum + removedIn(one), 0);

// The active webhooks of a client are read for each batch of its feed, so removed ones must cost nothing.
test('postgres: the query for the webhooks of a client does not read its removed webhooks', async (t) => {
  const { db, operator } = await openMigratedDatabase(t);
  await operator.query(`insert into webhook (id, client_id, url, status, signature, secret, created_at)
    select 'whk_' || lpad(i::text, 26, '0'), 'team', 'https://team.example', case when i % 1000 = 0 then 'active' else 'removed' end, 'v1', '\\x00', i
    from generate_series(1, 3000) i`);
  let removedRows = 0;
  const read: typeof db.read = async (sql, args) => {
    const text = `explain (analyze, format json) ${sql.replaceAll('$1', pg.escapeLiteral(String(args?.[0])))}`;
    const { rows } = await operator.query(text);
    removedRows += removedIn(rows[0]['QUERY PLAN'][0].Plan);
    return await db.read(sql, args);
  };
  assert.equal((await findWebhooks(read, 'team')).length, 3);
  assert.equal(removedRows, 0);
  await db.write([removeClientWebhooks('team')]);
  assert.equal((await findWebhooks(read, 'team')).length, 0);
});
