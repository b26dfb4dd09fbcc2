import { existsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { readWitnessPolicy } from '../../audit/open-ledger.ts';
import { type DoctorCheck, type DoctorFinding, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import type { Settings } from '../../config/settings.ts';
import { BlobsUnavailable, blobFolders } from '../../documents/blobs/blob-store.ts';
import { parseClamdAddress } from '../../documents/document-jobs.ts';
import { openBlobs } from '../../documents/open-blobs.ts';
import { createClamdScanner } from '../../documents/scan/clamd-scanner.ts';
import { unbracketedHost } from '../../kernel/unbracketed-host.ts';
import {
  CheckFailed,
  checkTimeoutMs,
  type DoctorContext,
  errorMessage,
  formatSeconds,
  withTimeout,
} from './doctor-context.ts';
import { canCreate, canWrite, checkFreeSpace } from './machine-checks.ts';
import { checkSignIn } from './sign-in-checks.ts';

/** Checks the services that the server uses besides its database. No check sends a message. */
export function serviceChecks(context: DoctorContext): readonly DoctorCheck[] {
  const { settings } = context;
  const check = (name: string, run: () => Promise<readonly DoctorFinding[]>, fix: string): DoctorCheck => ({
    name,
    run,
    onFailure: { is: 'fault', fix },
  });
  return [
    check('documents', () => checkDocumentStore(settings), 'check that DOCUMENT_STORE exists and can be used'),
    check('scanner', () => checkScanner(context), 'check that clamd runs, and that CLAMAV is its address'),
    check('mail', () => checkRelay(settings), 'check that the relay runs, and that SMTP_URL is its address'),
    check('sms', () => checkUrl(settings.smsUrl?.reveal(), 'SMS_URL'), 'check SMS_URL'),
    check('letters', () => checkLetterSpool(settings), 'check that the folder in LETTER_SPOOL exists'),
    check('other-register', () => checkUrl(settings.registerUrl?.reveal(), 'REGISTER_URL'), 'check REGISTER_URL'),
    check('time-stamps', () => checkUrl(settings.evidenceTsaUrl, 'EVIDENCE_TSA_URL'), 'check EVIDENCE_TSA_URL'),
    check('witnesses', () => checkWitnesses(settings), 'check LEDGER_WITNESSES'),
    check('issuers', () => checkIssuers(settings), 'check TRUSTED_ISSUERS'),
    check('sign-in', () => checkSignIn(context), 'check SIGN_IN_ISSUER'),
  ];
}

async function checkUrl(url: string | undefined, setting: string): Promise<readonly DoctorFinding[]> {
  return url === undefined ? [] : [await checkReachable(new URL(url), setting)];
}

/** The finding contains only the origin of the URL: its path and query may hold a key. */
async function checkReachable(url: URL, setting: string, is: 'warn' | 'fault' = 'fault'): Promise<DoctorFinding> {
  try {
    await connectTo(url);
    return okFinding(`${url.protocol}//${url.host} can be reached`);
  } catch (fault) {
    const found = `${url.protocol}//${url.host}: ${errorMessage(fault)}`;
    const fix = `check that it runs and that this machine can reach it, or change ${setting}`;
    return is === 'warn' ? warnFinding(found, fix) : faultFinding(found, fix);
  }
}

/** Resolves the name and connects, for https with a check of the certificate. Sends no request. */
async function connectTo(url: URL): Promise<void> {
  const host = unbracketedHost(url);
  const isSecure = url.protocol === 'https:';
  const address = { host, port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port) };
  // RFC 6066, section 3: a server name is not an IP address.
  const isName = /[a-z]/i.test(host) && !host.includes(':');
  const socket = isSecure ? connectTls(isName ? { ...address, servername: host } : address) : connect(address);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve());
  socket.on('error', reject);
  socket.setTimeout(checkTimeoutMs, () => reject(new CheckFailed(`no answer within ${checkTimeoutMs / 1_000} s`)));
  try {
    await promise;
  } finally {
    socket.destroy();
  }
}

async function checkDocumentStore(settings: Settings): Promise<readonly DoctorFinding[]> {
  const { documentStore } = settings;
  if (!documentStore.startsWith('s3://')) return [checkDocumentFolder(documentStore)];
  const bucket = new URL(documentStore).host;
  try {
    const blobs = await openBlobs({ settings, log: { fault: () => undefined } });
    await withTimeout(checkTimeoutMs, blobs.list()[Symbol.asyncIterator]().next());
    return [okFinding(`bucket ${bucket} can be listed`)];
  } catch (fault) {
    const cause = fault instanceof BlobsUnavailable ? fault.cause : fault;
    const name =
      fault instanceof BlobsUnavailable && cause instanceof Error && cause.name !== 'Error' ? `${cause.name}: ` : '';
    return [
      faultFinding(
        `bucket ${bucket}: ${name}${errorMessage(cause)}`,
        'check DOCUMENT_STORE, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and the permissions of this key',
      ),
    ];
  }
}

