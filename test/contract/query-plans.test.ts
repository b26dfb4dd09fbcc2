import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { migrate } from '../../src/store/migrations.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { makeTestFolder } from '../test-folder.ts';

// A read of SQLite holds up the event loop, and some are made each second: none may look at every row of a table that grows
// with the citizens or with what is done for them. Which index is taken is asked of SQLite, for each statement in the source.

const source = join(import.meta.dirname, '../../src');

/** Tables that stay small however long a server runs. */
const small = new Set(
  'client endpoint ledger_checkpoint ledger_head match_policy register_frequency retention_class schema_migration signing_key webhook webhook_host'.split(
    ' ',
  ),
);
/** What reads everything because that is what it is for, in a process of its own. */
const readsAll = /^(?:cli\/|documents\/verify-documents\.ts)/;

type Found = { readonly file: string; readonly sql: string };

/** The statements that stand in the source as texts; those made of parts are taken where only their columns are. */
function statements(): Found[] {
  const text = /`\s*((?:select|with|insert|update|delete)\b[^`]*)`|(['"])((?:select|with|insert|update|delete) .*?)\2/g;
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !readsAll.test(file))
    .flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(text)].map(([, long, , short]) => ({
        file,
        sql: (long ?? short ?? '').replaceAll(/select \$\{[^}]*\}/g, 'select *').replaceAll(/\$\d+/g, '?'),
      })),
    )
    .filter(({ sql }) => /\b(?:from|into|update)\s+[a-z_]+/.test(sql) && !sql.includes('${'));
}

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
      if (isTable.get(table) === undefined || small.has(table) || isPartial.get(index) !== undefined) return [];
      // The first rows of a table, whatever they are, are found at once.
      return /\blimit\b/.test(sql) && !/\bwhere\b/.test(sql) ? [] : [table];
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
  const whole: Found[] = [];
  const faults = statements().flatMap(({ file, sql }) => {
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
