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
import { dirname, join } from 'node:path';
import { commandSocketPath, fitsSocket } from '../../cli/command-socket.ts';
import { type DoctorCheck, type DoctorFinding, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import type { Settings } from '../../config/settings.ts';
import { rootKeyIdOf } from '../../crypto/root-key.ts';
import { readRootSecrets } from '../../crypto/root-key-file.ts';
import { unbracketedHost } from '../../kernel/unbracketed-host.ts';
import { rootKeyPath } from '../first-root-key.ts';
import { type DoctorContext, errorMessage, formatBytes, splitFix } from './doctor-context.ts';

type MachineContext = Pick<DoctorContext, 'settings' | 'clock'>;

/** Checks the files on this machine: the data folder, the root key and the TLS certificate. */
export function machineChecks(context: MachineContext): readonly DoctorCheck[] {
  const check = (name: string, run: () => readonly DoctorFinding[], fix: string): DoctorCheck => ({
    name,
    run: async () => run(),
    onFailure: { is: 'fault', fix },
  });
  const { settings } = context;
  return [
    check(
      'data-dir',
      () => [...checkDataDir(settings.dataDir), ...socketPathWarning(settings)],
      'check that DATA_DIR is a folder of the user of the server',
    ),
    check('root-key', () => [checkRootKey(settings)], 'see docs/operating.md#the-root-key'),
    check('tls', () => checkCertificate(context), 'check TLS_CERTIFICATE'),
  ];
}

const ownUser = process.getuid?.();

function checkDataDir(path: string): readonly DoctorFinding[] {
  const folder = statSync(path, { throwIfNoEntry: false });
  if (folder === undefined) return [missingFolderFinding(path)];
  if (!folder.isDirectory()) return [faultFinding(`${path} is not a folder`, 'set DATA_DIR to a folder')];
  const errorCode = accessErrorCode(path);
  if (errorCode !== undefined) return [notWritableFinding(path, errorCode)];
  const findings: DoctorFinding[] = [];
  const owner = ownUser === 0 ? folder.uid : ownUser;
  if (folder.uid !== owner)
    findings.push(
      warnFinding(`${path} belongs to user ${folder.uid}, not to this user (${owner})`, ownedBy(owner, path)),
    );
  if (ownUser === 0 && folder.uid !== 0)
    findings.push(
      warnFinding(`this is root, and ${path} belongs to user ${folder.uid}`, 'run it as the user of the server'),
    );
  // The root folder of a file system can contain `lost+found`, which belongs to root.
  const names = readdirSync(path).filter((name) => name !== 'lost+found');
  const foreign = names.filter((name) => ownerOf(join(path, name)) !== owner);
  if (foreign.length > 0)
    findings.push(
      faultFinding(`${foreign.slice(0, 3).join(', ')} in ${path} belongs to another user`, ownedBy(owner, path)),
    );
  const mode = folder.mode & 0o777;
  if ((mode & 0o077) !== 0)
    findings.push(warnFinding(`${path} has mode ${mode.toString(8)}: other users can open it`, `chmod 700 ${path}`));
  const freeSpace = checkFreeSpace(path);
  return findings.length > 0 && freeSpace.is === 'ok' ? findings : [...findings, freeSpace];
}

function socketPathWarning({ databaseUrl, dataDir }: Settings): readonly DoctorFinding[] {
  if (databaseUrl !== undefined || fitsSocket(commandSocketPath(dataDir))) return [];
  return [
    warnFinding(
      `the path ${dataDir} is too long for a socket in it: no commands can run while the server runs`,
      'set DATA_DIR to a shorter path, such as a link to this folder',
    ),
  ];
}

/** The owner of an entry itself, not of the target of a link: the target can be on a dead mount. */
function ownerOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.uid ?? ownUser;
}

const ownedBy = (user: number | undefined, path: string) => `chown -R ${user} ${path}`;

function missingFolderFinding(path: string): DoctorFinding {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    return faultFinding(`${path} is a link to a missing folder`, `mount or create ${readlinkSync(path)}`);
  if (canCreate(path))
    return warnFinding(`${path} does not exist yet`, 'run `citizen-services keys create`, or create it with mode 700');
  return faultFinding(
    `${path} does not exist, and this user (${ownUser}) cannot create it`,
    `create it, and ${ownedBy(ownUser, path)}`,
  );
}

