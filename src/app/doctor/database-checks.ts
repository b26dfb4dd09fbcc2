import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type DoctorCheck, type DoctorFinding, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { createDatabaseClock, maxClockSkewMs } from '../../db/database-clock.ts';
import { databaseFile } from '../../db/open-database.ts';
import { lockHolderPid, type ReadOnlyDatabase } from '../../db/open-read-only.ts';
import { isCheckedAtStart, quickCheckSql } from '../../db/sqlite/quick-check.ts';
import { nextClockState, readClockState } from '../../jobs/clock-check.ts';
import {
  type DoctorContext,
  errorMessage,
  formatBytes,
  formatSeconds,
  openMigratedDatabase,
  splitFix,
} from './doctor-context.ts';

/** Checks that the database answers, the state of its schema, the durability of its server, and the clock. */
export function databaseChecks(context: DoctorContext): readonly DoctorCheck[] {
  const fix =
    context.settings.databaseUrl === undefined
      ? 'see docs/trouble.md#what-to-do-when'
      : 'check that PostgreSQL runs, and that DATABASE_URL has its host, database, user and password';
  return [
    { name: 'database', run: async () => [await checkDatabase(context)], onFailure: { is: 'fault', fix } },
    {
      name: 'database-server',
      run: async () => {
        const db = await readableDatabase(context);
        return db?.engine === 'postgres' ? await checkDurability(db) : [];
      },
      onFailure: { is: 'warn', fix: 'ask the operator of PostgreSQL' },
    },
    { name: 'clock', run: async () => await checkClock(context), onFailure: { is: 'warn', fix: clockFix } },
  ];
}

/** The database if it answers; otherwise the check `database` reports why. */
async function readableDatabase(context: DoctorContext): Promise<ReadOnlyDatabase | undefined> {
  try {
    const db = await context.database();
    await db?.read('select 1 as one');
    return db;
  } catch {
    return undefined;
  }
}

async function checkDatabase(context: DoctorContext): Promise<DoctorFinding> {
  const { dataDir } = context.settings;
  let db: ReadOnlyDatabase | undefined;
  try {
    db = await context.database();
  } catch (fault) {
    return faultFinding(...splitFix(errorMessage(fault), 'see docs/trouble.md#what-to-do-when'));
  }
  if (db === undefined) return warnFinding(`no database in ${dataDir} yet`, 'run `citizen-services keys create`');
  const description = db.engine === 'sqlite' ? describeFile(dataDir) : await describeServer(db);
  const damage = db.engine === 'sqlite' ? await findDamage(db, dataDir) : await findWrongCollation(db);
  return damage ?? (await checkSchema(db, context, description));
}

