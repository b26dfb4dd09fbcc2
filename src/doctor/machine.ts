import { X509Certificate } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { isIP } from 'node:net';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { type Check, type Finding, faulty, ok, warn } from '../cli/doctor.ts';
import { commandSocket, fitsSocket } from '../cli/running-server.ts';
import type { Settings } from '../config/settings.ts';
import { rootKeyPath } from '../first-root-key.ts';
import { hostOf } from '../kernel/url-host.ts';
import { rootIdOf } from '../keys/root-key.ts';
import { readRootSecrets } from '../keys/root-key-file.ts';
import { type DoctorRoom, inTwo, messageOf, sizeOf } from './room.ts';

type Room = Pick<DoctorRoom, 'settings' | 'clock' | 'silent'>;

/** What lies on this machine: folders, keys, certificates, and what it allows a process. */
export function machineChecks(room: Room): readonly Check[] {
  const check = (name: string, look: () => readonly Finding[], fix: string): Check => ({
    name,
    look: async () => look(),
    otherwise: { is: 'fault', fix },
  });
  const { settings } = room;
  return [
    check(
      'data-dir',
      () => [...dataDir(settings.dataDir, room.silent), ...tooLong(settings)],
      'see that DATA_DIR names a folder of the user of the server',
    ),
    check('root-key', () => rootKey(settings), 'see docs/operating.md#the-root-key'),
    check('tls', () => certificate(room), 'see TLS_CERTIFICATE'),
    check('machine', machine, 'see docs/operating.md#install'),
  ];
}

const ownUser = process.getuid?.();

function dataDir(path: string, silent: ReadonlySet<string>): readonly Finding[] {
  const folder = statSync(path, { throwIfNoEntry: false });
  if (folder === undefined) return [isLink(path) ? lostLink(path) : absentFolder(path)];
  if (!folder.isDirectory()) return [faulty(`${path} is no folder`, 'set DATA_DIR to a folder')];
  const shut = shutBy(path);
  if (shut !== undefined) return [shutFinding(path, shut)];
  const found: Finding[] = [];
  const owner = ownUser === 0 ? folder.uid : ownUser;
  if (folder.uid !== owner)
    found.push(warn(`${path} belongs to user ${folder.uid}, not to this one (${owner})`, ownedBy(owner, path)));
  if (ownUser === 0 && folder.uid !== 0)
    found.push(
      warn(`this is root, and ${path} belongs to user ${folder.uid}`, 'run it as the user of the server, who may less'),
    );
  // The folder of a disk of its own has one, which is root's.
  const names = readdirSync(path).filter((name) => name !== 'lost+found');
  const others = names.filter((name) => !silent.has(join(path, name)) && ownerOf(join(path, name)) !== owner);
  if (others.length > 0)
    found.push(faulty(`${others.slice(0, 3).join(', ')} in ${path} is another user's`, ownedBy(owner, path)));
  const mode = folder.mode & 0o777;
  if ((mode & 0o077) !== 0)
    found.push(warn(`${path} has mode ${mode.toString(8)}: others can look into it`, `chmod 700 ${path}`));
  const room = space(path);
  return found.length > 0 && room.is === 'ok' ? found : [...found, room];
}

function tooLong({ databaseUrl, dataDir }: Settings): readonly Finding[] {
  if (databaseUrl !== undefined || fitsSocket(commandSocket(dataDir))) return [];
  return [
    warn(
      `the path of ${dataDir} is too long for a socket in it: while the server runs there are no commands`,
      'set DATA_DIR to a shorter path, such as a link that leads there',
    ),
  ];
}

/** The owner of what lies there; of what is gone again, nobody. */
function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid ?? ownUser;
}

const ownedBy = (user: number | undefined, path: string) => `chown -R ${user} ${path}`;

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

function lostLink(path: string): Finding {
  return faulty(`${path} is a link to what is not there`, `mount or make ${readlinkSync(path)}`);
}

function absentFolder(path: string): Finding {
  return mayMake(path)
    ? warn(`${path} is not there yet`, '`citizen-services keys create` makes it; or make it with mode 700')
    : faulty(
        `${path} is not there, and this user (${ownUser}) may not make it`,
        `make it, and ${ownedBy(ownUser, path)}`,
      );
}

/** Whether this user can make a folder that is not there. */
export function mayMake(path: string): boolean {
  let above = dirname(path);
  while (!existsSync(above)) above = dirname(above);
  return mayWrite(above);
}

/** Whether this user can read a folder and write in it. */
export function mayWrite(path: string): boolean {
  return shutBy(path) === undefined;
}

