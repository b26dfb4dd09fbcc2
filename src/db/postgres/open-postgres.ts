import type { RandomBytes } from '../../kernel/clock.ts';
import { type Database, DatabaseUnusable, type Read, WriteBusy } from '../database.ts';
import { createGroupCommit, type PendingUnit } from '../group-commit.ts';
import { createStatementTexts, validateStatement } from '../statement-texts.ts';
import { createLockedTables } from './locked-tables.ts';
import { createPostgresCommitter } from './postgres-committer.ts';
import { createPostgresConnector, type PostgresSession } from './postgres-connection.ts';
import { createReadPool } from './read-pool.ts';

type PostgresOptions = {
  readonly random: RandomBytes;
  /** The server cancels a statement after this time. Default: 30 s. */
  readonly statementTimeoutMs?: number;
};

const writerCount = 3;
const maxBatchUnits = 64;
const lockTimeoutMs = 10_000;
const replyGraceMs = 10_000;

/**
 * Opens the database at a `postgres://` URL. If it names several hosts, each connection goes to the first one that is a primary;
 * after a failover, the lost connections open again at the new one. The database must be encoded in UTF-8 and sort by bytes (`lc_collate 'C'`).
 */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Database> {
  const { statementTimeoutMs = 30_000, random } = options;
  const texts = createStatementTexts();
  const timeouts = `${disableSessionTimeoutsSql}; set statement_timeout = ${statementTimeoutMs}; set idle_in_transaction_session_timeout = ${statementTimeoutMs}; set lock_timeout = ${lockTimeoutMs}`;
  const connect = createPostgresConnector(url);
  const session = (setup: string): PostgresSession => ({
    texts,
    setup: `${requirePrimarySql}; ${timeouts}; ${setup}`,
    deadlineMs: statementTimeoutMs + replyGraceMs,
  });
  const writer = () => connect(session(writerSetup));
  const locked = createLockedTables();
  const committers = Array.from({ length: writerCount }, () =>
    createPostgresCommitter(writer, { locked, divert: divertLocked }),
  );
  const commits = createGroupCommit({ committers, maxBatchUnits, texts, random });
  const probeCommitter = createPostgresCommitter(writer, { locked, divert: (units) => units });
  const probes = createGroupCommit({ committers: [probeCommitter], maxBatchUnits, texts, random });
  const readers = createReadPool((setup) => connect(session(`set default_transaction_read_only = on; ${setup}`)));

  function divertLocked(units: readonly PendingUnit[]): readonly PendingUnit[] {
    return units.filter(({ unit, resolve, reject }) => {
      const texts = unit.map(({ sql }) => sql);
      if (!locked.includesAny(texts)) return true;
      const actions = { probe: () => probes.write(unit), usual: () => commits.write(unit), fault: lockedTableError };
      locked.probeOrWait(texts, actions).then(resolve, reject);
      return false;
    });
  }

  const read: Read = async (sql, args = [], readOptions = {}) => {
    const fault = validateStatement({ sql, args }, texts(sql));
    if (fault !== undefined) throw new TypeError(fault);
    return readers.read(sql, args, readOptions);
  };
  await requireByteCollation(read).catch(async (error) => {
    await readers.close();
    throw error;
  });
  let closing: Promise<void> | undefined;
  return {
    engine: 'postgres',
    write: commits.write,
    read,
    close: () => {
      closing ??= commits.close().then(async () => {
        await probes.close();
        for (const committer of [...committers, probeCommitter]) await committer.close();
        await readers.close();
      });
      return closing;
    },
  };
}

/** Fails on a standby. `DATABASE_URL` may name one by mistake or after a failover, and its rows may be old. */
export const requirePrimarySql = `do $$ begin
  if pg_is_in_recovery() then
    raise exception using errcode = '25006',
      message = 'this server is a standby, whose rows may be old: name the primary in DATABASE_URL';
  end if;
end $$`;

// If the server ends a session for these timeouts during a write, the outcome of the write is unknown. Each statement and each
// pause in a transaction has a timeout of its own. The second setting exists since PostgreSQL 17.
const disableSessionTimeoutsSql =
  "select set_config(name, '0', false) from pg_settings where name in ('idle_session_timeout', 'transaction_timeout')";

const lockedTableError = (table: string) =>
  new WriteBusy(`another session has locked ${table}, and another statement has just waited for it`);

// Every write finds its rows by an index. The server caches the plan of a prepared statement: a scan that it planned while the
// table was small would stay until the next `analyze`. Migrations may scan (migrate.ts).
const indexPlansOnlySql =
  'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set jit = off';
// A commit must be synced to disk, even if the server's default is off. A stricter default stays.
const writerSetup = `${indexPlansOnlySql};
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** Rejects a database that does not sort by bytes in UTF-8. */
export async function requireByteCollation(read: Database['read']): Promise<void> {
  const [row] = await read(
    `select 'B' < 'a' and 'a b' < 'ab' and 'z' < 'é' as by_bytes, current_setting('server_encoding') as encoding`,
  );
  if (row?.['by_bytes'] !== true || row['encoding'] !== 'UTF8') {
    throw new DatabaseUnusable(
      "the database does not sort by bytes in UTF-8, which both engines must do: create it with `create database NAME encoding 'UTF8' lc_collate 'C' lc_ctype 'C' template template0`",
    );
  }
}
