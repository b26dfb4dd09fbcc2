import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Client } from '../access/client.ts';
import { allClients } from '../access/client-store.ts';
import { type Check, type Finding, faulty, ok, warn } from '../cli/doctor.ts';
import { clamdAddress, openBlobs } from '../compose/documents.ts';
import { witnessesIn } from '../compose/ledger.ts';
import { sftpPlaceIn, tryLetterOf } from '../compose/letters.ts';
import { SettingError, type Settings } from '../config/settings.ts';
import { BlobsUnavailable, blobFolders } from '../documents/blobs/blob-store.ts';
import { clamdScanner } from '../documents/scanners/clamd.ts';
import type { SendingService, TryLetter } from '../notifications/ports.ts';
import { mayMake, mayWrite, space } from './machine.ts';
import { patienceMs, reached } from './reach.ts';
import { type DoctorRoom, messageOf, readyDatabase, spanOf, within } from './room.ts';
import { signIn } from './sign-in.ts';

/** Whom the server speaks to besides its database, each as the server itself would, up to where something is sent. */
export function outsideChecks(room: DoctorRoom): readonly Check[] {
  const { settings } = room;
  const check = (name: string, look: () => Promise<readonly Finding[]>, fix: string): Check => ({
    name,
    look,
    otherwise: { is: 'fault', fix },
  });
  return [
    check('documents', () => documents(settings), 'see that DOCUMENT_STORE is there, and may be used'),
    check('scanner', () => scanner(room), 'see that clamd runs, and that CLAMAV says where it listens'),
    check('mail', () => mail(settings), 'see that the relay runs, and that SMTP_URL says where'),
    check('sms', () => at(settings.smsUrl?.reveal(), 'SMS_URL'), 'see SMS_URL'),
    check('letters', () => letters(room), 'see that the place of the printer is there, and may be used'),
    check('other-register', () => at(settings.registerUrl?.reveal(), 'REGISTER_URL'), 'see REGISTER_URL'),
    check('time-stamps', () => at(settings.evidenceTsaUrl, 'EVIDENCE_TSA_URL'), 'see EVIDENCE_TSA_URL'),
    check('witnesses', () => witnesses(settings), 'see LEDGER_WITNESSES'),
    check('issuers', () => issuers(settings), 'see TRUSTED_ISSUERS'),
    check('sign-in', () => signIn(room), 'see SIGN_IN_ISSUER'),
  ];
}

async function at(url: string | undefined, setting: string): Promise<readonly Finding[]> {
  return url === undefined ? [] : [await reached(new URL(url), setting)];
}

async function documents({ documentStore, ...settings }: Settings): Promise<readonly Finding[]> {
  if (!documentStore.startsWith('s3://')) return [folder(documentStore)];
  const log = { fault: () => undefined };
  const bucket = new URL(documentStore).host;
  try {
    const blobs = await openBlobs({ settings: { documentStore, ...settings }, log });
    const listing = blobs.list()[Symbol.asyncIterator]();
    await within(patienceMs, listing.next());
    return [ok(`bucket ${bucket} can be listed`)];
  } catch (fault) {
    const why = fault instanceof BlobsUnavailable ? fault.cause : fault;
    const { name } = why as Error;
    const found = `bucket ${bucket}: ${[name, messageOf(why)].filter((part) => part !== 'Error').join(': ')}`;
    return [faulty(found, 'see DOCUMENT_STORE, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, and what they are allowed')];
  }
}

function folder(path: string): Finding {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) {
    // A command that another user ran may have made those within it.
    const within = [blobFolders.incoming, blobFolders.sealed].map((name) => join(path, name)).filter(existsSync);
    const shut = [path, ...within].find((one) => !mayWrite(one));
    if (shut === undefined) return space(path);
    return faulty(
      `this user may not write in ${shut}`,
      'it has to belong to the user of the server, on a disk that takes writes',
    );
  }
  if (mayMake(path)) return ok(`${path} is made at the first start`);
  return faulty(`${path} is not there, and this user may not make it`, 'make it, or mount what belongs there');
}

/** Signatures come several times a day. */
const oldSignaturesSeconds = 7 * 86_400;

async function scanner({ settings, clock }: DoctorRoom): Promise<readonly Finding[]> {
  const { clamav } = settings;
  if (clamav === 'off') return [ok('off: documents are given out unscanned, and their records say so')];
  if (clamav === undefined)
    return [warn('none: deposited documents wait in `scanning`', 'set CLAMAV to the address of clamd, or to off')];
  const clamd = clamdScanner({ address: clamdAddress(clamav), silenceMs: patienceMs });
  // Of nothing; before that it proves that it reports what it cannot look into.
  await clamd.scan(Readable.from([]), 0);
  const engine = await clamd.engine();
  const [version = '', , made = ''] = engine.split('/');
  const seconds = (clock.now() - Date.parse(made)) / 1_000;
  if (Number.isNaN(seconds)) return [ok(`${version}, which does not tell of what day its signatures are`)];
  const found = `${version}, signatures of ${spanOf(Math.max(0, seconds))} ago`;
  return [seconds > oldSignaturesSeconds ? warn(found, 'see that freshclam runs') : ok(found)];
}