async function checkSchema(db: ReadOnlyDatabase, context: DoctorContext, description: string): Promise<DoctorFinding> {
  let schema: Awaited<ReturnType<DoctorContext['schema']>>;
  try {
    schema = await context.schema();
  } catch (fault) {
    const message = errorMessage(fault);
    if (message.includes('PostgreSQL 42501'))
      return faultFinding(message, 'make the role in DATABASE_URL the owner of the tables: docs/operating.md#restore');
    const [, found = message, fix = 'see docs/operating.md#upgrade'] =
      /^(.+?)(?:: )(start the newer.+|give it.+|bring the.+)$/.exec(message) ?? [];
    return faultFinding(found, fix);
  }
  if (schema === undefined || schema.pending.length === 0) return okFinding(description);
  if (!schema.isInitialized) return await checkEmptyDatabase(db, description);
  return warnFinding(
    `${description}, from an earlier version: the next start applies ${schema.pending.join(', ')}`,
    'make a backup first: the migration cannot be undone; until then the content is not checked',
  );
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

async function findWrongCollation({ read }: ReadOnlyDatabase): Promise<DoctorFinding | undefined> {
  const { requireByteCollation } = await import('../../db/postgres/open-postgres.ts');
  try {
    await requireByteCollation(read);
    return undefined;
  } catch (fault) {
    const [found = '', fix = 'see docs/operating.md#with-postgresql'] = errorMessage(fault).split(': ', 2);
    return faultFinding(found, fix);
  }
}

function describeFile(dataDir: string): string {
  const path = join(dataDir, databaseFile);
  const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const pid = lockHolderPid(dataDir);
  return `SQLite, ${formatBytes(bytes)}, ${pid === undefined ? 'not open in any process' : `open in process ${pid}`}`;
}

async function describeServer({ read }: ReadOnlyDatabase): Promise<string> {
  const [row] = await read(
    "select current_setting('server_version') as version, pg_database_size(current_database()) as bytes",
  );
  return `PostgreSQL ${String(row?.['version']).split(' ')[0]}, ${formatBytes(Number(row?.['bytes']))}`;
}

/** The oldest version that the tests use. */
const minVersion = 15;

async function checkDurability({ read }: ReadOnlyDatabase): Promise<readonly DoctorFinding[]> {
  const [row] = await read(
    `select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
      current_setting('server_version') as version, pg_is_in_recovery() as standby, host(inet_server_addr()) as address,
      (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as encrypted`,
  );
  const findings: DoctorFinding[] = unencryptedWarning(String(row?.['address'] ?? ''), row?.['encrypted'] === true);
  if (row?.['standby'] === true)
    findings.push(faultFinding('this server is a standby, which refuses writes', 'set DATABASE_URL to the primary'));
  for (const setting of ['fsync', 'full_page_writes'])
    if (row?.[setting] !== 'on')
      findings.push(
        faultFinding(
          `${setting} is ${row?.[setting]}: a power failure can destroy the database`,
          `set ${setting} = on in postgresql.conf`,
        ),
      );
  const version = Number.parseInt(String(row?.['version']), 10);
  if (version < minVersion)
    findings.push(warnFinding(`version ${version} is not tested`, `upgrade to PostgreSQL ${minVersion} or newer`));
  // Each session that writes turns synchronous_commit on, so the default of the server does not matter.
  return findings.length > 0 ? findings : [okFinding(`version ${version}; fsync and full_page_writes are on`)];
}

/** A warning if the connection to a server on another machine has no TLS. The address is empty for a Unix socket. */
export function unencryptedWarning(address: string, isEncrypted: boolean): DoctorFinding[] {
  if (isEncrypted || address === '' || /^(?:127\.|::1$)/.test(address)) return [];
  const found = `the connection to ${address} is not encrypted`;
  return [warnFinding(found, 'add sslmode=verify-full to DATABASE_URL: docs/operating.md#with-postgresql')];
}

const clockFix = 'check that NTP synchronises the clocks, for example with chrony';

async function checkClock(context: DoctorContext): Promise<readonly DoctorFinding[]> {
  const db = await readableDatabase(context);
  if (db === undefined) return [];
  const { measureSkewMs } = await createDatabaseClock({ db, clock: context.clock });
  const skewMs = await measureSkewMs();
  const skew = `${formatSeconds(Math.abs(skewMs) / 1_000)} from the clock of PostgreSQL`;
  if (Math.abs(skewMs) > maxClockSkewMs) return [warnFinding(skew, clockFix)];
  const state = (await openMigratedDatabase(context)) && (await readClockState(db.read));
  const now = context.clock.now() - skewMs;
  const lateMs = (state?.seenAt ?? now) - now;
  if (lateMs > maxClockSkewMs)
    return [
      warnFinding(`the clock is ${formatSeconds(lateMs / 1_000)} earlier than the time of the last server`, clockFix),
    ];
  if (nextClockState(state, now).jump !== undefined)
    return [
      warnFinding(
        'the clock jumped ahead by more than a day, or no server ran: deletion is paused for a day',
        'correct the clock, or run `citizen-services clock confirm`',
      ),
    ];
  return [okFinding(db.engine === 'postgres' ? skew : 'not earlier than the time of the last server')];
}
