import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type DoctorCheck, type DoctorFinding, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { maxClockSkewMs, measureClockSkewMs } from '../../db/database-clock.ts';
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

/** The database itself: whether it is there, how far its schema is, and what its server promises. */
export function databaseChecks(context: DoctorContext): readonly DoctorCheck[] {
  const fix =
    context.settings.databaseUrl === undefined
      ? 'see docs/trouble.md#what-to-do-when'
      : 'see that PostgreSQL runs, and that DATABASE_URL has its host, database, user and password';
  const ofServer = (
    name: string,
    look: (db: ReadOnlyDatabase) => Promise<readonly DoctorFinding[]>,
    more: string,
  ): DoctorCheck => ({
    name,
    run: async () => {
      const db = await readableDatabase(context);
      return db?.engine === 'postgres' ? await look(db) : [];
    },
    onFailure: { is: 'warn', fix: more },
  });
  return [
    { name: 'database', run: () => database(context), onFailure: { is: 'fault', fix } },
    ofServer('database-server', durability, 'ask whoever runs PostgreSQL'),
    ofServer('connections', connections, 'ask whoever runs PostgreSQL'),
    {
      name: 'clock',
      run: async () => await clock(context),
      onFailure: { is: 'warn', fix: 'see that the clock of this machine is kept, as by chrony' },
    },
  ];
}

/** The database where it answers; else the check `database` says why. */
async function readableDatabase(context: DoctorContext): Promise<ReadOnlyDatabase | undefined> {
  try {
    const db = await context.database();
    await db?.read('select 1 as one');
    return db;
  } catch {
    return undefined;
  }
}

async function database(context: DoctorContext): Promise<readonly DoctorFinding[]> {
  let db: ReadOnlyDatabase | undefined;
  try {
    db = await context.database();
  } catch (fault) {
    return [faultFinding(...splitFix(errorMessage(fault), 'see docs/trouble.md#what-to-do-when'))];
  }
  if (db === undefined)
    return [
      warnFinding(
        `no database in ${context.settings.dataDir} yet`,
        '`citizen-services keys create` makes it, with the keys',
      ),
    ];
  const where = db.engine === 'sqlite' ? describeFile(context.settings.dataDir) : await describeServer(db);
  if (db.engine === 'sqlite') {
    const broken = await findDamage(db, context.settings.dataDir);
    if (broken !== undefined) return [faultFinding(broken, 'restore the newest backup')];
  } else {
    try {
      const { requireByteCollation } = await import('../../db/postgres/open-postgres.ts');
      await requireByteCollation(db.read);
    } catch (fault) {
      const [found, fix] = errorMessage(fault).split(': ', 2);
      return [faultFinding(found ?? '', fix ?? '')];
    }
  }
  let schema: Awaited<ReturnType<DoctorContext['schema']>>;
  try {
    schema = await context.schema();
  } catch (fault) {
    if (/PostgreSQL 42501/.test(errorMessage(fault)))
      return [
        faultFinding(
          errorMessage(fault),
          'let the tables belong to the role in DATABASE_URL: docs/operating.md#restore',
        ),
      ];
    const [, found = errorMessage(fault), fix = 'see docs/operating.md#upgrade'] =
      /^(.+?)(?:: )(start the newer.+|give it.+|bring the.+)$/.exec(errorMessage(fault)) ?? [];
    return [faultFinding(found, fix)];
  }
  if (schema === undefined || schema.pending.length === 0) return [okFinding(where)];
  if (!schema.isInitialized) return await emptyDatabase(db, where);
  return [
    warnFinding(
      `${where}, of an earlier version: the next start applies ${schema.pending.join(', ')}`,
      'make a backup before: there is no way back; what lies in it is looked at behind that',
    ),
  ];
}

async function emptyDatabase(db: ReadOnlyDatabase, where: string): Promise<readonly DoctorFinding[]> {
  const [right] =
    db.engine === 'sqlite'
      ? [{ may: true }]
      : await db.read("select has_schema_privilege(current_schema(), 'create') as may, current_user as role");
  if (right?.may !== true)
    return [faultFinding(`${where}: this role may not make tables`, 'make it the owner of the database')];
  return [
    warnFinding(
      `${where}, empty`,
      '`citizen-services keys create` makes the tables and keys; else it is the wrong one',
    ),
  ];
}

/** Why a start would refuse the file; undefined where it would not, or the file is large. */
async function findDamage({ read }: ReadOnlyDatabase, dataDir: string): Promise<string | undefined> {
  if (!isCheckedAtStart(join(dataDir, databaseFile))) return undefined;
  const [row] = await read(quickCheckSql);
  const said = String(row?.['quick_check']);
  return said === 'ok' ? undefined : `the file is damaged: ${said}`;
}