function checkDocumentFolder(path: string): DoctorFinding {
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    return canCreate(path)
      ? okFinding(`the first start creates ${path}`)
      : faultFinding(`${path} does not exist, and this user cannot create it`, 'create it, or mount it');
  // A command that another user ran may have created these folders.
  const folders = [blobFolders.incoming, blobFolders.sealed].map((name) => join(path, name)).filter(existsSync);
  const notWritable = [path, ...folders].find((folder) => !canWrite(folder));
  if (notWritable === undefined) return checkFreeSpace(path);
  return faultFinding(
    `this user cannot write in ${notWritable}`,
    'it must belong to the user of the server and be on a writable disk',
  );
}

/** ClamAV publishes new signatures several times a day. */
const maxSignatureAgeSeconds = 7 * 86_400;

async function checkScanner({ settings, clock }: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { clamav } = settings;
  if (clamav === 'off') return [okFinding('off: documents are released unscanned, and their records say so')];
  if (clamav === undefined)
    return [
      warnFinding('not set: deposited documents stay in `scanning`', 'set CLAMAV to the address of clamd, or to off'),
    ];
  const clamd = createClamdScanner({ address: parseClamdAddress(clamav), silenceMs: checkTimeoutMs });
  // An empty scan. The scanner first tests whether clamd reports content that it cannot inspect.
  await clamd.scan(Readable.from([]), 0);
  const engine = await clamd.engine();
  const [version = '', , publishedAt = ''] = engine.split('/');
  const ageSeconds = (clock.now() - Date.parse(publishedAt)) / 1_000;
  if (Number.isNaN(ageSeconds)) return [okFinding(`${version}, which does not report the date of its signatures`)];
  const found = `${version}, signatures from ${formatSeconds(Math.max(0, ageSeconds))} ago`;
  return [ageSeconds > maxSignatureAgeSeconds ? warnFinding(found, 'check that freshclam runs') : okFinding(found)];
}

async function checkRelay({ smtpUrl }: Settings): Promise<readonly DoctorFinding[]> {
  if (smtpUrl === undefined) return [warnFinding('no relay: messages by mail fail', 'set SMTP_URL')];
  const { parseRelayUrl } = await import('../../notifications/channels/smtp-email.ts');
  const { createSmtpPool } = await import('../../notifications/channels/smtp-pool.ts');
  const { connectionCount: _, ...relay } = parseRelayUrl(smtpUrl.reveal(), checkTimeoutMs);
  const { host, port } = relay.connection;
  const connections = createSmtpPool({ ...relay, replyTimeoutMs: checkTimeoutMs, dataReplyTimeoutMs: checkTimeoutMs });
  // A closed pool ends each session when it is released.
  connections.close();
  const line = await withTimeout(checkTimeoutMs + 1_000, connections.acquire());
  if (!('fault' in line)) {
    connections.release(line);
    const login = relay.login === undefined ? '' : ' and accepts the login';
    return [okFinding(`${host}:${port} answers ${line.smtp.secure ? 'with TLS' : 'without TLS'}${login}`)];
  }
  const { code = 'no reply', responseCode, message } = line.fault;
  // The reply of a relay may repeat the login, so it is not shown.
  const reason = responseCode === undefined ? `${code}: ${message}` : `it refused with ${responseCode} (${code})`;
  const fix =
    code === 'EAUTH'
      ? 'check user and password in SMTP_URL'
      : 'check SMTP_URL, and that the relay accepts this machine';
  return [faultFinding(`${host}:${port}: ${reason}`, fix)];
}

async function checkLetterSpool({ letterSpool: folder }: Settings): Promise<readonly DoctorFinding[]> {
  if (folder === undefined) return [];
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return [faultFinding(`${folder} is not a folder`, 'create it, or mount it: the server never creates it')];
  if (canWrite(folder)) return [checkFreeSpace(folder)];
  return [faultFinding(`this user cannot write in ${folder}`, 'allow the user of the server to write there')];
}

async function checkWitnesses(settings: Settings): Promise<readonly DoctorFinding[]> {
  const witnesses = readWitnessPolicy(settings)?.witnesses ?? [];
  const urls = witnesses.flatMap(({ url }) => (url === undefined ? [] : [new URL(url)]));
  // A warning: the other witnesses may be enough for the quorum.
  return await Promise.all(urls.map((url) => checkReachable(url, 'LEDGER_WITNESSES', 'warn')));
}

async function checkIssuers({ trustedIssuers }: Settings): Promise<readonly DoctorFinding[]> {
  return await Promise.all(trustedIssuers.map((issuer) => checkReachable(new URL(issuer), 'TRUSTED_ISSUERS')));
}
