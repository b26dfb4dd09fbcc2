import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { type Db, type Statement, WriteBusy, WriteRefused } from './db.ts';

/** One file of the folder: `0001-ledger.sql` is number 1 with the name `ledger`. */
type Migration = {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly statements: readonly string[];
};

/** The folder of the migrations of this program. */
export const migrationsFolder: string = join(import.meta.dirname, 'migrations');

/** 0127 held what 0129 does as well for a day: a database that has it with this checksum has both. */
const joined = {
  as: 127,
  of: [127, 129],
  checksum: '40e204174d5ccfe65da06be3bc098d4377fd38913bad8a78ebceb7a1ee88d711',
};

const triesAgainstOthers = 600;
const pauseBetweenTriesMs = 100;

/** A file that is about to be applied to a database that has been in use: the `number`-th of `total`. */
export type Step = { readonly file: string; readonly number: number; readonly total: number };

export type MigrateOptions = {
  readonly folder?: string;
  /** Told before each file; nobody is served until the last of them is done. */
  readonly onStep?: ((step: Step) => void) | undefined;
};

/**
 * Brings the schema up to this program, one file a unit, and gives the names of the files it applied. Several processes
 * may do so at once: one of them stores a number, the others see that and go on. Refuses a file that was changed after
 * it was applied, and a database that a newer program has migrated.
 */
export async function migrate(db: Db, clock: Clock, options: MigrateOptions = {}): Promise<string[]> {
  const { folder = migrationsFolder, onStep } = options;
  const migrations = await readMigrations(folder);
  const applied: string[] = [];
  let because = '';
  for (let tries = 0; tries < triesAgainstOthers; tries += 1) {
    try {
      const stored = await storedChecksums(db, migrations);
      refuseWhatDoesNotFit(migrations, stored);
      const pending = migrations.filter(({ number }) => !stored.has(number));
      for (const [at, migration] of pending.entries()) {
        if (stored.size > 0) onStep?.({ file: fileName(migration), number: at + 1, total: pending.length });
        await apply(db, migration, clock);
        applied.push(fileName(migration));
      }
      return applied;
    } catch (error) {
      if (!(error instanceof AnotherProcess) && !(error instanceof WriteBusy)) throw error;
      because = error.message;
      await pause(pauseBetweenTriesMs);
    }
  }
  throw new Error(`this database cannot be migrated for a minute: ${because}; look at it before you start again`);
}

/** What is known of a schema without touching it. */
export type SchemaState = {
  /** Whether a program has migrated this database before. */
  readonly isBegun: boolean;
  /** The files that the next start applies. */
  readonly pending: readonly string[];
};

/** Looks how far the schema is, and writes nothing. Throws what `migrate` refuses. */
export async function lookAtSchema(
  { engine, read }: Pick<Db, 'engine' | 'read'>,
  folder = migrationsFolder,
): Promise<SchemaState> {
  const migrations = await readMigrations(folder);
  const isBegun = await isMigrated({ engine, read });
  const stored = isBegun ? await readChecksums(read, migrations) : new Map<number, string>();
  refuseWhatDoesNotFit(migrations, stored);
  return { isBegun, pending: migrations.filter(({ number }) => !stored.has(number)).map(fileName) };
}

/** Whether a program has migrated this database before; writes nothing. */
export async function isMigrated({ engine, read }: Pick<Db, 'engine' | 'read'>): Promise<boolean> {
  const table =
    engine === 'sqlite'
      ? "select name from sqlite_master where name = 'schema_migration'"
      : "select 1 as name where to_regclass('schema_migration') is not null";
  return (await read(table)).length > 0;
}

