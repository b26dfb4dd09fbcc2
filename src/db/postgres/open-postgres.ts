import type { RandomBytes } from '../../kernel/clock.ts';
import { type Database, type SqlValue, WriteBusy } from '../database.ts';
import { createGroupCommit, type PendingUnit } from '../group-commit.ts';
import { createStatementTexts, validateStatement } from '../statement-texts.ts';
import { createLockedTables } from './locked-tables.ts';
import { createPostgresCommitter } from './postgres-committer.ts';
import { connectPostgres, type PostgresConnectionOptions } from './postgres-connection.ts';
import { createReadPool } from './read-pool.ts';

export type PostgresOptions = {
  readonly random: RandomBytes;
  /** A statement is given up after so long; the default is 30 s. */
  readonly statementTimeoutMs?: number;
};

const writerCount = 3;
const maxBatchUnits = 64;
const lockTimeoutMs = 10_000;
const replyGraceMs = 10_000;

/** Opens the database at a `postgres://` URL, which must be in UTF-8 and sort by bytes (`lc_collate 'C'`). */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Database> {
  const { statementTimeoutMs = 30_000, random } = options;
  const texts = createStatementTexts();
  const timeouts = `${disableSessionTimeoutsSql}; set statement_timeout = ${statementTimeoutMs}; set idle_in_transaction_session_timeout = ${statementTimeoutMs}; set lock_timeout = ${lockTimeoutMs}`;
  const session = (setup: string): PostgresConnectionOptions => ({
    url,
    texts,
    setup: `${requirePrimarySql}; ${timeouts}; ${setup}`,
    deadlineMs: statementTimeoutMs + replyGraceMs,
  });
  const writer = () => connectPostgres(session(writerSetup));
  const locked = createLockedTables();
  const committers = Array.from({ length: writerCount }, () =>
    createPostgresCommitter(writer, { locked, divert: divertLocked }),
  );
  const commits = createGroupCommit({ committers, maxBatchUnits, texts, random });
  const probeCommitter = createPostgresCommitter(writer, { locked, divert: (units) => units });
  const probes = createGroupCommit({ committers: [probeCommitter], maxBatchUnits, texts, random });
  const readers = createReadPool((more) => connectPostgres(session(`set default_transaction_read_only = on; ${more}`)));

  function divertLocked(units: readonly PendingUnit[]): readonly PendingUnit[] {
    if (locked.isEmpty()) return units;
    return units.filter(({ unit, resolve, reject }) => {
      const touched = unit.map(({ sql }) => sql);
      if (!locked.includesAny(touched)) return true;
      const ways = { probe: () => probes.write(unit), usual: () => commits.write(unit), fault: lockedTableError };
      locked.probeOrWait(touched, ways).then(resolve, reject);
      return false;
    });
  }

  const read = async (sql: string, args?: readonly SqlValue[]) => {
    const fault = validateStatement({ sql, args: args ?? [] }, texts(sql));
    if (fault !== undefined) throw new TypeError(fault);
    return readers.read(sql, args);
  };
  await requireByteCollation(read).catch(async (fault) => {
    await readers.close();
    throw fault;
  });
  let closing: Promise<void> | undefined;
  return {
    engine: 'postgres',
    write: commits.write,
    read,
    close: () => {
      closing ??= commits.close().then(async () => {
        await probes.close();
        await Promise.all([...[...committers, probeCommitter].map((lane) => lane.close()), readers.close()]);
      });
      return closing;
    },
  };
}

// A name that leads to a primary may lead to its standby as well, or by mistake: what is read there is as old as it likes.
const requirePrimarySql = `do $$ begin
  if pg_is_in_recovery() then
    raise exception using errcode = '25006',
      message = 'this server is a standby, which takes no writes and may be behind: name the primary in DATABASE_URL';
  end if;
end $$`;

// A session that the server ends for being idle, or for a transaction that lasts, may end under a write, which is then unknown.
// Each statement has its own time, and so has the pause between two. The second setting has come with PostgreSQL 17.
const disableSessionTimeoutsSql =
  "select set_config(name, '0', false) from pg_settings where name in ('idle_session_timeout', 'transaction_timeout')";

const lockedTableError = (table: string) =>
  new WriteBusy(`another session has locked ${table}, and a statement has just waited for it in vain`);

// Writes find their rows by an index, each one. The server keeps the plan of a prepared statement, and one that was made
// while a table was small would go through all of it until its statistics are renewed. Migrations plan anew (migrations.ts).
const indexPlansOnlySql =
  'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set jit = off';
// A commit must mean synced, also where the server's default is otherwise; a stricter default stays.
const writerSetup = `${indexPlansOnlySql};
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** Refuses a database that does not sort by bytes in UTF-8. */
export async function requireByteCollation(read: Database['read']): Promise<void> {
  const [row] = await read(
    `select 'B' < 'a' and 'a b' < 'ab' and 'z' < 'é' as by_bytes, current_setting('server_encoding') as encoding`,
  );
  if (row?.['by_bytes'] !== true || row['encoding'] !== 'UTF8') {
    throw new Error(
      "the database does not sort by bytes in UTF-8, as both engines must alike: create it with `create database NAME encoding 'UTF8' lc_collate 'C' lc_ctype 'C' template template0`",
    );
  }
}
