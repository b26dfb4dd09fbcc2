import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { type Database, type Statement, WriteBusy, WriteRefused } from './database.ts';

/** One file of the folder: `0001-initial.sql` is number 1 with the name `initial`. */
type Migration = {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly statements: readonly MigrationStatement[];
};

/** A statement of a migration; `engine` if a directive limits it to one engine. */
type MigrationStatement = { readonly sql: string; readonly engine?: Database['engine'] };

/** The folder of the migrations of this program. */
export const migrationsFolder: string = join(import.meta.dirname, 'migrations');

const maxTries = 600;
const pauseBetweenTriesMs = 100;

/** A file that is about to be applied to an existing database; `number` counts from 1. */
export type MigrationProgress = { readonly file: string; readonly number: number; readonly total: number };

type MigrateOptions = {
  readonly folder?: string;
  /** Called before each file; the server answers no request until the last one is applied. */
  readonly onStep?: ((step: MigrationProgress) => void) | undefined;
  /** Called before the first file that changes an existing database. If it rejects, nothing is changed. */
  readonly mayChange?: ((read: Database['read']) => Promise<void>) | undefined;
};

/**
 * Applies the pending migrations, each file in a transaction of its own, and returns the names of the files that it applied.
 * Several processes may call it at once: one of them stores the number of a file, the others see that and continue. Rejects a
 * file that was changed after it was applied, and a database that a newer program has migrated.
 */
export async function migrate(db: Database, clock: Clock, options: MigrateOptions = {}): Promise<string[]> {
  const { folder = migrationsFolder, onStep, mayChange } = options;
  const migrations = await readMigrations(folder);
  const applied: string[] = [];
  let because = '';
  for (let tries = 0; tries < maxTries; tries += 1) {
    try {
      const stored = await prepareChecksums(db);
      refuseIncompatibleSchema(migrations, stored);
      const pending = migrations.filter(({ number }) => !stored.has(number));
      if (stored.size > 0 && pending.length > 0 && applied.length === 0) await mayChange?.(db.read);
      for (const [at, migration] of pending.entries()) {
        if (stored.size > 0) onStep?.({ file: fileName(migration), number: at + 1, total: pending.length });
        await apply(db, migration, clock);
        applied.push(fileName(migration));
      }
      return applied;
    } catch (error) {
      if (!(error instanceof MigratedByAnotherProcess) && !(error instanceof WriteBusy)) throw error;
      because = error.message;
      await pause(pauseBetweenTriesMs);
    }
  }
  throw new MigrationFailed(
    `the database could not be migrated for a minute: ${because}; check it before you start again`,
  );
}

/** The state of the schema, as far as it can be read without a write. */
export type SchemaState = {
  /** Whether a program has migrated this database before. */
  readonly isInitialized: boolean;
  /** The files that the next start applies. */
  readonly pending: readonly string[];
};

/** Reads the state of the schema and writes nothing. Rejects the same databases as `migrate`. */
export async function readSchemaState({ engine, read }: Pick<Database, 'engine' | 'read'>): Promise<SchemaState> {
  const migrations = await readMigrations(migrationsFolder);
  const isInitialized = await isMigrated({ engine, read });
  const stored = isInitialized ? await readChecksums(read) : new Map<number, string>();
  refuseIncompatibleSchema(migrations, stored);
  return { isInitialized, pending: migrations.filter(({ number }) => !stored.has(number)).map(fileName) };
}

/** Whether a program has migrated this database before. Writes nothing. */
export async function isMigrated({ engine, read }: Pick<Database, 'engine' | 'read'>): Promise<boolean> {
  const table =
    engine === 'sqlite'
      ? "select name from sqlite_master where name = 'schema_migration'"
      : "select 1 as name where to_regclass('schema_migration') is not null";
  return (await read(table)).length > 0;
}

/** A migration that cannot be read or applied, or a database that does not fit the migrations of this program. */
class MigrationFailed extends Error {
  override name = 'MigrationFailed';
}