/** Why not, in the code of the system. */
function shutBy(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** A folder of the server that takes no writes: whose it is helps nothing where the disk is read-only. */
export function shutFinding(path: string, code: string): Finding {
  if (code !== 'EROFS') return faulty(`this user (${ownUser}) may not write in ${path}`, ownedBy(ownUser, path));
  return faulty(
    `${path} is on a disk that takes no writes`,
    'mount it for writing; one that the system shut has errors: see dmesg',
  );
}

const mebibyte = 2 ** 20;
const little = { warn: 512 * mebibyte, fault: 64 * mebibyte };

/** How much can still be written at that path. */
export function space(path: string): Finding {
  const { bavail, bsize, ffree, files } = statfsSync(path);
  return spaceFinding(path, bavail * bsize, files > 0 ? ffree : undefined);
}

/** `files` is how many more there can be; undefined where the file system does not count them. */
export function spaceFinding(path: string, free: number, files: number | undefined): Finding {
  const found = `${path} has ${sizeOf(free)} free`;
  if (files !== undefined && files < 1_000) return faulty(`${path} can take ${files} more files`, 'make room there');
  if (free < little.fault) return faulty(found, 'make room there: a full disk ends the server');
  return free < little.warn ? warn(found, 'make room there') : ok(found);
}

function rootKey(settings: Settings): readonly Finding[] {
  const path = rootKeyPath(settings);
  try {
    const { current, previous } = readRootSecrets(path);
    if (previous !== undefined)
      return [
        warn(
          `${path}: a rotation was begun and is not finished`,
          '`citizen-services keys rotate-root --finish` ends it',
        ),
      ];
    return [ok(`${path}, root key ${rootIdOf(current)}`)];
  } catch (fault) {
    return [faulty(...inTwo(messageOf(fault), 'see docs/operating.md#the-root-key'))];
  }
}

const dayMs = 86_400_000;
/** Who renews by a program does it a month before, or at a third of a shorter life; what is not renewed by now will not be by itself. */
const soon = { ms: 21 * dayMs, partOfLife: 1 / 4 };

function certificate({ settings, clock }: Room): readonly Finding[] {
  const { tlsCertificate: path, publicUrl } = settings;
  if (path === undefined || !existsSync(path)) return [];
  const read = parsed(path);
  // The check of the settings says why.
  if (read === undefined) return [];
  const { validFromDate, validToDate, isFor } = read;
  const leftMs = validToDate.getTime() - clock.now();
  const isSoon = leftMs < Math.min(soon.ms, (validToDate.getTime() - validFromDate.getTime()) * soon.partOfLife);
  const renew = 'renew it: a running server takes the new files by itself';
  const until = validToDate.toISOString().slice(0, 10);
  if (leftMs < 0) return [faulty(`${path} expired on ${until}`, renew)];
  if (validFromDate.getTime() > clock.now())
    return [faulty(`${path} is valid from ${validFromDate.toISOString()}`, 'set the clock of this machine, or wait')];
  const host = publicUrl === undefined ? undefined : hostOf(new URL(publicUrl));
  if (host !== undefined && !isFor(host))
    return [
      warn(`${path} is not for ${host} of PUBLIC_URL`, 'get one with that name, unless a proxy stands before it'),
    ];
  const days = Math.floor(leftMs / dayMs);
  return [isSoon ? warn(`${path} expires in ${days} days`, renew) : ok(`${path} is valid until ${until}`)];
}

function parsed(path: string) {
  let read: X509Certificate;
  try {
    read = new X509Certificate(readFileSync(path));
  } catch {
    return undefined;
  }
  const { validFromDate, validToDate } = read;
  return {
    ...{ validFromDate, validToDate },
    isFor: (host: string) => (isIP(host) === 0 ? read.checkHost(host) : read.checkIP(host)) !== undefined,
  };
}

/** Connections have 10,000 of them; files of the database and of documents come to that. */
const enoughFiles = 16_384;

function machine(): readonly Finding[] {
  const memory = process.constrainedMemory() > 0 ? Math.min(process.constrainedMemory(), totalmem()) : totalmem();
  const files = mostFiles();
  const found: Finding[] = [];
  if (memory < 512 * mebibyte) found.push(warn(`${sizeOf(memory)} of memory`, 'give it 512 MiB'));
  if (files !== undefined && files < enoughFiles)
    found.push(
      warn(
        `${files} open files are allowed here`,
        'LimitNOFILE=65536 in the unit, --ulimit nofile=65536:65536 of a container, or ulimit -n',
      ),
    );
  const few = files === undefined ? '' : `, ${files === Number.POSITIVE_INFINITY ? 'any number of' : files} open files`;
  return found.length > 0 ? found : [ok(`${sizeOf(memory)} of memory${few}`)];
}

/** How many files a process that this user starts can have open: node takes as many as it may. */
function mostFiles(): number | undefined {
  const path = '/proc/self/limits';
  if (!existsSync(path)) return undefined;
  const [, most] = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync(path, 'utf8')) ?? [];
  return most === 'unlimited' ? Number.POSITIVE_INFINITY : most === undefined ? undefined : Number(most);
}
