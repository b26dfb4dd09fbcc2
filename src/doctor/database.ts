import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, type Finding, faulty, ok, warn } from '../cli/doctor.ts';
import { readClockSeen, sureFrom } from '../jobs/clock-seen.ts';
import { isCheckedAlways, quickCheck } from '../store/database-check.ts';
import { aheadOfDatabase, mostSkewMs } from '../store/database-clock.ts';
import { databaseFile } from '../store/open.ts';
import { holderOf, type LookedAt } from '../store/open-to-look.ts';
import { type DoctorRoom, inTwo, messageOf, readyDatabase, sizeOf, spanOf } from './room.ts';

/** The database itself: whether it is there, how far its schema is, and what its server promises. */
export function databaseChecks(room: DoctorRoom): readonly Check[] {
  const fix =
    room.settings.databaseUrl === undefined
      ? 'see docs/trouble.md#what-to-do-when'
      : 'see that PostgreSQL runs, and that DATABASE_URL has its host, database, user and password';
  const ofServer = (name: string, look: (db: LookedAt) => Promise<readonly Finding[]>, more: string): Check => ({
    name,
    look: async () => {
      const db = await reached(room);
      return db?.engine === 'postgres' ? await look(db) : [];
    },
    otherwise: { is: 'warn', fix: more },
  });
  return [
    { name: 'database', look: () => database(room), otherwise: { is: 'fault', fix } },
    ofServer('database-server', durability, 'ask whoever runs PostgreSQL'),
    ofServer('connections', connections, 'ask whoever runs PostgreSQL'),
    {
      name: 'clock',
      look: async () => await clock(room),
      otherwise: { is: 'warn', fix: 'see that the clock of this machine is kept, as by chrony' },
    },
  ];
}

/** The database where it answers; else the check `database` says why. */
async function reached(room: DoctorRoom): Promise<LookedAt | undefined> {
  try {
    const db = await room.database();
    await db?.read('select 1 as one');
    return db;
  } catch {
    return undefined;
  }
}

async function database(room: DoctorRoom): Promise<readonly Finding[]> {
  let db: LookedAt | undefined;
  try {
    db = await room.database();
  } catch (fault) {
    return [faulty(...inTwo(messageOf(fault), 'see docs/trouble.md#what-to-do-when'))];
  }
  if (db === undefined)
    return [
      warn(`no database in ${room.settings.dataDir} yet`, '`citizen-services keys create` makes it, with the keys'),
    ];
  const where = db.engine === 'sqlite' ? fileAt(room.settings.dataDir) : await serverOf(db);
  if (db.engine === 'sqlite') {
    const broken = await brokenIn(db, room.settings.dataDir);
    if (broken !== undefined) return [faulty(broken, 'restore the newest backup')];
  } else {
    try {
      const { refuseOtherCollation } = await import('../store/postgres.ts');
      await refuseOtherCollation(db.read);
    } catch (fault) {
      const [found, fix] = messageOf(fault).split(': ', 2);
      return [faulty(found ?? '', fix ?? '')];
    }
  }
  let schema: Awaited<ReturnType<DoctorRoom['schema']>>;
  try {
    schema = await room.schema();
  } catch (fault) {
    if (/PostgreSQL 42501/.test(messageOf(fault)))
      return [faulty(messageOf(fault), 'let the tables belong to the role in DATABASE_URL: docs/operating.md#restore')];
    const [, found = messageOf(fault), fix = 'see docs/operating.md#upgrade'] =
      /^(.+?)(?:: )(start the newer.+|give it.+|bring the.+)$/.exec(messageOf(fault)) ?? [];
    return [faulty(found, fix)];
  }
  if (schema === undefined || schema.pending.length === 0) return [ok(where)];
  if (!schema.isBegun) return await emptyDatabase(db, where);
  return [
    warn(
      `${where}, of an earlier version: the next start applies ${schema.pending.join(', ')}`,
      'make a backup before: there is no way back; what lies in it is looked at behind that',
    ),
  ];
}

async function emptyDatabase(db: LookedAt, where: string): Promise<readonly Finding[]> {
  const [right] =
    db.engine === 'sqlite'
      ? [{ may: true }]
      : await db.read("select has_schema_privilege(current_schema(), 'create') as may, current_user as role");
  if (right?.may !== true)
    return [faulty(`${where}: this role may not make tables`, 'make it the owner of the database')];
  return [
    warn(`${where}, empty`, '`citizen-services keys create` makes the tables and keys; else it is the wrong one'),
  ];
}

