import { statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../cli/command.ts';
import { type DoctorFinding, type DoctorFindings, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { formatSeconds } from '../../cli/progress.ts';
import { createDatabaseClock, maxClockSkewMs } from '../../db/database-clock.ts';
import { databaseFile } from '../../db/open-database.ts';
import { lockHolderPid, type ReadOnlyDatabase } from '../../db/open-read-only.ts';
import { isCheckedAtStart, quickCheckSql } from '../../db/sqlite/quick-check.ts';
import { nextClockState, readClockState } from '../../jobs/clock-check.ts';
import {
  CheckFailed,
  type DoctorContext,
  formatMebibytes,
  openMigratedDatabase,
  openReadableDatabase,
} from './doctor-context.ts';

/** Checks that the database answers and is not damaged, and the state of its schema. */
export async function checkDatabase(context: DoctorContext): Promise<DoctorFinding> {
  const { dataDir } = context.settings;
  const db = await context.database();
  if (db === undefined) return warnFinding(`no database in ${dataDir} yet`, 'run `citizen-services keys create`');
  const description = db.engine === 'sqlite' ? describeFile(dataDir) : await describeServer(db);
  if (db.engine === 'sqlite') {
    const damage = await findDamage(db, dataDir);
    if (damage !== undefined) return damage;
  } else await (await import('../../db/postgres/open-postgres.ts')).requireByteCollation(db.read);
  const schema = await readSchema(context);
  if (schema === undefined || schema.pending.length === 0) return okFinding(description);
  if (!schema.isInitialized) return await checkEmptyDatabase(db, description);
  return warnFinding(
    `${description}, from an earlier version: the next start applies ${schema.pending.join(', ')}`,
    'create a backup first: you cannot undo the migration. Doctor checks the content after the migration',
  );
}

async function readSchema(context: DoctorContext) {
  try {
    return await context.schema();
  } catch (cause) {
    if (!messageOf(cause).includes('PostgreSQL 42501')) throw cause;
    const fix = 'make the role in DATABASE_URL the owner of the tables: docs/operate/backup.md#restore';
    throw new CheckFailed(`${messageOf(cause)}; ${fix}`, { cause });
  }
}

async function checkEmptyDatabase(db: ReadOnlyDatabase, description: string): Promise<DoctorFinding> {
  if (db.engine === 'postgres') {
    const [row] = await db.read("select has_schema_privilege(current_schema(), 'create') as can_create");
    if (row?.['can_create'] !== true)
      return faultFinding(`${description}: this role cannot create tables`, 'make it the owner of the database');
  }
  return warnFinding(
    `${description}, empty`,
    'run `citizen-services keys create`, or correct the settings if this is the wrong database',
  );
}

/** The damage for which a start would refuse the file. A large file is not read. */
async function findDamage({ read }: ReadOnlyDatabase, dataDir: string): Promise<DoctorFinding | undefined> {
  if (!isCheckedAtStart(join(dataDir, databaseFile))) return undefined;
  const [row] = await read(quickCheckSql);
  const result = String(row?.['quick_check']);
  return result === 'ok' ? undefined : faultFinding(`the file is damaged: ${result}`, 'restore the newest backup');
}

function describeFile(dataDir: string): string {
  const path = join(dataDir, databaseFile);
  const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const pid = lockHolderPid(dataDir);
  const size = formatMebibytes(sizes.reduce((sum, bytes) => sum + bytes, 0));
  return `SQLite, ${size}, ${pid === undefined ? 'not open in any process' : `open in process ${pid}`}`;
}

async function describeServer({ read }: ReadOnlyDatabase): Promise<string> {
  const [row] = await read(
    "select current_setting('server_version') as version, pg_database_size(current_database()) as bytes",
  );
  return `PostgreSQL ${String(row?.['version']).split(' ')[0]}, ${formatMebibytes(Number(row?.['bytes']))}`;
}

/** The oldest version that the tests use. */
const minVersion = 15;

/** Checks the durability of a PostgreSQL server, its version, and the connection to it. */
export async function checkPostgres(context: DoctorContext): Promise<DoctorFindings> {
  const db = await openReadableDatabase(context);
  if (db?.engine !== 'postgres') return undefined;
  const [row] = await db.read(
    `select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
      current_setting('server_version') as version, pg_is_in_recovery() as standby, host(inet_server_addr()) as address,
      (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as encrypted`,
  );
  const findings: DoctorFinding[] = unencryptedWarning(String(row?.['address'] ?? ''), row?.['encrypted'] === true);
  if (row?.['standby'] === true)
    findings.push(
      faultFinding('this server is a standby, and a standby refuses writes', 'set DATABASE_URL to the primary'),
    );
  for (const setting of ['fsync', 'full_page_writes']) {
    const found = `${setting} is ${row?.[setting]}: a power failure can destroy the database`;
    if (row?.[setting] !== 'on') findings.push(faultFinding(found, `set ${setting} = on in postgresql.conf`));
  }
  const version = Number.parseInt(String(row?.['version']), 10);
  if (version < minVersion)
    findings.push(warnFinding(`version ${version} is not tested`, `upgrade to PostgreSQL ${minVersion} or newer`));
  findings.push(...(await replicationFindings(db)));
  return findings.length > 0 ? findings : okFinding(`version ${version}; fsync and full_page_writes are on`);
}

/** A commit normally waits for milliseconds. */
const maxSyncWaitSeconds = 5;
const availabilityPage = 'docs/operate/postgresql.md#high-availability';

/** Reports what a failover to a standby would lose, and commits that wait for a standby without end. */
async function replicationFindings({ read }: ReadOnlyDatabase): Promise<DoctorFinding[]> {
  // A role without pg_read_all_stats sees the number of standbys only, which is enough here.
  const [row] = await read(
    `select current_setting('synchronous_standby_names') as synchronous, current_setting('synchronous_commit') as mode,
      (select count(*) from pg_stat_replication where state is distinct from 'backup') as standbys,
      (select count(*) from pg_stat_activity where wait_event = 'SyncRep') as waiting,
      (select coalesce(max(cast(extract(epoch from clock_timestamp() - state_change) as bigint)), 0)
        from pg_stat_activity where wait_event = 'SyncRep') as seconds`,
  );
  const [standbys, waiting, seconds] = [Number(row?.['standbys']), Number(row?.['waiting']), Number(row?.['seconds'])];
  const isSynchronous = row?.['synchronous'] !== '';
  const findings: DoctorFinding[] = [];
  if (standbys > 0 && !isSynchronous)
    findings.push(
      warnFinding(
        `none of the ${standbys} standbys is synchronous: a failover loses the last requests that received a success response`,
        `set synchronous_standby_names on the primary: ${availabilityPage}`,
      ),
    );
  // Sessions that write turn synchronous_commit on where it is off. They keep other values.
  if (isSynchronous && row?.['mode'] === 'local')
    findings.push(
      warnFinding(
        'synchronous_commit is local: no commit waits for the synchronous standby',
        'set synchronous_commit = on in postgresql.conf',
      ),
    );
  if (waiting > 0 && seconds >= maxSyncWaitSeconds)
    findings.push(
      faultFinding(
        `${waiting} commits wait for a synchronous standby, the oldest for ${formatSeconds(seconds)}: nothing is stored`,
        `start the standby, or remove it from synchronous_standby_names: ${availabilityPage}`,
      ),
    );
  return findings;
}

/** A warning if the connection to a server on another machine has no TLS. The address is empty for a Unix socket. */
export function unencryptedWarning(address: string, isEncrypted: boolean): DoctorFinding[] {
  if (isEncrypted || address === '' || /^(?:127\.|::1$)/.test(address)) return [];
  const found = `the connection to ${address} is not encrypted`;
  return [warnFinding(found, 'add sslmode=verify-full to DATABASE_URL: docs/operate/postgresql.md#connect')];
}

/** Compares the clock of this machine with that of PostgreSQL and with the time of the last server. */
export async function checkClock(context: DoctorContext): Promise<DoctorFindings> {
  const db = await openReadableDatabase(context);
  if (db === undefined) return undefined;
  const { measureSkewMs } = await createDatabaseClock({ db, clock: context.clock });
  const skewMs = await measureSkewMs();
  const skew = `${formatSeconds(Math.abs(skewMs) / 1_000)} from the clock of PostgreSQL`;
  if (Math.abs(skewMs) > maxClockSkewMs) return warnFinding(skew, clockFix);
  const state = (await openMigratedDatabase(context)) && (await readClockState(db.read));
  const now = context.clock.now() - skewMs;
  const lateMs = (state?.seenAt ?? now) - now;
  if (lateMs > maxClockSkewMs)
    return warnFinding(
      `the clock is ${formatSeconds(lateMs / 1_000)} earlier than the time of the last server`,
      clockFix,
    );
  if (nextClockState(state, now).jump !== undefined)
    return warnFinding(
      'the clock jumped ahead by more than a day, or no server ran: deletion is paused for a day',
      'correct the clock, or run `citizen-services clock confirm`',
    );
  return okFinding(db.engine === 'postgres' ? skew : 'not earlier than the time of the last server');
}

/** The fix for a wrong clock. */
export const clockFix = 'check that NTP synchronises the clocks, for example with chrony';
