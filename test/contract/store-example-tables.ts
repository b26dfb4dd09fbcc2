import type { TestContext } from 'node:test';
import { batchInsert } from '../../src/db/batch-statements.ts';
import type { Database, SqlValue, Statement } from '../../src/db/database.ts';
import type { Engine } from '../support/database-engines.ts';

/** The statements that create the tables. */
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

const insertPersonRow = batchInsert('person', 'id, name, born, alive');
const insertLetterRow = batchInsert('letter', 'id, person_id');

/** Inserts a person. */
export function insertPerson(id: string, name = id, born: SqlValue = 0, alive: SqlValue = true): Statement {
  return insertPersonRow([id, name, born, alive]);
}

/** Inserts a letter to a person. */
export function insertLetter(id: string, personId: string): Statement {
  return insertLetterRow([id, personId]);
}
