import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { readWitnessPolicy } from '../../audit/open-ledger.ts';
import { findClient } from '../../auth/client-store.ts';
import { messageOf } from '../../cli/command.ts';
import { type DoctorFinding, type DoctorFindings, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { formatSeconds } from '../../cli/progress.ts';
import { publicUrlFor } from '../../config/public-url.ts';
import type { Settings } from '../../config/settings.ts';
import { BlobsUnavailable, blobFolders } from '../../documents/blobs/blob-store.ts';
import { parseClamdAddress } from '../../documents/document-jobs.ts';
import { findMissingDocuments, missingDocumentsFix, openBlobs, readOnlyBlobs } from '../../documents/open-blobs.ts';
import { createClamdScanner } from '../../documents/scan/clamd-scanner.ts';
import { unbracketedHost } from '../../kernel/unbracketed-host.ts';
import {
  citizenPageScopes,
  createConfiguredSignIn,
  type SignInConfig,
  signInConfigOf,
  staffSignInConfigOf,
} from '../../web/sign-in-config.ts';
import { citizenPaths } from '../../web/sign-in-flow.ts';
import { staffPaths } from '../../web/staff/staff-area.ts';
import { CheckFailed, checkTimeoutMs, type DoctorContext, openMigratedDatabase } from './doctor-context.ts';
import { canCreate, checkFreeSpace, notWritableFinding } from './machine-checks.ts';

// Checks of the services that the server uses besides its database. None sends a message.

/** Connects to the server of a URL, if there is one. The finding contains only its origin: path and query may hold a key. */
export async function checkUrl(
  address: string | undefined,
  setting: string,
  is: 'warn' | 'fault' = 'fault',
): Promise<DoctorFindings> {
  if (address === undefined) return undefined;
  const url = new URL(address);
  const origin = `${url.protocol}//${url.host}`;
  try {
    await connectTo(url);
    return okFinding(`${origin} can be reached`);
  } catch (error) {
    const fix = `check that it runs and that this machine can reach it, or change ${setting}`;
    return { is, found: `${origin}: ${messageOf(error)}`, fix };
  }
}

/** Resolves the name and connects, for https with a check of the certificate. Sends no request. */
async function connectTo(url: URL): Promise<void> {
  const isSecure = url.protocol === 'https:';
  const host = unbracketedHost(url);
  const port = Number(url.port) || (isSecure ? 443 : 80);
  // RFC 6066, section 3: a server name is not an IP address.
  const servername = isIP(host) === 0 ? host : '';
  const socket = isSecure ? connectTls({ host, port, servername }) : connect({ host, port });
  const timeout = new CheckFailed(`no answer within ${checkTimeoutMs / 1_000} s`);
  socket.setTimeout(checkTimeoutMs, () => socket.destroy(timeout));
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect');
  } finally {
    socket.destroy();
  }
}

/** Checks the folder or the bucket of the documents, and that it has the newest documents on record. */
export async function checkDocuments(context: DoctorContext): Promise<DoctorFinding> {
  const { settings } = context;
  const { documentStore } = settings;
  const isBucket = documentStore.startsWith('s3://');
  const state = isBucket ? await checkBucket(settings) : checkDocumentFolder(documentStore);
  const db = state.is === 'fault' ? undefined : await openMigratedDatabase(context);
  if (db === undefined) return state;
  const blobs = await openBlobs({ settings, log: noLog }, readOnlyBlobs);
  const missing = await findMissingDocuments(settings, db.read, blobs);
  return missing === undefined ? state : faultFinding(missing, missingDocumentsFix);
}

const noLog = { fault: () => undefined };

async function checkBucket(settings: Settings): Promise<DoctorFinding> {
  const bucket = new URL(settings.documentStore).host;
  try {
    const blobs = await openBlobs({ settings, log: noLog }, readOnlyBlobs);
    await blobs.list()[Symbol.asyncIterator]().next();
    return okFinding(`bucket ${bucket} can be listed`);
  } catch (error) {
    const { cause } = error instanceof BlobsUnavailable ? error : { cause: error };
    const name = cause instanceof Error && cause !== error && cause.name !== 'Error' ? `${cause.name}: ` : '';
    return faultFinding(
      `bucket ${bucket}: ${name}${messageOf(cause)}`,
      'check DOCUMENT_STORE, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and the permissions of this key',
    );
  }
}

function checkDocumentFolder(path: string): DoctorFinding {
  if (!existsSync(path) && canCreate(path)) return okFinding(`the first start creates ${path}`);
  // A command that another user ran may have created these folders.
  const folders = [blobFolders.incoming, blobFolders.sealed].map((name) => join(path, name)).filter(existsSync);
  const faults = [path, ...folders].map(notWritableFinding);
  return faults.find((fault) => fault !== undefined) ?? checkFreeSpace(path);
}

/** ClamAV publishes new signatures several times a day. */
const maxSignatureAgeSeconds = 7 * 86_400;

/** Scans nothing with clamd, and checks the age of its signatures. */
export async function checkScanner({ settings, clock }: DoctorContext): Promise<DoctorFinding> {
  const { clamav } = settings;
  if (clamav === 'off') return okFinding('off: documents are released without a scan, and their records show this');
  if (clamav === undefined)
    return warnFinding(
      'not set: deposited documents stay in `scanning`',
      'set CLAMAV to the address of clamd, or to off',
    );
  const clamd = createClamdScanner({ address: parseClamdAddress(clamav), silenceMs: checkTimeoutMs });
  // The scanner first tests whether clamd reports content that it cannot inspect.
  await clamd.scan(Readable.from([]), 0);
  const [version = '', , publishedAt = ''] = (await clamd.engine()).split('/');
  const ageSeconds = (clock.now() - Date.parse(publishedAt)) / 1_000;
  if (Number.isNaN(ageSeconds)) return okFinding(`${version}, which does not report the date of its signatures`);
  const found = `${version}, signatures from ${formatSeconds(Math.max(0, ageSeconds))} ago`;
  return ageSeconds > maxSignatureAgeSeconds ? warnFinding(found, 'check that freshclam runs') : okFinding(found);
}

