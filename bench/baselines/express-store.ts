import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { citizenAt, citizenCount } from '../citizens.ts';

/** The store of the Express baseline: an exact lookup, and an insert with its own commit. */
export type ExpressStore = {
  matchesClaims(claims: readonly string[]): Promise<boolean>;
  insert(row: readonly string[]): Promise<void>;
};

const tables = `
  create table citizen (citizen_id text primary key, given_name text, family_name text, birth_date text);
  create table notification (id text primary key, citizen_id text, subject text, message text, reference text,
    created_at text)`;
const selectMatch =
  'select 1 from citizen where citizen_id = $1 and given_name = $2 and family_name = $3 and birth_date = $4';
const insert =
  'insert into notification (id, citizen_id, subject, message, reference, created_at) values ($1, $2, $3, $4, $5, $6)';
const batchSize = 1_000;

/** Opens the empty database and inserts the bench register. */
export async function openExpressStore(database: { postgres: string } | { sqlite: string }): Promise<ExpressStore> {
  return 'postgres' in database ? await openPostgresStore(database.postgres) : openSqliteStore(database.sqlite);
}

async function openPostgresStore(url: string): Promise<ExpressStore> {
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  await pool.query(tables);
  for (let from = 0; from < citizenCount; from += batchSize) {
    const rows = rowsFrom(from);
    const values = rows.map((_, row) => `($${row * 4 + 1}, $${row * 4 + 2}, $${row * 4 + 3}, $${row * 4 + 4})`);
    await pool.query(`insert into citizen values ${values.join(', ')}`, rows.flat());
  }
  await pool.query('analyze citizen');
  return {
    matchesClaims: async (claims) => (await pool.query(selectMatch, [...claims])).rows.length === 1,
    insert: async (row) => {
      await pool.query(insert, [...row]);
    },
  };
}

function openSqliteStore(path: string): ExpressStore {
  const db = new DatabaseSync(path);
  db.exec(`pragma journal_mode = wal; pragma synchronous = full; ${tables}; begin`);
  const fill = db.prepare('insert into citizen values (?, ?, ?, ?)');
  for (let from = 0; from < citizenCount; from += batchSize) for (const row of rowsFrom(from)) fill.run(...row);
  db.exec('commit');
  const prepareStatement = (sql: string) => db.prepare(sql.replaceAll(/\$\d/g, '?'));
  const [lookup, add] = [prepareStatement(selectMatch), prepareStatement(insert)];
  return {
    matchesClaims: async (claims) => lookup.all(...claims).length === 1,
    insert: async (row) => {
      add.run(...row);
    },
  };
}

function rowsFrom(from: number): string[][] {
  return Array.from({ length: Math.min(batchSize, citizenCount - from) }, (_, row) => {
    const { citizenId, givenName, familyName, birthDate } = citizenAt(from + row);
    return [citizenId, givenName, familyName, birthDate];
  });
}
