import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, lstatSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { commandSocketPath, fitsSocket } from '../../cli/command-socket.ts';
import { type DoctorFinding, type DoctorFindings, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { publicUrlFor } from '../../config/public-url.ts';
import type { Settings } from '../../config/settings.ts';
import { rootKeyIdOf } from '../../crypto/root-key.ts';
import { readRootSecrets } from '../../crypto/root-key-file.ts';
import type { Clock } from '../../kernel/clock.ts';
import { unbracketedHost } from '../../kernel/unbracketed-host.ts';
import { rootKeyPath } from '../first-root-key.ts';
import { formatMebibytes } from './doctor-context.ts';

const ownUser = process.getuid?.();

/** Checks the owners, the mode and the free space of the data folder. */
export function checkDataDir({ dataDir: path, databaseUrl }: Settings): DoctorFindings {
  const folder = statSync(path, { throwIfNoEntry: false });
  if (folder === undefined && canCreate(path))
    return warnFinding(`${path} does not exist yet`, 'run `citizen-services keys create`, or create it with mode 700');
  const notWritable = notWritableFinding(path);
  if (folder === undefined || notWritable !== undefined) return notWritable;
  const findings: DoctorFinding[] = [];
  const owner = ownUser === 0 ? folder.uid : ownUser;
  if (owner !== ownUser)
    findings.push(
      warnFinding(`doctor runs as root, but ${path} belongs to user ${owner}`, 'run doctor as the user of the server'),
    );
  // The target of a link can be on a dead mount, so only the link is read. A server can remove a file meanwhile.
  const ownerOf = (name: string) => lstatSync(join(path, name), { throwIfNoEntry: false })?.uid ?? owner;
  // The root folder of a file system can contain `lost+found`, which belongs to root.
  const names = readdirSync(path).filter((name) => name !== 'lost+found');
  const foreign = names.filter((name) => ownerOf(name) !== owner).slice(0, 3);
  if (foreign.length > 0)
    findings.push(
      faultFinding(`${foreign.join(', ')} in ${path} belongs to another user`, `chown -R ${owner} ${path}`),
    );
  const mode = folder.mode & 0o777;
  if ((mode & 0o077) !== 0)
    findings.push(warnFinding(`${path} has mode ${mode.toString(8)}: other users can open it`, `chmod 700 ${path}`));
  if (databaseUrl === undefined && !fitsSocket(commandSocketPath(path)))
    findings.push(
      warnFinding(
        `the path ${path} is too long for a socket in it: no commands can run while the server runs`,
        'set DATA_DIR to a shorter path, such as a link to this folder',
      ),
    );
  const space = checkFreeSpace(path);
  return findings.length > 0 && space.is === 'ok' ? findings : [...findings, space];
}

/** Whether this user can create a missing folder. */
export function canCreate(path: string): boolean {
  let parent = dirname(path);
  while (!existsSync(parent)) parent = dirname(parent);
  return notWritableFinding(parent) === undefined;
}

/** A fault if this user cannot read and write in a folder. */
export function notWritableFinding(path: string): DoctorFinding | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return statSync(path).isDirectory() ? undefined : faultFinding(`${path} is not a folder`, 'set it to a folder');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return faultFinding(
      `this user (${ownUser}) cannot write in ${path} (${code})`,
      'make the user of the server the owner of this folder, and mount its disk for writing',
    );
  }
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
  const found = `${path} has ${formatMebibytes(freeBytes)} free`;
  if (freeFiles !== undefined && freeFiles < 1_000)
    return faultFinding(`${path} has room for only ${freeFiles} more files`, 'free some space there');
  if (freeBytes < lowSpace.fault) return faultFinding(found, 'free some space: a full disk stops the server');
  return freeBytes < lowSpace.warn ? warnFinding(found, 'free some space') : okFinding(found);
}

/** Reads the root key file. */
export function checkRootKey(settings: Settings): DoctorFinding {
  const path = rootKeyPath(settings);
  const { current, previous } = readRootSecrets(path);
  if (previous === undefined) return okFinding(`${path}, root key ${rootKeyIdOf(current)}`);
  return warnFinding(`${path}: a rotation is not finished`, 'run `citizen-services keys rotate root --finish`');
}

const dayMs = 86_400_000;
/** Automatic renewal happens about 30 days before the end, or at a third of a shorter lifetime. After this time it has failed. */
const expirySoon = { ms: 21 * dayMs, partOfLifetime: 1 / 4 };

/** Checks the dates and the name of the TLS certificate. */
export function checkCertificate({ tlsCertificate: path, publicUrl }: Settings, clock: Clock): DoctorFindings {
  const certificate = path === undefined ? undefined : readCertificate(path);
  if (certificate === undefined) return undefined;
  const { validFromDate, validToDate } = certificate;
  const lifetimeMs = validToDate.getTime() - validFromDate.getTime();
  const leftMs = validToDate.getTime() - clock.now();
  const renew = 'renew it: a running server reloads the files';
  const until = validToDate.toISOString().slice(0, 10);
  if (leftMs < 0) return faultFinding(`${path} expired on ${until}`, renew);
  if (leftMs > lifetimeMs) {
    const found = `${path} is valid from ${validFromDate.toISOString()}`;
    return faultFinding(found, 'set the clock of this machine, or wait');
  }
  const host = publicUrl === undefined ? undefined : unbracketedHost(new URL(publicUrl));
  if (host !== undefined && (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) === undefined)
    return warnFinding(
      `${path} is not valid for ${host} in PUBLIC_URL`,
      'get a certificate for this name, unless a proxy terminates TLS',
    );
  if (leftMs < Math.min(expirySoon.ms, lifetimeMs * expirySoon.partOfLifetime))
    return warnFinding(`${path} expires in ${Math.floor(leftMs / dayMs)} days`, renew);
  return okFinding(`${path} is valid until ${until}`);
}

function readCertificate(path: string): X509Certificate | undefined {
  try {
    return new X509Certificate(readFileSync(path));
  } catch {
    // The check `settings` reports why.
    return undefined;
  }
}

/** Checks the address that callers use. */
export function checkPublicUrl(settings: Settings): DoctorFinding {
  const { publicUrl: url, port } = settings;
  if (url === undefined)
    return warnFinding(
      `not set: tokens and links contain ${port === 0 ? 'a random port' : publicUrlFor(settings, port)}`,
      'set PUBLIC_URL to the address that callers use',
    );
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
    return warnFinding(`${url}: tokens and personal data cross the network unencrypted`, 'serve it over https');
  return okFinding(url);
}
