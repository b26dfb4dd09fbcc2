import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { readWitnessPolicy } from '../../audit/open-ledger.ts';
import type { Client } from '../../auth/client.ts';
import { allClients } from '../../auth/client-store.ts';
import { type DoctorCheck, type DoctorFinding, faultFinding, okFinding, warnFinding } from '../../cli/doctor.ts';
import { SettingError, type Settings } from '../../config/settings.ts';
import { BlobsUnavailable, blobFolders } from '../../documents/blobs/blob-store.ts';
import { parseClamdAddress } from '../../documents/document-jobs.ts';
import { openBlobs } from '../../documents/open-blobs.ts';
import { createClamdScanner } from '../../documents/scan/clamd-scanner.ts';
import type { CheckLetter } from '../../notifications/letters/check-letter.ts';
import { createLetterDryRun } from '../../notifications/letters/letter-settings.ts';
import type { SendingService } from '../../notifications/notification/sending-service.ts';
import { checkReachable, checkTimeoutMs } from './check-reachable.ts';
import {
  type DoctorContext,
  errorMessage,
  formatSeconds,
  openMigratedDatabase,
  withTimeout,
} from './doctor-context.ts';
import { canCreate, canWrite, checkFreeSpace } from './machine-checks.ts';
import { checkSignIn } from './sign-in-checks.ts';

/** Whom the server speaks to besides its database, each as the server itself would, up to where something is sent. */
export function serviceChecks(context: DoctorContext): readonly DoctorCheck[] {
  const { settings } = context;
  const check = (name: string, run: () => Promise<readonly DoctorFinding[]>, fix: string): DoctorCheck => ({
    name,
    run,
    onFailure: { is: 'fault', fix },
  });
  return [
    check('documents', () => documents(settings), 'see that DOCUMENT_STORE is there, and may be used'),
    check('scanner', () => scanner(context), 'see that clamd runs, and that CLAMAV says where it listens'),
    check('mail', () => mail(settings), 'see that the relay runs, and that SMTP_URL says where'),
    check('sms', () => checkUrl(settings.smsUrl?.reveal(), 'SMS_URL'), 'see SMS_URL'),
    check('letters', () => letters(context), 'see that the place of the printer is there, and may be used'),
    check('other-register', () => checkUrl(settings.registerUrl?.reveal(), 'REGISTER_URL'), 'see REGISTER_URL'),
    check('time-stamps', () => checkUrl(settings.evidenceTsaUrl, 'EVIDENCE_TSA_URL'), 'see EVIDENCE_TSA_URL'),
    check('witnesses', () => witnesses(settings), 'see LEDGER_WITNESSES'),
    check('issuers', () => issuers(settings), 'see TRUSTED_ISSUERS'),
    check('sign-in', () => checkSignIn(context), 'see SIGN_IN_ISSUER'),
  ];
}

async function checkUrl(url: string | undefined, setting: string): Promise<readonly DoctorFinding[]> {
  return url === undefined ? [] : [await checkReachable(new URL(url), setting)];
}

async function documents({ documentStore, ...settings }: Settings): Promise<readonly DoctorFinding[]> {
  if (!documentStore.startsWith('s3://')) return [checkFolder(documentStore)];
  const log = { fault: () => undefined };
  const bucket = new URL(documentStore).host;
  try {
    const blobs = await openBlobs({ settings: { documentStore, ...settings }, log });
    const listing = blobs.list()[Symbol.asyncIterator]();
    await withTimeout(checkTimeoutMs, listing.next());
    return [okFinding(`bucket ${bucket} can be listed`)];
  } catch (fault) {
    const why = fault instanceof BlobsUnavailable ? fault.cause : fault;
    const { name } = why as Error;
    const found = `bucket ${bucket}: ${[name, errorMessage(why)].filter((part) => part !== 'Error').join(': ')}`;
    return [
      faultFinding(found, 'see DOCUMENT_STORE, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, and what they are allowed'),
    ];
  }
}

function checkFolder(path: string): DoctorFinding {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) {
    // A command that another user ran may have made those within it.
    const within = [blobFolders.incoming, blobFolders.sealed].map((name) => join(path, name)).filter(existsSync);
    const shut = [path, ...within].find((one) => !canWrite(one));
    if (shut === undefined) return checkFreeSpace(path);
    return faultFinding(
      `this user may not write in ${shut}`,
      'it has to belong to the user of the server, on a disk that takes writes',
    );
  }
  if (canCreate(path)) return okFinding(`${path} is made at the first start`);
  return faultFinding(`${path} is not there, and this user may not make it`, 'make it, or mount what belongs there');
}

/** Signatures come several times a day. */
const maxSignatureAgeSeconds = 7 * 86_400;

async function scanner({ settings, clock }: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { clamav } = settings;
  if (clamav === 'off') return [okFinding('off: documents are given out unscanned, and their records say so')];
  if (clamav === undefined)
    return [
      warnFinding('none: deposited documents wait in `scanning`', 'set CLAMAV to the address of clamd, or to off'),
    ];
  const clamd = createClamdScanner({ address: parseClamdAddress(clamav), silenceMs: checkTimeoutMs });
  // Of nothing; before that it proves that it reports what it cannot look into.
  await clamd.scan(Readable.from([]), 0);
  const engine = await clamd.engine();
  const [version = '', , made = ''] = engine.split('/');
  const seconds = (clock.now() - Date.parse(made)) / 1_000;
  if (Number.isNaN(seconds)) return [okFinding(`${version}, which does not tell of what day its signatures are`)];
  const found = `${version}, signatures of ${formatSeconds(Math.max(0, seconds))} ago`;
  return [seconds > maxSignatureAgeSeconds ? warnFinding(found, 'see that freshclam runs') : okFinding(found)];
}