function describeFile(dataDir: string): string {
  const path = join(dataDir, databaseFile);
  const bytes = [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  const holder = lockHolderPid(dataDir);
  const open = holder === undefined ? 'nobody has it open' : `process ${holder} has it open`;
  return `SQLite, ${formatBytes(bytes)}, ${open}`;
}

async function describeServer({ read }: ReadOnlyDatabase): Promise<string> {
  const [row] = await read(
    "select current_setting('server_version') as version, pg_database_size(current_database()) as bytes",
  );
  return `PostgreSQL ${String(row?.['version']).split(' ')[0]}, ${formatBytes(Number(row?.['bytes']))}`;
}

/** The oldest that the tests run against. */
const minVersion = 15;

async function durability({ read }: ReadOnlyDatabase): Promise<readonly DoctorFinding[]> {
  const [row] = await read(
    `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
      current_setting('synchronous_commit') as commits, current_setting('server_version') as version,
      pg_is_in_recovery() as standby, host(inet_server_addr()) as address,
      (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as encrypted`,
  );
  const found: DoctorFinding[] = unencryptedWarning(String(row?.['address'] ?? ''), row?.['encrypted'] === true);
  const version = Number.parseInt(String(row?.['version']), 10);
  if (row?.['standby'] === true)
    found.push(faultFinding('this server is a standby, which takes no writes', 'name the primary in DATABASE_URL'));
  for (const [setting, value] of [
    ['fsync', row?.['fsync']],
    ['full_page_writes', row?.['pages']],
  ])
    if (value !== 'on')
      found.push(
        faultFinding(
          `${setting} is ${value}: a power cut may cost the whole database`,
          `set ${setting} = on in postgresql.conf`,
        ),
      );
  if (version < minVersion)
    found.push(warnFinding(`version ${version} was not tried`, `upgrade to PostgreSQL ${minVersion} or newer`));
  // Off is the server's default only: each session of ours that writes turns it on.
  return found.length > 0
    ? found
    : [
        okFinding(
          `version ${version}; fsync and full_page_writes on, synchronous_commit ${synchronousCommitText(row?.['commits'])}`,
        ),
      ];
}

/** What leaves this machine for a server at that address, as by default where DATABASE_URL says nothing of TLS. */
export function unencryptedWarning(address: string, isEncrypted: boolean): DoctorFinding[] {
  // Over a socket there is no address.
  if (isEncrypted || address === '' || /^(?:127\.|::1$)/.test(address)) return [];
  const found = `what goes to ${address} is not encrypted`;
  return [warnFinding(found, 'add sslmode=verify-full to DATABASE_URL: docs/operating.md#with-postgresql')];
}

const synchronousCommitText = (commits: unknown) =>
  commits === 'off' ? 'on where this program writes' : String(commits);

/** What one process opens, with one that starts beside it. */
const connectionsForTwoProcesses = 20;

async function connections({ read }: ReadOnlyDatabase): Promise<readonly DoctorFinding[]> {
  const [row] = await read(
    `select cast(current_setting('max_connections') as integer)
        - cast(current_setting('superuser_reserved_connections') as integer) as most,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as open`,
  );
  const [most, open] = [Number(row?.['most']), Number(row?.['open'])];
  const found = `${open} of ${most} connections are open`;
  if (most - open >= connectionsForTwoProcesses) return [okFinding(found)];
  return [warnFinding(found, 'raise max_connections: a process opens 8 to 10, and as many for each thread that helps')];
}

async function clock(context: DoctorContext): Promise<readonly DoctorFinding[]> {
  const db = await readableDatabase(context);
  if (db === undefined) return [];
  const clockFix = 'see that the clocks are kept by NTP, as by chrony';
  const ahead = await measureClockSkewMs(db, context.clock);
  const apart = `${formatSeconds(Math.abs(ahead) / 1_000)} from the clock of PostgreSQL`;
  if (Math.abs(ahead) > maxClockSkewMs) return [warnFinding(apart, clockFix)];
  const seen = (await openMigratedDatabase(context)) && (await readClockState(db.read));
  const now = context.clock.now() - ahead;
  const behind = (seen?.seenAt ?? now) - now;
  if (behind > maxClockSkewMs)
    return [warnFinding(`the clock is ${formatSeconds(behind / 1_000)} behind where a server saw it last`, clockFix)];
  if (nextClockState(seen, now).jump !== undefined)
    return [
      warnFinding(
        'the clock jumped ahead by more than a day, or no server ran: deletion is paused for a day',
        'correct the clock, or run: citizen-services clock confirm',
      ),
    ];
  return [okFinding(db.engine === 'postgres' ? apart : 'not behind what was recorded')];
}
