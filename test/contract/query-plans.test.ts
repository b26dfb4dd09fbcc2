import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { Read } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite } from '../../src/db/sqlite/open-sqlite.ts';
import { dueForErasure } from '../../src/documents/retention/retention-store.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { findNotificationPage } from '../../src/notifications/notification/notification-list-store.ts';
import {
  findSourceStatements,
  hasLimitWithoutWhere,
  type SourceStatement,
  smallTables,
} from '../support/sql-in-source.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// A read of SQLite blocks the event loop, and some run every second. Therefore no statement may scan a table that grows with the
// number of citizens or of their records. The test reads the plan of SQLite for each statement in the source.

/** An index of the few rows that wait for a number. A scan of it is allowed. */
const newOnes = 'feed_event_new';

/** The growing tables that a plan scans. */
function scannedTables(db: DatabaseSync, sql: string): string[] {
  const tables = new Map<string, string>();
  for (const [, table = '', alias] of sql.matchAll(
    /(?:from|join|update|into)\s+([a-z_]+)(?:\s+(?:as\s+)?([a-z]+)\b)?/g,
  )) {
    tables.set(table, table);
    if (alias !== undefined) tables.set(alias, table);
  }
  const isTable = db.prepare("select 1 from sqlite_master where type = 'table' and name = ?");
  return planOf(db, sql).flatMap((detail) => {
    const [, name = '', index] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
    const table = tables.get(name) ?? name;
    if (isTable.get(table) === undefined || smallTables.has(table) || index === newOnes) return [];
    return hasLimitWithoutWhere(sql) ? [] : [table];
  });
}

/** The steps of SQLite's plan, including the search for rows that refer to deleted rows. */
function planOf(db: DatabaseSync, sql: string): string[] {
  const steps = db.prepare(`explain query plan ${sql.replaceAll(/\$\d+/g, '?')}`).all();
  return steps.map(({ detail }) => String(detail));
}

async function migrated(t: TestContext): Promise<DatabaseSync> {
  const folder = makeTestFolder('plans');
  const path = join(folder, 'plans.sqlite');
  const store = await openSqlite(path, { random: systemRandom });
  await migrate(store, systemClock);
  await store.close();
  const db = new DatabaseSync(path, { readOnly: true });
  t.after(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });
  return db;
}

test('no statement of the server scans a growing table', async (t) => {
  const db = await migrated(t);
  const whole: SourceStatement[] = [];
  const faults = findSourceStatements('sqlite').flatMap(({ file, sql }) => {
    let tables: string[];
    try {
      tables = scannedTables(db, sql);
    } catch (fault) {
      // The beginning of a statement that multi-row-statement.ts completes, or an English sentence.
      assert.match(String(fault), /incomplete input|syntax error/, sql);
      return [];
    }
    whole.push({ file, sql });
    return tables.map((table) => `${file} scans ${table}: ${sql.replaceAll(/\s+/g, ' ').slice(0, 120)}`);
  });
  assert.deepEqual(faults, []);
  assert.ok(whole.length > 120, `only ${whole.length} statements were found`);
});

test('a statement that scans all deliveries is detected', async (t) => {
  const db = await migrated(t);
  const sql = "select d.id from delivery d where d.status = 'sending' order by d.id limit ?";
  assert.deepEqual(scannedTables(db, sql), ['delivery']);
});

test('a sign-in reads no active session when it deletes expired ones', async (t) => {
  const db = await migrated(t);
  const [clearing] = findSourceStatements('sqlite').filter(({ sql }) =>
    /^delete from oauth_record\b.*CitizenSession/s.test(sql),
  );
  const found = planOf(db, clearing?.sql ?? '').filter((step) => step.includes('expires_at'));
  assert.deepEqual(found, ['SEARCH oauth_record USING INDEX oauth_record_session (model=? AND expires_at<?)']);
});

test('a page of a list begins where the previous one ended', async (t) => {
  const db = await migrated(t);
  const ways: string[] = [];
  const read: Read = async (sql) => {
    ways.push(...planOf(db, sql));
    return [];
  };
  const none = { from: undefined, before: undefined, position: undefined };
  const status = 'undeliverable';
  const some = [{ status }, { citizenId: 'c' }, { reference: 'r' }, { reference: 'r', status }] as const;
  for (const filter of [{}, ...some, { reference: 'r', citizenId: 'c', status }] as const) {
    const all = { reference: undefined, citizenId: undefined, status: undefined };
    await findNotificationPage(read, { clientId: 'x', ...none, ...all, ...filter }, 25);
    ways.push('then');
  }
  await dueForErasure(read, { now: 1, limit: 1 });
  // The search is the same for each status, and only in an index.
  const looks = ways.filter((way) => way === 'then' || way.startsWith('SEARCH'));
  const steps = looks.filter((way, at) => way !== looks[at - 1] && way !== 'then');
  const older = 'created_at>? AND (created_at,id)<(?,?))';
  const byId = 'SEARCH notification USING INDEX sqlite_autoindex_notification_1 (id=?)';
  const covered = 'SEARCH notification USING COVERING INDEX';
  const ofClient = `${covered} notification_of_client_by_status (client_id=? AND status=? AND (created_at,id)<(?,?))`;
  const ofReference = `${covered} notification_by_reference_and_status (client_id=? AND reference=? AND status=? AND (created_at,id)<(?,?))`;
  const ofCitizen = `SEARCH notification USING INDEX notification_of_citizen (citizen_id=? AND ${older}`;
  assert.deepEqual(steps, [
    ...[byId, ofClient, byId, ofClient],
    ofCitizen,
    ...[byId, ofReference, byId, ofReference],
    ofCitizen,
    'SEARCH document USING INDEX document_to_erase ((erasure_due_at,id)>(?,?) AND erasure_due_at<?)',
  ]);
});