/** Whether this user can create a missing folder. */
export function canCreate(path: string): boolean {
  let parent = dirname(path);
  while (!existsSync(parent)) parent = dirname(parent);
  return canWrite(parent);
}

/** Whether this user can read and write in a folder. */
export function canWrite(path: string): boolean {
  return accessErrorCode(path) === undefined;
}

function accessErrorCode(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** `code` is the error code of the system, such as `EROFS`: on a read-only file system another owner would not help. */
export function notWritableFinding(path: string, code: string): DoctorFinding {
  if (code !== 'EROFS') return faultFinding(`this user (${ownUser}) cannot write in ${path}`, ownedBy(ownUser, path));
  return faultFinding(
    `${path} is on a read-only file system`,
    'mount it for writing; if the system made it read-only after errors, see dmesg',
  );
}

const mebibyte = 2 ** 20;
const lowSpace = { warn: 512 * mebibyte, fault: 64 * mebibyte };

/** Checks the free space of the file system at a path. */
export function checkFreeSpace(path: string): DoctorFinding {
  const { bavail, bsize, ffree, files } = statfsSync(path);
  return spaceFinding(path, bavail * bsize, files > 0 ? ffree : undefined);
}

/** `freeFiles` is the number of files that can still be created; undefined if the file system does not count them. */
export function spaceFinding(path: string, freeBytes: number, freeFiles: number | undefined): DoctorFinding {
  const found = `${path} has ${formatBytes(freeBytes)} free`;
  if (freeFiles !== undefined && freeFiles < 1_000)
    return faultFinding(`${path} has room for only ${freeFiles} more files`, 'free some space there');
  if (freeBytes < lowSpace.fault) return faultFinding(found, 'free some space: a full disk stops the server');
  return freeBytes < lowSpace.warn ? warnFinding(found, 'free some space') : okFinding(found);
}

function checkRootKey(settings: Settings): DoctorFinding {
  const path = rootKeyPath(settings);
  try {
    const { current, previous } = readRootSecrets(path);
    if (previous === undefined) return okFinding(`${path}, root key ${rootKeyIdOf(current)}`);
    return warnFinding(`${path}: a rotation is not finished`, 'run `citizen-services keys rotate-root --finish`');
  } catch (fault) {
    return faultFinding(...splitFix(errorMessage(fault), 'see docs/operating.md#the-root-key'));
  }
}

const dayMs = 86_400_000;
/** Automatic renewal happens about 30 days before the end, or at a third of a shorter lifetime. After this time it has failed. */
const expirySoon = { ms: 21 * dayMs, partOfLifetime: 1 / 4 };

function checkCertificate({ settings, clock }: MachineContext): readonly DoctorFinding[] {
  const { tlsCertificate: path, publicUrl } = settings;
  const certificate = path === undefined || !existsSync(path) ? undefined : readCertificate(path);
  if (certificate === undefined) return [];
  const { validFromDate, validToDate } = certificate;
  const lifetimeMs = validToDate.getTime() - validFromDate.getTime();
  const leftMs = validToDate.getTime() - clock.now();
  const renew = 'renew it: a running server reloads the files';
  const until = validToDate.toISOString().slice(0, 10);
  if (leftMs < 0) return [faultFinding(`${path} expired on ${until}`, renew)];
  if (validFromDate.getTime() > clock.now()) {
    const found = `${path} is valid from ${validFromDate.toISOString()}`;
    return [faultFinding(found, 'set the clock of this machine, or wait')];
  }
  const host = publicUrl === undefined ? undefined : unbracketedHost(new URL(publicUrl));
  if (host !== undefined && (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) === undefined)
    return [
      warnFinding(
        `${path} is not valid for ${host} in PUBLIC_URL`,
        'get a certificate for this name, unless a proxy terminates TLS',
      ),
    ];
  if (leftMs < Math.min(expirySoon.ms, lifetimeMs * expirySoon.partOfLifetime))
    return [warnFinding(`${path} expires in ${Math.floor(leftMs / dayMs)} days`, renew)];
  return [okFinding(`${path} is valid until ${until}`)];
}

function readCertificate(path: string): X509Certificate | undefined {
  try {
    return new X509Certificate(readFileSync(path));
  } catch {
    // The check of the settings reports why.
    return undefined;
  }
}