async function mail({ smtpUrl }: Settings): Promise<readonly Finding[]> {
  if (smtpUrl === undefined) return [warn('no relay: messages by mail fail', 'set SMTP_URL')];
  const { relayOf } = await import('../notifications/channels/smtp-email.ts');
  const { createConnections } = await import('../notifications/channels/smtp-connections.ts');
  const { connectionCount: _, ...relay } = relayOf(smtpUrl.reveal(), patienceMs);
  const { host, port } = relay.connection;
  const connections = createConnections({ ...relay, silenceMs: patienceMs, verdictMs: patienceMs });
  // Closed, it ends a session as soon as it is given back.
  connections.close();
  const line = await within(patienceMs + 1_000, connections.take());
  if (!('fault' in line)) {
    connections.giveBack(line);
    const login = relay.login === undefined ? '' : ', and takes the login';
    const how = line.smtp.secure ? 'over TLS' : 'without TLS';
    return [ok(`${host}:${port} is there ${how}${login}`)];
  }
  const { code = 'no reply', responseCode, message } = line.fault;
  // What a relay replies may repeat the login.
  const why = responseCode === undefined ? `${code}: ${message}` : `it refused us with ${responseCode} (${code})`;
  const fix = code === 'EAUTH' ? 'see user and password in SMTP_URL' : 'see SMTP_URL, and that the relay takes us';
  return [faulty(`${host}:${port}: ${why}`, fix)];
}

async function letters(room: DoctorRoom): Promise<readonly Finding[]> {
  const { letterSpool, letterSftp } = room.settings;
  if (letterSpool === undefined && letterSftp === undefined) return [];
  const [place, unset] = await Promise.all([
    letterSpool === undefined ? sftp(room.settings) : spool(letterSpool),
    letterFault(room),
  ]);
  if (unset === undefined) return [place];
  return [...(place.is === 'ok' ? [] : [place]), unset];
}

/** What is wrong where letters are set as for the printer, one of the house and one of each client; they are thrown away. */
async function letterFault(room: DoctorRoom): Promise<Finding | undefined> {
  const { settings, clock } = room;
  const faults: unknown[] = [];
  let tryLetter: TryLetter | undefined;
  try {
    tryLetter = await tryLetterOf({ settings, log: { fault: (_where, fault) => void faults.push(fault) } });
  } catch (fault) {
    if (!(fault instanceof SettingError)) throw fault;
    // The check of the settings says why.
    return undefined;
  }
  const senders: ReadonlyArray<SendingService & Partial<Client>> = [{ name: 'A service' }, ...(await writersOf(room))];
  for (const { clientId, name: sender, returnAddress } of senders) {
    const reason = await tryLetter?.({
      ...{ contact: undefined, content: { message: 'A letter.' }, sender, returnAddress, language: undefined },
      ...{ reminder: false, at: clock.now() },
    });
    const [fault] = faults;
    if (fault !== undefined)
      return faulty(messageOf(fault), 'letters need Linux with glibc, and the packages as `npm ci` puts them');
    if (reason === undefined) continue;
    return clientId === undefined
      ? faulty(`a letter of two words is refused: ${reason}`, 'see LETTER_FONTS and LETTER_RETURN_ADDRESS')
      : faulty(
          `a letter of two words from ${clientId} is refused: ${reason}`,
          `add fonts to LETTER_FONTS, or change its name or address: \`citizen-services clients update ${clientId}\``,
        );
  }
  return undefined;
}

/** Who may send letters, as far as a database tells. */
async function writersOf(room: DoctorRoom): Promise<Client[]> {
  const db = await readyDatabase(room);
  const all = db === undefined ? [] : await allClients(db.read);
  return all.filter(({ disabledAt, scopes }) => disabledAt === undefined && scopes.includes('notifications:send'));
}

function spool(folder: string): Finding {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) return faulty(`${folder} is no folder`, 'make it, or mount it: it is never made here');
  if (mayWrite(folder)) return space(folder);
  return faulty(`this user may not write in ${folder}`, 'let the user of the server write there');
}

async function sftp(settings: Settings): Promise<Finding> {
  const place = await sftpPlaceIn(settings);
  const { openSftp } = await import('../notifications/channels/sftp-session.ts');
  const where = `${place.host}:${place.port}${place.folder}`;
  try {
    const session = await within(patienceMs, openSftp(place));
    try {
      await within(patienceMs, session.list());
    } finally {
      session.end();
    }
    return ok(`${where} can be listed`);
  } catch (fault) {
    const { cause } = fault as Error;
    const why = cause instanceof Error ? `${messageOf(fault)} (${cause.message})` : messageOf(fault);
    return faulty(`${where}: ${why}`, 'see LETTER_SFTP, LETTER_SFTP_KEY and LETTER_SFTP_HOST_KEY');
  }
}

async function witnesses(settings: Settings): Promise<readonly Finding[]> {
  const asked = witnessesIn(settings)?.witnesses ?? [];
  // One that is away keeps no quorum from the others.
  return await Promise.all(
    asked.flatMap(({ url }) => (url === undefined ? [] : [reached(new URL(url), 'LEDGER_WITNESSES', 'warn')])),
  );
}

async function issuers({ trustedIssuers }: Settings): Promise<readonly Finding[]> {
  return await Promise.all(trustedIssuers.map((issuer) => reached(new URL(issuer), 'TRUSTED_ISSUERS')));
}
