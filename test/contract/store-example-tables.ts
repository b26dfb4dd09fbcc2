import type { TestContext } from 'node:test';
import type { Database, SqlValue, Statement } from '../../src/db/database.ts';
import type { Engine } from '../support/database-engines.ts';

/** The statements that make the tables. */
export const exampleTables = [
  `create table person (
    id text not null primary key,
    name text not null unique,
    born bigint check (born between 0 and 9007199254740991),
    alive boolean not null check (alive in (true, false))
  )`,
  'create table letter (id text not null primary key, person_id text not null references person (id), body bytea)',
];

/** A database with two small tables, one of which refers to the other. */
export async function openExampleDatabase(engine: Engine, t: TestContext): Promise<Database> {
  const db = await engine.open(t);
  await db.write(exampleTables.map((sql) => ({ sql })));
  return db;
}

/** Inserts a person. */
export function insertPerson(id: string, name = id, born: SqlValue = 0, alive: SqlValue = true): Statement {
  return { sql: 'insert into person (id, name, born, alive) values ($1, $2, $3, $4)', args: [id, name, born, alive] };
}

/** Inserts a letter to a person. */
export function insertLetter(id: string, personId: string): Statement {
  return { sql: 'insert into letter (id, person_id) values ($1, $2)', args: [id, personId] };
}