/** Another process stored the same number in the meantime. */
class MigratedByAnotherProcess extends Error {
  constructor() {
    super('another process is migrating it and does not finish');
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const migrations: Migration[] = [];
  for (const file of files) {
    const [, digits = '', name = ''] = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(file) ?? [];
    const number = Number(digits);
    if (number <= (migrations.at(-1)?.number ?? 0)) {
      throw new MigrationFailed(`migration ${file} in ${folder} needs a number of its own above 0, as NNNN-name.sql`);
    }
    const text = await readFile(join(folder, file), 'utf8');
    const checksum = createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
    migrations.push({ number, name, checksum, statements: splitStatements(text) });
  }
  return migrations;
}

/**
 * The statements of a migration file. A semicolon at the end of a line ends a statement. Lines that start with `--` are
 * comments, except for the directive `-- engine: sqlite` or `-- engine: postgres`: only that engine runs the next statement.
 */
export function splitStatements(text: string): MigrationStatement[] {
  const statements: MigrationStatement[] = [];
  let lines: string[] = [];
  let engine: Database['engine'] | undefined;
  const endStatement = () => {
    const sql = lines.join('\n').trim();
    lines = [];
    if (sql === '') return;
    statements.push(engine === undefined ? { sql } : { sql, engine });
    engine = undefined;
  };
  for (const line of text.split(/\r?\n/)) {
    const directive = /^\s*-- *engine:(.*)$/.exec(line)?.[1];
    if (directive !== undefined) engine = engineNamed(directive.trim());
    if (line.trimStart().startsWith('--')) continue;
    lines.push(line.replace(/;[ \t]*$/, ''));
    if (/;[ \t]*$/.test(line)) endStatement();
  }
  endStatement();
  return statements;
}

function engineNamed(name: string): Database['engine'] {
  if (name === 'sqlite' || name === 'postgres') return name;
  throw new MigrationFailed(`expected "-- engine: sqlite" or "-- engine: postgres", received "-- engine: ${name}"`);
}

const createTable = `create table if not exists schema_migration (
  number bigint not null primary key check (number between 1 and 9999),
  name text not null,
  checksum text not null,
  applied_at bigint not null check (applied_at between 0 and 9007199254740991)
)`;

// When two processes create the same table at once, PostgreSQL rejects one of them, in spite of `if not exists`.
const alreadyExistsMessage = /^PostgreSQL (?:23505|42P07|42710)\b/;

async function prepareChecksums(db: Database): Promise<Map<number, string>> {
  try {
    await db.write([{ sql: createTable }]);
  } catch (error) {
    if (!(error instanceof WriteRefused) || db.engine !== 'postgres') throw error;
    if (alreadyExistsMessage.test(error.message)) throw new MigratedByAnotherProcess();
    throw new MigrationFailed(
      `the tables cannot be made: ${error.message}; let the role in DATABASE_URL own the database and its schema`,
      { cause: error },
    );
  }
  return readChecksums(db.read);
}

async function readChecksums(read: Database['read']): Promise<Map<number, string>> {
  const rows = await read('select number, checksum from schema_migration order by number');
  return new Map(rows.map((row) => [Number(row['number']), String(row['checksum'])]));
}

function refuseIncompatibleSchema(migrations: readonly Migration[], stored: ReadonlyMap<number, string>): void {
  const highestStored = Math.max(0, ...stored.keys());
  const highestKnown = migrations.at(-1)?.number ?? 0;
  if (highestStored > highestKnown) {
    throw new MigrationFailed(
      `a newer program has migrated this database to ${highestStored}, and this one knows ${highestKnown}: start the newer program, or restore the backup from before the upgrade`,
    );
  }
  for (const migration of migrations) {
    const checksum = stored.get(migration.number);
    if (checksum === undefined && migration.number < highestStored) {
      throw new MigrationFailed(
        `migration ${fileName(migration)} comes before ${highestStored}, which this database already has: give it a number above`,
      );
    }
    if (checksum !== undefined && checksum !== migration.checksum) {
      throw new MigrationFailed(
        `migration ${fileName(migration)} was changed after it was applied to this database: bring the file back as it was, and put the change into a new migration`,
      );
    }
  }
}

async function apply(db: Database, migration: Migration, clock: Clock): Promise<void> {
  const { number, name, checksum, statements } = migration;
  const claim: Statement = {
    sql: 'insert into schema_migration (number, name, checksum, applied_at) values ($1, $2, $3, $4)',
    args: [number, name, checksum, clock.now()],
    tempFiles: true,
  };
  const plans = db.engine === 'postgres' ? allowFullScans : [];
  try {
    await db.write([claim, ...plans, ...statementsForEngine(db, statements)]);
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error;
    if (error.statement === 0 && error.kind === 'unique') throw new MigratedByAnotherProcess();
    const where = error.statement === 0 ? 'its row' : `statement ${error.statement - plans.length}`;
    throw new MigrationFailed(`migration ${fileName(migration)} failed at ${where}: ${error.message}`, {
      cause: error,
    });
  }
}

/** A migration may scan whole tables, which other writes may not (postgres/open-postgres.ts). */
const allowFullScans: readonly Statement[] = ['seqscan', 'hashjoin', 'mergejoin'].map((way) => ({
  sql: `set local enable_${way} = on`,
}));

function statementsForEngine({ engine }: Database, statements: readonly MigrationStatement[]): Statement[] {
  return statements.filter((one) => one.engine === undefined || one.engine === engine).map(({ sql }) => ({ sql }));
}

function fileName(migration: Migration): string {
  return `${String(migration.number).padStart(4, '0')}-${migration.name}.sql`;
}
