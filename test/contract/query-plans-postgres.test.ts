import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { createDatabase, dropDatabase } from '../support/postgres-databases.ts';
import { findSourceStatements, hasLimitWithoutWhere, smallTables } from '../support/sql-in-source.ts';

// PostgreSQL plans a statement by the statistics of its tables. After an import or a restore it has none and must guess, and it
// caches plans that it made while the tables were almost empty. Therefore no statement may scan a whole table when only the
// size of the table is known, whether it has few rows or many.

/** Statements that may scan a table, because they run rarely or must read all rows; each by the beginning of its text. */
const allowedScans = [
  // With few documents a scan costs less than the index.
  'update document set scan_due_at = $2, scan_attempts = scan_attempts + 1 where scan_due_at <= $1 and id in',
  // The erasure of a person.
  'delete from document_grant where document_id in',
  // The same. Writes run with `indexPlansOnly` (open-postgres.ts), and then it finds its rows by index: the test of updates.
  'update delivery set provider_ref = null, early_report = null where notification_id in (select',
];

const indexPlansOnly = 'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off';

type Client = InstanceType<typeof pg.Client>;
type Plan = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
};

async function openFilled(t: TestContext, rows: number): Promise<Client> {
  const url = await createDatabase('migrated');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await dropDatabase(url);
  });
  // Only the number of rows, and their share in the partial indexes, matter here.
  await client.query('set session_replication_role = replica');
  const { rows: columns } = await client.query(
    "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' and is_generated = 'NEVER' order by ordinal_position",
  );
  for (const [table, own] of Map.groupBy(columns, ({ table_name: name }) => String(name))) {
    if (table === 'schema_migration') continue;
    await dropChecks(client, table);
    const names = own.map(({ column_name: name }) => String(name));
    const values = own.map(({ column_name: name, data_type: type }) => filling(String(name), String(type)));
    await client.query(
      `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from generate_series(1, ${rows}) i`,
    );
  }
  await client.query('set plan_cache_mode = force_generic_plan');
  return client;
}

async function dropChecks(client: Client, table: string): Promise<void> {
  const { rows } = await client.query(
    "select conname from pg_constraint where conrelid = $1::regclass and contype = 'c'",
    [table],
  );
  for (const { conname } of rows) await client.query(`alter table ${table} drop constraint ${conname}`);
}

function filling(column: string, type: string): string {
  if (type === 'bigint') return 'i';
  if (type === 'boolean') return 'i % 2 = 0';
  if (type === 'bytea') return `decode(lpad(to_hex(i), 40, '0'), 'hex')`;
  if (column === 'status')
    return `case i % 50 when 0 then 'queued' when 1 then 'sending' when 2 then 'read' else 'delivered' end`;
  return `'${column}_' || lpad(i::text, 20, '0')`;
}

/** The generic plan of a statement, for any arguments. */
async function planOf(client: Client, sql: string): Promise<Plan> {
  const count = Math.max(0, ...Array.from(sql.matchAll(/\$(\d+)/g), ([, digits]) => Number(digits)));
  const values = count === 0 ? '' : `(${new Array(count).fill('null').join(', ')})`;
  await client.query(`prepare asked as ${sql}`);
  const { rows } = await client.query(`explain (format json) execute asked${values}`);
  await client.query('deallocate asked');
  return rows[0]['QUERY PLAN'][0].Plan;
}

/** The growing tables that the plan scans. */
async function scannedTables(client: Client, sql: string): Promise<string[]> {
  const whole = (plan: Plan): string[] => [
    ...(plan['Node Type'].includes('Seq Scan') ? [plan['Relation Name'] ?? ''] : []),
    ...(plan.Plans ?? []).flatMap(whole),
  ];
  return whole(await planOf(client, sql)).filter((table) => !smallTables.has(table));
}

for (const rows of [1, 40, 3_000]) {
  test(`postgres: no statement scans a growing table without statistics, at ${rows} rows in each table`, async (t) => {
    const client = await openFilled(t, rows);
    const faults: string[] = [];
    let asked = 0;
    const statements = findSourceStatements('postgres');
    const isBatch = ({ sql }: { readonly sql: string }) => /\b(?:unnest|any)\(/.test(sql);
    for (const { file, sql } of statements.filter((one) => !isBatch(one))) {
      const text = sql.replaceAll(/\s+/g, ' ');
      if (hasLimitWithoutWhere(sql) || allowedScans.some((beginning) => text.startsWith(beginning))) continue;
      let tables: string[];
      try {
        tables = await scannedTables(client, sql);
      } catch (fault) {
        // The beginning of a statement that multi-row-statement.ts completes, or an English sentence.
        assert.match(String(fault), /syntax error/, sql);
        continue;
      }
      asked += 1;
      faults.push(...tables.map((table) => `${file} scans ${table}: ${text.slice(0, 120)}`));
    }
    // Merged statements run only on connections with these settings (open-postgres.ts, read-pool.ts).
    await client.query(indexPlansOnly);
    for (const { file, sql } of statements.filter(isBatch)) {
      faults.push(...(await scannedTables(client, sql)).map((table) => `${file} scans ${table}: ${sql}`));
    }
    assert.deepEqual(faults, []);
    assert.ok(asked > 120, `only ${asked} statements were checked`);
  });
}

test('postgres: a statement that joins with all notifications is detected at few rows', async (t) => {
  const client = await openFilled(t, 40);
  const sql = `update delivery set started_at = $1 where id = $2 and attempts = $3 and locked_by = $4 and status = 'sending'
    and not exists (select 1 from notification n where n.id = delivery.notification_id and n.status = 'read') returning id`;
  assert.deepEqual(await scannedTables(client, sql), ['notification']);
});

// By the statistics, a partial index of active rows is small. In fact it also has the rows since the last vacuum, which a backup
// delays. Therefore an update of one row, or of the rows of one notification, must not use it.
for (const rows of [40, 3_000]) {
  for (const known of ['', 'analyze']) {
    test(`postgres: updates of a notification or call use the index of its id, at ${rows} rows in each table${known && ', with statistics'}`, async (t) => {
      const client = await openFilled(t, rows);
      await client.query(`${indexPlansOnly}; ${known}`);
      const indexes = (plan: Plan): string[] => [plan['Index Name'] ?? [], ...(plan.Plans ?? []).map(indexes)].flat(9);
      const ways = new Map<string, string>();
      for (const { sql } of findSourceStatements('postgres')) {
        if (!/^update (?:delivery |notification |webhook_call .* and event_id = )/s.test(sql)) continue;
        for (const index of indexes(await planOf(client, sql))) ways.set(index, sql);
      }
      const byId = ['delivery_of_notification', 'delivery_pkey', 'notification_pkey', 'webhook_call_of_webhook'];
      // An erasure changes all messages of a citizen. This index is not partial.
      const allowed = [...byId, 'notification_of_citizen'].sort();
      assert.deepEqual([...ways.keys()].sort(), allowed, JSON.stringify([...ways]));
    });
  }
}