async function mail({ smtpUrl }: Settings): Promise<readonly DoctorFinding[]> {
  if (smtpUrl === undefined) return [warnFinding('no relay: messages by mail fail', 'set SMTP_URL')];
  const { parseRelayUrl } = await import('../../notifications/channels/smtp-email.ts');
  const { createSmtpPool } = await import('../../notifications/channels/smtp-pool.ts');
  const { connectionCount: _, ...relay } = parseRelayUrl(smtpUrl.reveal(), checkTimeoutMs);
  const { host, port } = relay.connection;
  const connections = createSmtpPool({ ...relay, replyTimeoutMs: checkTimeoutMs, dataReplyTimeoutMs: checkTimeoutMs });
  // Closed, it ends a session as soon as it is given back.
  connections.close();
  const line = await withTimeout(checkTimeoutMs + 1_000, connections.acquire());
  if (!('fault' in line)) {
    connections.release(line);
    const login = relay.login === undefined ? '' : ', and takes the login';
    const how = line.smtp.secure ? 'over TLS' : 'without TLS';
    return [okFinding(`${host}:${port} is there ${how}${login}`)];
  }
  const { code = 'no reply', responseCode, message } = line.fault;
  // What a relay replies may repeat the login.
  const why = responseCode === undefined ? `${code}: ${message}` : `it refused us with ${responseCode} (${code})`;
  const fix = code === 'EAUTH' ? 'see user and password in SMTP_URL' : 'see SMTP_URL, and that the relay takes us';
  return [faultFinding(`${host}:${port}: ${why}`, fix)];
}

async function letters(context: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { letterSpool } = context.settings;
  if (letterSpool === undefined) return [];
  const [place, unset] = [checkSpool(letterSpool), await checkLetterPrinting(context)];
  if (unset === undefined) return [place];
  return [...(place.is === 'ok' ? [] : [place]), unset];
}

/** What is wrong where letters are set as for the printer, one of the house and one of each client; they are thrown away. */
async function checkLetterPrinting(context: DoctorContext): Promise<DoctorFinding | undefined> {
  const { settings, clock } = context;
  const faults: unknown[] = [];
  let tryLetter: CheckLetter | undefined;
  try {
    tryLetter = await createLetterDryRun({ settings, log: { fault: (_where, fault) => void faults.push(fault) } });
  } catch (fault) {
    if (!(fault instanceof SettingError)) throw fault;
    // The check of the settings says why.
    return undefined;
  }
  const senders: ReadonlyArray<SendingService & Partial<Client>> = [
    { name: 'A service' },
    ...(await letterClients(context)),
  ];
  for (const { clientId, name: sender, returnAddress } of senders) {
    const reason = await tryLetter?.({
      ...{ contact: undefined, content: { message: 'A letter.' }, sender, returnAddress, language: undefined },
      ...{ reminder: false, at: clock.now() },
    });
    const [fault] = faults;
    if (fault !== undefined)
      return faultFinding(errorMessage(fault), 'letters need Linux with glibc, and the packages as `npm ci` puts them');
    if (reason === undefined) continue;
    return clientId === undefined
      ? faultFinding(`a letter of two words is refused: ${reason}`, 'see LETTER_FONTS and LETTER_RETURN_ADDRESS')
      : faultFinding(
          `a letter of two words from ${clientId} is refused: ${reason}`,
          `add fonts to LETTER_FONTS, or change its name or address: \`citizen-services clients update ${clientId}\``,
        );
  }
  return undefined;
}

/** Who may send letters, as far as a database tells. */
async function letterClients(context: DoctorContext): Promise<Client[]> {
  const db = await openMigratedDatabase(context);
  const all = db === undefined ? [] : await allClients(db.read);
  return all.filter(({ disabledAt, scopes }) => disabledAt === undefined && scopes.includes('notifications:send'));
}

function checkSpool(folder: string): DoctorFinding {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) return faultFinding(`${folder} is no folder`, 'make it, or mount it: it is never made here');
  if (canWrite(folder)) return checkFreeSpace(folder);
  return faultFinding(`this user may not write in ${folder}`, 'let the user of the server write there');
}

async function witnesses(settings: Settings): Promise<readonly DoctorFinding[]> {
  const asked = readWitnessPolicy(settings)?.witnesses ?? [];
  // One that is away keeps no quorum from the others.
  return await Promise.all(
    asked.flatMap(({ url }) => (url === undefined ? [] : [checkReachable(new URL(url), 'LEDGER_WITNESSES', 'warn')])),
  );
}

async function issuers({ trustedIssuers }: Settings): Promise<readonly DoctorFinding[]> {
  return await Promise.all(trustedIssuers.map((issuer) => checkReachable(new URL(issuer), 'TRUSTED_ISSUERS')));
}
