import type { Random } from '../kernel/clock.ts';
import { type Db, type Value, WriteBusy } from './db.ts';
import { createGroupCommit, type Pending } from './group-commit.ts';
import { type ConnectionOptions, connect } from './postgres-connection.ts';
import { createLane } from './postgres-lane.ts';
import { createLockedTables } from './postgres-locked-tables.ts';
import { createReaders } from './postgres-readers.ts';
import { createTexts, faultOf } from './statement-texts.ts';

export type PostgresOptions = {
  readonly random: Random;
  /** A statement is given up after so long; the default is 30 s. */
  readonly statementTimeoutMs?: number;
};

const laneCount = 3;
const batchLimit = 64;
const lockTimeoutMs = 10_000;
const answerGraceMs = 10_000;

/** Opens the database at a `postgres://` URL, which must be in UTF-8 and sort by bytes (`lc_collate 'C'`). */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Db> {
  const { statementTimeoutMs = 30_000, random } = options;
  const texts = createTexts();
  const timeouts = `${neverEnded}; set statement_timeout = ${statementTimeoutMs}; set idle_in_transaction_session_timeout = ${statementTimeoutMs}; set lock_timeout = ${lockTimeoutMs}`;
  const session = (setup: string): ConnectionOptions => ({
    url,
    texts,
    setup: `${primaryOnly}; ${timeouts}; ${setup}`,
    deadlineMs: statementTimeoutMs + answerGraceMs,
  });
  const writer = () => connect(session(writerSetup));
  const locked = createLockedTables();
  const lanes = Array.from({ length: laneCount }, () => createLane(writer, { locked, divert: divertLocked }));
  const commits = createGroupCommit({ lanes, batchLimit, texts, random });
  const probeLane = createLane(writer, { locked, divert: (units) => units });
  const probes = createGroupCommit({ lanes: [probeLane], batchLimit, texts, random });
  const readers = createReaders((more) => connect(session(`set default_transaction_read_only = on; ${more}`)));

  function divertLocked(units: readonly Pending[]): readonly Pending[] {
    if (locked.isEmpty()) return units;
    return units.filter(({ unit, resolve, reject }) => {
      const touched = unit.map(({ sql }) => sql);
      if (!locked.holds(touched)) return true;
      const ways = { probe: () => probes.write(unit), usual: () => commits.write(unit), fault: busyTable };
      locked.through(touched, ways).then(resolve, reject);
      return false;
    });
  }

  const read = async (sql: string, args?: readonly Value[]) => {
    const fault = faultOf({ sql, args: args ?? [] }, texts(sql));
    if (fault !== undefined) throw new TypeError(fault);
    return readers.read(sql, args);
  };
  await refuseOtherCollation(read).catch(async (fault) => {
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
        await Promise.all([...[...lanes, probeLane].map((lane) => lane.close()), readers.close()]);
      });
      return closing;
    },
  };
}

// A name that leads to a primary may lead to its standby as well, or by mistake: what is read there is as old as it likes.
const primaryOnly = `do $$ begin
  if pg_is_in_recovery() then
    raise exception using errcode = '25006',
      message = 'this server is a standby, which takes no writes and may be behind: name the primary in DATABASE_URL';
  end if;
end $$`;

// A session that the server ends for being idle, or for a transaction that lasts, may end under a write, which is then unknown.
// Each statement has its own time, and so has the pause between two. The second setting has come with PostgreSQL 17.
const neverEnded =
  "select set_config(name, '0', false) from pg_settings where name in ('idle_session_timeout', 'transaction_timeout')";

const busyTable = (table: string) =>
  new WriteBusy(`another session has locked ${table}, and a statement has just waited for it in vain`);

// Writes find their rows by an index, each one. The server keeps the plan of a prepared statement, and one that was made
// while a table was small would go through all of it until its statistics are renewed. Migrations plan anew (migrations.ts).
const byIndex = 'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set jit = off';
// A commit must mean synced, also where the server's default is otherwise; a stricter default stays.
const writerSetup = `${byIndex};
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** Refuses a database that does not sort by bytes in UTF-8. */
export async function refuseOtherCollation(read: Db['read']): Promise<void> {
  const [row] = await read(
    `select 'B' < 'a' and 'a b' < 'ab' and 'z' < 'é' as by_bytes, current_setting('server_encoding') as encoding`,
  );
  if (row?.['by_bytes'] !== true || row['encoding'] !== 'UTF8') {
    throw new Error(
      "the database does not sort by bytes in UTF-8, as both engines must alike: create it with `create database NAME encoding 'UTF8' lc_collate 'C' lc_ctype 'C' template template0`",
    );
  }
}