/** Another process stored the same number in the meantime. */
class AnotherProcess extends Error {
  constructor() {
    super('another process migrates it and does not finish');
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const migrations: Migration[] = [];
  for (const file of files) {
    const [, digits = '', name = ''] = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(file) ?? [];
    const number = Number(digits);
    if (number <= (migrations.at(-1)?.number ?? 0)) {
      throw new Error(`migration ${file} in ${folder} needs a number of its own above 0, as NNNN-name.sql`);
    }
    const text = await readFile(join(folder, file), 'utf8');
    const checksum = createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
    migrations.push({ number, name, checksum, statements: splitStatements(text) });
  }
  return migrations;
}

/** The statements of a file: a semicolon at the end of a line ends one; lines that start with `--` are left out. */
export function splitStatements(text: string): string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => !line.trimStart().startsWith('--'))
    .join('\n')
    .split(/;[ \t]*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

const createTable = `create table if not exists schema_migration (
  number bigint not null primary key check (number between 1 and 9999),
  name text not null,
  checksum text not null,
  applied_at bigint not null check (applied_at between 0 and 9007199254740991)
)`;

// Two processes that create the same table at once: PostgreSQL refuses one, in spite of `if not exists`.
const madeByAnother = /^PostgreSQL (?:23505|42P07|42710)\b/;

async function storedChecksums(db: Db, migrations: readonly Migration[]): Promise<Map<number, string>> {
  try {
    await db.write([{ sql: createTable }]);
  } catch (error) {
    if (!(error instanceof WriteRefused) || db.engine !== 'postgres') throw error;
    if (madeByAnother.test(error.message)) throw new AnotherProcess();
    throw new Error(
      `the tables cannot be made: ${error.message}; let the role in DATABASE_URL own the database and its schema`,
      { cause: error },
    );
  }
  return readChecksums(db.read, migrations);
}

async function readChecksums(read: Db['read'], migrations: readonly Migration[]): Promise<Map<number, string>> {
  const rows = await read('select number, checksum from schema_migration order by number');
  const stored = new Map(rows.map((row) => [Number(row['number']), String(row['checksum'])]));
  if (stored.get(joined.as) === joined.checksum) {
    for (const { number, checksum } of migrations) if (joined.of.includes(number)) stored.set(number, checksum);
  }
  return stored;
}

function refuseWhatDoesNotFit(migrations: readonly Migration[], stored: ReadonlyMap<number, string>): void {
  const highestStored = Math.max(0, ...stored.keys());
  const highestKnown = migrations.at(-1)?.number ?? 0;
  if (highestStored > highestKnown) {
    throw new Error(
      `a newer program has migrated this database to ${highestStored}, and this one knows ${highestKnown}: start the newer program, or restore the backup from before the upgrade`,
    );
  }
  for (const migration of migrations) {
    const checksum = stored.get(migration.number);
    if (checksum === undefined && migration.number < highestStored) {
      throw new Error(
        `migration ${fileName(migration)} comes before ${highestStored}, which this database already has: give it a number above`,
      );
    }
    if (checksum !== undefined && checksum !== migration.checksum) {
      throw new Error(
        `migration ${fileName(migration)} was changed after it was applied to this database: bring the file back as it was, and put the change into a new migration`,
      );
    }
  }
}

async function apply(db: Db, migration: Migration, clock: Clock): Promise<void> {
  const { number, name, checksum, statements } = migration;
  const claim: Statement = {
    sql: 'insert into schema_migration (number, name, checksum, applied_at) values ($1, $2, $3, $4) /* spills */',
    args: [number, name, checksum, clock.now()],
  };
  const plans = db.engine === 'postgres' ? planFreely : [];
  try {
    await db.write([claim, ...plans, ...statementsFor(db, statements)]);
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error;
    if (error.statement === 0 && error.kind === 'unique') throw new AnotherProcess();
    const where = error.statement === 0 ? 'its row' : `statement ${error.statement - plans.length}`;
    throw new Error(`migration ${fileName(migration)} failed at ${where}: ${error.message}`, { cause: error });
  }
}

/** A migration may go through whole tables, which other writes may not (postgres.ts). */
const planFreely: readonly Statement[] = ['seqscan', 'hashjoin', 'mergejoin'].map((way) => ({
  sql: `set local enable_${way} = on`,
}));

/** How rows lie on disk is the engine's own business: a statement may be for one of them alone. */
function statementsFor({ engine }: Db, statements: readonly string[]): Statement[] {
  const others = engine === 'sqlite' ? '/* postgres */' : '/* sqlite */';
  return statements.filter((sql) => !sql.startsWith(others)).map((sql) => ({ sql }));
}

function fileName(migration: Migration): string {
  return `${String(migration.number).padStart(4, '0')}-${migration.name}.sql`;
}
