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
import { commandSocketPath, fitsSocket } from '../../cli/command-socket.ts';
import { type DoctorCheck, type DoctorFinding, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import type { Settings } from '../../config/settings.ts';
import { rootKeyIdOf } from '../../crypto/root-key.ts';
import { readRootSecrets } from '../../crypto/root-key-file.ts';
import { unbracketedHost } from '../../kernel/unbracketed-host.ts';
import { rootKeyPath } from '../first-root-key.ts';
import { type DoctorContext, errorMessage, formatBytes, splitFix } from './doctor-context.ts';

type MachineContext = Pick<DoctorContext, 'settings' | 'clock' | 'silent'>;

/** What lies on this machine: folders, keys, certificates, and what it allows a process. */
export function machineChecks(context: MachineContext): readonly DoctorCheck[] {
  const check = (name: string, look: () => readonly DoctorFinding[], fix: string): DoctorCheck => ({
    name,
    run: async () => look(),
    onFailure: { is: 'fault', fix },
  });
  const { settings } = context;
  return [
    check(
      'data-dir',
      () => [...dataDir(settings.dataDir, context.silent), ...socketPathWarning(settings)],
      'see that DATA_DIR names a folder of the user of the server',
    ),
    check('root-key', () => rootKey(settings), 'see docs/operating.md#the-root-key'),
    check('tls', () => certificate(context), 'see TLS_CERTIFICATE'),
    check('machine', machine, 'see docs/operating.md#install'),
  ];
}

const ownUser = process.getuid?.();

function dataDir(path: string, silent: ReadonlySet<string>): readonly DoctorFinding[] {
  const folder = statSync(path, { throwIfNoEntry: false });
  if (folder === undefined) return [isSymbolicLink(path) ? brokenLinkFinding(path) : missingFolderFinding(path)];
  if (!folder.isDirectory()) return [faultFinding(`${path} is no folder`, 'set DATA_DIR to a folder')];
  const errorCode = accessErrorCode(path);
  if (errorCode !== undefined) return [notWritableFinding(path, errorCode)];
  const found: DoctorFinding[] = [];
  const owner = ownUser === 0 ? folder.uid : ownUser;
  if (folder.uid !== owner)
    found.push(warnFinding(`${path} belongs to user ${folder.uid}, not to this one (${owner})`, ownedBy(owner, path)));
  if (ownUser === 0 && folder.uid !== 0)
    found.push(
      warnFinding(
        `this is root, and ${path} belongs to user ${folder.uid}`,
        'run it as the user of the server, who may less',
      ),
    );
  // The folder of a disk of its own has one, which is root's.
  const names = readdirSync(path).filter((name) => name !== 'lost+found');
  const others = names.filter((name) => !silent.has(join(path, name)) && ownerOf(join(path, name)) !== owner);
  if (others.length > 0)
    found.push(faultFinding(`${others.slice(0, 3).join(', ')} in ${path} is another user's`, ownedBy(owner, path)));
  const mode = folder.mode & 0o777;
  if ((mode & 0o077) !== 0)
    found.push(warnFinding(`${path} has mode ${mode.toString(8)}: others can look into it`, `chmod 700 ${path}`));
  const freeSpace = checkFreeSpace(path);
  return found.length > 0 && freeSpace.is === 'ok' ? found : [...found, freeSpace];
}

function socketPathWarning({ databaseUrl, dataDir }: Settings): readonly DoctorFinding[] {
  if (databaseUrl !== undefined || fitsSocket(commandSocketPath(dataDir))) return [];
  return [
    warnFinding(
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

const isSymbolicLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

function brokenLinkFinding(path: string): DoctorFinding {
  return faultFinding(`${path} is a link to what is not there`, `mount or make ${readlinkSync(path)}`);
}

function missingFolderFinding(path: string): DoctorFinding {
  return canCreate(path)
    ? warnFinding(`${path} is not there yet`, '`citizen-services keys create` makes it; or make it with mode 700')
    : faultFinding(
        `${path} is not there, and this user (${ownUser}) may not make it`,
        `make it, and ${ownedBy(ownUser, path)}`,
      );
}

/** Whether this user can make a folder that is not there. */
export function canCreate(path: string): boolean {
  let above = dirname(path);
  while (!existsSync(above)) above = dirname(above);
  return canWrite(above);
}

/** Whether this user can read a folder and write in it. */
export function canWrite(path: string): boolean {
  return accessErrorCode(path) === undefined;
}

/** Why not, in the code of the system. */
function accessErrorCode(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** A folder of the server that takes no writes: whose it is helps nothing where the disk is read-only. */
export function notWritableFinding(path: string, code: string): DoctorFinding {
  if (code !== 'EROFS') return faultFinding(`this user (${ownUser}) may not write in ${path}`, ownedBy(ownUser, path));
  return faultFinding(
    `${path} is on a disk that takes no writes`,
    'mount it for writing; one that the system shut has errors: see dmesg',
  );
}

const mebibyte = 2 ** 20;
const lowSpace = { warn: 512 * mebibyte, fault: 64 * mebibyte };

/** How much can still be written at that path. */
export function checkFreeSpace(path: string): DoctorFinding {
  const { bavail, bsize, ffree, files } = statfsSync(path);
  return spaceFinding(path, bavail * bsize, files > 0 ? ffree : undefined);
}

/** `files` is how many more there can be; undefined where the file system does not count them. */
export function spaceFinding(path: string, free: number, files: number | undefined): DoctorFinding {
  const found = `${path} has ${formatBytes(free)} free`;
  if (files !== undefined && files < 1_000)
    return faultFinding(`${path} can take ${files} more files`, 'make room there');
  if (free < lowSpace.fault) return faultFinding(found, 'make room there: a full disk ends the server');
  return free < lowSpace.warn ? warnFinding(found, 'make room there') : okFinding(found);
}

function rootKey(settings: Settings): readonly DoctorFinding[] {
  const path = rootKeyPath(settings);
  try {
    const { current, previous } = readRootSecrets(path);
    if (previous !== undefined)
      return [
        warnFinding(
          `${path}: a rotation was begun and is not finished`,
          '`citizen-services keys rotate-root --finish` ends it',
        ),
      ];
    return [okFinding(`${path}, root key ${rootKeyIdOf(current)}`)];
  } catch (fault) {
    return [faultFinding(...splitFix(errorMessage(fault), 'see docs/operating.md#the-root-key'))];
  }
}

const dayMs = 86_400_000;
/** Who renews by a program does it a month before, or at a third of a shorter life; what is not renewed by now will not be by itself. */
const expirySoon = { ms: 21 * dayMs, partOfLife: 1 / 4 };

function certificate({ settings, clock }: MachineContext): readonly DoctorFinding[] {
  const { tlsCertificate: path, publicUrl } = settings;
  if (path === undefined || !existsSync(path)) return [];
  const read = readCertificate(path);
  // The check of the settings says why.
  if (read === undefined) return [];
  const { validFromDate, validToDate, isFor } = read;
  const leftMs = validToDate.getTime() - clock.now();
  const isSoon =
    leftMs < Math.min(expirySoon.ms, (validToDate.getTime() - validFromDate.getTime()) * expirySoon.partOfLife);
  const renew = 'renew it: a running server takes the new files by itself';
  const until = validToDate.toISOString().slice(0, 10);
  if (leftMs < 0) return [faultFinding(`${path} expired on ${until}`, renew)];
  if (validFromDate.getTime() > clock.now())
    return [
      faultFinding(`${path} is valid from ${validFromDate.toISOString()}`, 'set the clock of this machine, or wait'),
    ];
  const host = publicUrl === undefined ? undefined : unbracketedHost(new URL(publicUrl));
  if (host !== undefined && !isFor(host))
    return [
      warnFinding(
        `${path} is not for ${host} of PUBLIC_URL`,
        'get one with that name, unless a proxy stands before it',
      ),
    ];
  const days = Math.floor(leftMs / dayMs);
  return [
    isSoon ? warnFinding(`${path} expires in ${days} days`, renew) : okFinding(`${path} is valid until ${until}`),
  ];
}

function readCertificate(path: string) {
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
const recommendedFiles = 16_384;

function machine(): readonly DoctorFinding[] {
  const memory = process.constrainedMemory() > 0 ? Math.min(process.constrainedMemory(), totalmem()) : totalmem();
  const files = maxOpenFiles();
  const found: DoctorFinding[] = [];
  if (memory < 512 * mebibyte) found.push(warnFinding(`${formatBytes(memory)} of memory`, 'give it 512 MiB'));
  if (files !== undefined && files < recommendedFiles)
    found.push(
      warnFinding(
        `${files} open files are allowed here`,
        'LimitNOFILE=65536 in the unit, --ulimit nofile=65536:65536 of a container, or ulimit -n',
      ),
    );
  const few = files === undefined ? '' : `, ${files === Number.POSITIVE_INFINITY ? 'any number of' : files} open files`;
  return found.length > 0 ? found : [okFinding(`${formatBytes(memory)} of memory${few}`)];
}

/** How many files a process that this user starts can have open: node takes as many as it may. */
function maxOpenFiles(): number | undefined {
  const path = '/proc/self/limits';
  if (!existsSync(path)) return undefined;
  const [, most] = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync(path, 'utf8')) ?? [];
  return most === 'unlimited' ? Number.POSITIVE_INFINITY : most === undefined ? undefined : Number(most);
}
