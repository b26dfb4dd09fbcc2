import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { type FoundStatement, smallTables, sourceStatements, takesAny } from '../source-statements.ts';
import { makeTestFolder } from '../test-folder.ts';

// A read of SQLite holds up the event loop, and some are made each second: none may look at every row of a table that grows
// with the citizens or with what is done for them. Which index is taken is asked of SQLite, for each statement in the source.

/** The tables that a plan looks through from end to end, without an index of only those rows that matter. */
function lookedThrough(db: DatabaseSync, sql: string): string[] {
  const tables = new Map<string, string>();
  for (const [, table = '', alias] of sql.matchAll(
    /(?:from|join|update|into)\s+([a-z_]+)(?:\s+(?:as\s+)?([a-z]+)\b)?/g,
  )) {
    tables.set(table, table);
    if (alias !== undefined) tables.set(alias, table);
  }
  const isPartial = db.prepare(
    "select 1 from sqlite_master where type = 'index' and name = ? and sql like '% where %'",
  );
  const isTable = db.prepare("select 1 from sqlite_master where type = 'table' and name = ?");
  return db
    .prepare(`explain query plan ${sql}`)
    .all()
    .flatMap(({ detail }) => {
      const [, name = '', index = ''] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(String(detail)) ?? [];
      const table = tables.get(name) ?? name;
      if (isTable.get(table) === undefined || smallTables.has(table) || isPartial.get(index) !== undefined) return [];
      return takesAny(sql) ? [] : [table];
    });
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

test('no statement of the server looks through a table that grows', async (t) => {
  const db = await migrated(t);
  const whole: FoundStatement[] = [];
  const faults = sourceStatements().flatMap(({ file, sql: text }) => {
    const sql = text.replaceAll(/\$\d+/g, '?');
    let tables: string[];
    try {
      tables = lookedThrough(db, sql);
    } catch (fault) {
      // The beginning of a statement of many rows, whose rest is made by multi-row.ts, or an English sentence.
      assert.match(String(fault), /incomplete input|syntax error/, sql);
      return [];
    }
    whole.push({ file, sql });
    return tables.map((table) => `${file} looks through ${table}: ${sql.replaceAll(/\s+/g, ' ').slice(0, 120)}`);
  });
  assert.deepEqual(faults, []);
  assert.ok(whole.length > 120, `only ${whole.length} statements were found`);
});

test('a statement that looks through every delivery is seen', async (t) => {
  const db = await migrated(t);
  const sql = "select d.id from delivery d where d.status = 'sending' order by d.id limit ?";
  assert.deepEqual(lookedThrough(db, sql), ['delivery']);
});