/** Opens a session at the mail relay, up to the login. */
export async function checkRelay({ smtpUrl }: Settings): Promise<DoctorFinding> {
  if (smtpUrl === undefined) return warnFinding('no relay: messages by email fail', 'set SMTP_URL');
  const { parseRelayUrl } = await import('../../notifications/channels/smtp-email.ts');
  const { createSmtpPool } = await import('../../notifications/channels/smtp-pool.ts');
  const { connectionCount: _, ...relay } = parseRelayUrl(smtpUrl.reveal(), checkTimeoutMs);
  const { host, port } = relay.connection;
  const connections = createSmtpPool({ ...relay, replyTimeoutMs: checkTimeoutMs, dataReplyTimeoutMs: checkTimeoutMs });
  // A closed pool ends each session when it is released.
  connections.close();
  const line = await connections.acquire();
  if (!('fault' in line)) {
    connections.release(line);
    const login = relay.login === undefined ? '' : ' and accepts the login';
    return okFinding(`${host}:${port} answers ${line.smtp.secure ? 'with TLS' : 'without TLS'}${login}`);
  }
  const { code = 'no reply', responseCode, message } = line.fault;
  // The reply of a relay may repeat the login, so it is not shown.
  const reason = responseCode === undefined ? `${code}: ${message}` : `it refused with ${responseCode} (${code})`;
  const fix =
    code === 'EAUTH'
      ? 'check user and password in SMTP_URL'
      : 'check SMTP_URL, and that the relay accepts this machine';
  return faultFinding(`${host}:${port}: ${reason}`, fix);
}

/** Checks the folder for letters, which the server never creates. */
export function checkLetterSpool({ letterSpool: folder }: Settings): DoctorFindings {
  if (folder === undefined) return undefined;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return faultFinding(`${folder} is not a folder`, 'create it, or mount it: the server never creates it');
  return notWritableFinding(folder) ?? checkFreeSpace(folder);
}

/** Connects to each witness. A failure is a warning: the other witnesses may be enough for the quorum. */
export async function checkWitnesses(settings: Settings): Promise<DoctorFindings> {
  const witnesses = readWitnessPolicy(settings)?.witnesses ?? [];
  return await checkUrls(
    witnesses.map(({ url }) => url),
    'LEDGER_WITNESSES',
    'warn',
  );
}

/** Connects to the server of each URL. */
export async function checkUrls(
  urls: readonly (string | undefined)[],
  setting: string,
  is: 'warn' | 'fault' = 'fault',
): Promise<DoctorFindings> {
  return (await Promise.all(urls.map((url) => checkUrl(url, setting, is)))).flatMap((findings) => findings ?? []);
}

/** Checks the client of the pages of citizens, and starts a sign-in at the issuer, up to its login page. */
export async function checkSignIn(context: DoctorContext): Promise<DoctorFindings> {
  const { settings } = context;
  const config = signInConfigOf(settings);
  if (config === undefined) return undefined;
  const client = await checkSignInClient(context, config);
  return [client, await checkIssuer(context, config, citizenPaths)];
}

/** Starts a sign-in at the issuer of staff, up to its login page. */
export async function checkStaffSignIn(context: DoctorContext): Promise<DoctorFindings> {
  const config = staffSignInConfigOf(context.settings);
  return config && [await checkIssuer(context, config, staffPaths)];
}

async function checkIssuer(
  { settings, clock }: DoctorContext,
  config: SignInConfig,
  paths: typeof citizenPaths | typeof staffPaths,
): Promise<DoctorFinding> {
  const publicUrl = publicUrlFor(settings, settings.port);
  try {
    await createConfiguredSignIn(config, { publicUrl, clock, paths }).begin();
    return okFinding(`${config.issuer} accepts sign-ins`);
  } catch (error) {
    const prefix = config.people === 'staff' ? 'STAFF' : 'SIGN_IN';
    return faultFinding(messageOf(error), `check ${prefix}_ISSUER and the registration of ${prefix}_CLIENT_ID there`);
  }
}

async function checkSignInClient(context: DoctorContext, { clientId, issuer }: SignInConfig): Promise<DoctorFinding> {
  const db = await openMigratedDatabase(context);
  if (db === undefined) return okFinding(`${clientId} is not checked: there is no database yet`);
  const client = await findClient(db.read, clientId);
  const create = `citizen-services clients create "Pages of citizens" --kind live --scopes citizen:self,documents:read --issuer ${issuer}`;
  const createFix = `run \`${create}\` and set SIGN_IN_CLIENT_ID to the id that it prints`;
  if (client === undefined || client.disabledAt !== undefined)
    return faultFinding(`no active client ${clientId}`, createFix);
  const { credential, scopes } = client;
  if (credential.by !== 'issuer' || credential.issuer !== issuer)
    return faultFinding(`${clientId} is not a client of ${issuer}`, createFix);
  const missing = citizenPageScopes.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return okFinding(`${clientId} has the scopes that the pages need`);
  const wanted = [...scopes, ...missing].join(',');
  return faultFinding(
    `${clientId} lacks ${missing.join(' and ')}`,
    `run \`citizen-services clients update ${clientId} --scopes ${wanted}\``,
  );
}