/** Why a start would refuse the file; undefined where it would not, or the file is large. */
async function brokenIn({ read }: LookedAt, dataDir: string): Promise<string | undefined> {
  if (!isCheckedAlways(join(dataDir, databaseFile))) return undefined;
  const [row] = await read(quickCheck);
  const said = String(row?.['quick_check']);
  return said === 'ok' ? undefined : `the file is damaged: ${said}`;
}

function fileAt(dataDir: string): string {
  const path = join(dataDir, databaseFile);
  const bytes = [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  const holder = holderOf(dataDir);
  const open = holder === undefined ? 'nobody has it open' : `process ${holder} has it open`;
  return `SQLite, ${sizeOf(bytes)}, ${open}`;
}

async function serverOf({ read }: LookedAt): Promise<string> {
  const [row] = await read(
    "select current_setting('server_version') as version, pg_database_size(current_database()) as bytes",
  );
  return `PostgreSQL ${String(row?.['version']).split(' ')[0]}, ${sizeOf(Number(row?.['bytes']))}`;
}

/** The oldest that the tests run against. */
const oldestVersion = 15;

async function durability({ read }: LookedAt): Promise<readonly Finding[]> {
  const [row] = await read(
    `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
      current_setting('synchronous_commit') as commits, current_setting('server_version') as version,
      pg_is_in_recovery() as standby, host(inet_server_addr()) as address,
      (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as encrypted`,
  );
  const found: Finding[] = inClear(String(row?.['address'] ?? ''), row?.['encrypted'] === true);
  const version = Number.parseInt(String(row?.['version']), 10);
  if (row?.['standby'] === true)
    found.push(faulty('this server is a standby, which takes no writes', 'name the primary in DATABASE_URL'));
  for (const [setting, value] of [
    ['fsync', row?.['fsync']],
    ['full_page_writes', row?.['pages']],
  ])
    if (value !== 'on')
      found.push(
        faulty(
          `${setting} is ${value}: a power cut may cost the whole database`,
          `set ${setting} = on in postgresql.conf`,
        ),
      );
  if (version < oldestVersion)
    found.push(warn(`version ${version} was not tried`, `upgrade to PostgreSQL ${oldestVersion} or newer`));
  // Off is the server's default only: each session of ours that writes turns it on.
  return found.length > 0
    ? found
    : [ok(`version ${version}; fsync and full_page_writes on, synchronous_commit ${commitsAs(row?.['commits'])}`)];
}

/** What leaves this machine for a server at that address, as by default where DATABASE_URL says nothing of TLS. */
export function inClear(address: string, isEncrypted: boolean): Finding[] {
  // Over a socket there is no address.
  if (isEncrypted || address === '' || /^(?:127\.|::1$)/.test(address)) return [];
  const found = `what goes to ${address} is not encrypted`;
  return [warn(found, 'add sslmode=verify-full to DATABASE_URL: docs/operating.md#with-postgresql')];
}

const commitsAs = (commits: unknown) => (commits === 'off' ? 'on where this program writes' : String(commits));

/** What one process opens, with one that starts beside it. */
const connectionsOfTwo = 20;

async function connections({ read }: LookedAt): Promise<readonly Finding[]> {
  const [row] = await read(
    `select cast(current_setting('max_connections') as integer)
        - cast(current_setting('superuser_reserved_connections') as integer) as most,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as open`,
  );
  const [most, open] = [Number(row?.['most']), Number(row?.['open'])];
  const found = `${open} of ${most} connections are open`;
  if (most - open >= connectionsOfTwo) return [ok(found)];
  return [warn(found, 'raise max_connections: a process opens 8 to 10, and as many for each thread that helps')];
}

async function clock(room: DoctorRoom): Promise<readonly Finding[]> {
  const db = await reached(room);
  if (db === undefined) return [];
  const keep = 'see that the clocks are kept by NTP, as by chrony';
  const ahead = await aheadOfDatabase(db, room.clock);
  const apart = `${spanOf(Math.abs(ahead) / 1_000)} from the clock of PostgreSQL`;
  if (Math.abs(ahead) > mostSkewMs) return [warn(apart, keep)];
  const seen = (await readyDatabase(room)) && (await readClockSeen(db.read));
  const now = room.clock.now() - ahead;
  const behind = (seen?.seenAt ?? now) - now;
  if (behind > mostSkewMs)
    return [warn(`the clock is ${spanOf(behind / 1_000)} behind where a server saw it last`, keep)];
  const doubtful = (seen === undefined ? now : sureFrom(seen, now)) - now;
  if (doubtful > 0)
    return [
      warn(
        `the clock is ahead of where a server saw it last, or none ran: nothing is deleted for being old for ${spanOf(doubtful / 1_000)}`,
        'set it right if it is wrong',
      ),
    ];
  return [ok(db.engine === 'postgres' ? apart : 'not behind what was recorded')];
}
