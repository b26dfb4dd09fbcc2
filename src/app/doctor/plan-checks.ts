import type { CheckPlan, DoctorCheck } from '../../cli/doctor.ts';
import { readSettings, SettingError, type Settings } from '../../config/settings.ts';
import type { RootKey } from '../../crypto/root-key.ts';
import { readRootKey } from '../../crypto/root-key-file.ts';
import { readSchemaState } from '../../db/migrate.ts';
import { openReadOnly } from '../../db/open-read-only.ts';
import { splitPostgresUrl } from '../../kernel/postgres-url.ts';
import { Secret } from '../../kernel/secret.ts';
import { systemClock } from '../../kernel/system-clock.ts';
import { rootKeyPath } from '../first-root-key.ts';
import type { Environment } from '../threads/thread-messages.ts';
import {
  checkClients,
  checkErasures,
  checkLedger,
  checkQueues,
  checkRegister,
  checkSigningKeys,
  checkSubkeys,
  onMigratedDatabase,
} from './content-checks.ts';
import { checkClock, checkDatabase, checkPostgres, clockFix } from './database-checks.ts';
import type { DoctorContext } from './doctor-context.ts';
import { checkCertificate, checkDataDir, checkPublicUrl, checkRootKey } from './machine-checks.ts';
import { findUnresponsivePath, pathsToProbe, settingFilePaths } from './probe-paths.ts';
import {
  checkDocuments,
  checkLetterSpool,
  checkRelay,
  checkScanner,
  checkSignIn,
  checkStaffSignIn,
  checkUrl,
  checkUrls,
  checkWitnesses,
} from './service-checks.ts';
import { checkSettings, settingFaultFindings } from './settings-check.ts';
import { checkWalletHosts, checkWallets } from './wallet-checks.ts';

/**
 * The checks of the installation that an environment describes. If settings are invalid, or a path in them does not respond,
 * only the settings are checked: another check could read the wrong database, or never end.
 */
export async function planDoctorChecks(environment: Environment): Promise<CheckPlan> {
  const unreadable = await findUnresponsivePath(settingFilePaths(environment));
  if (unreadable !== undefined) return onlySettings([unreadable]);
  const faults: SettingError[] = [];
  let settings: Settings;
  try {
    settings = readSettings(environment, (fault) => faults.push(fault));
  } catch (fault) {
    if (!(fault instanceof SettingError)) throw fault;
    return onlySettings([fault]);
  }
  const unresponsive = await findUnresponsivePath(pathsToProbe(settings));
  if (unresponsive !== undefined) return onlySettings([...faults, unresponsive]);
  const context = createDoctorContext(settings);
  const file = environment['SETTINGS_FILE'];
  const settingsCheck: DoctorCheck = {
    name: 'settings',
    fix: 'see docs/reference/settings.md',
    run: () => checkSettings({ settings, faults, file, clock: systemClock }),
  };
  return {
    stages: faults.length > 0 ? [[settingsCheck]] : [[settingsCheck, ...localChecks(context)], remoteChecks(context)],
    redact: createRedactor(settings),
    end: async () => await (await context.database())?.close(),
  };
}

function onlySettings(faults: readonly SettingError[]): CheckPlan {
  const check = { name: 'settings', fix: 'see docs/reference/settings.md', run: () => settingFaultFindings(faults) };
  return { stages: [[check]], redact: (text) => text, end: async () => undefined };
}

function localChecks(context: DoctorContext): readonly DoctorCheck[] {
  const { settings, clock } = context;
  const content = (name: string, fix: string, check: Parameters<typeof onMigratedDatabase>[1]): DoctorCheck => {
    return { name, fix, run: () => onMigratedDatabase(context, check) };
  };
  const databaseFix =
    settings.databaseUrl === undefined
      ? 'see docs/operate/troubleshooting.md#disks-and-the-database'
      : 'check that PostgreSQL runs, and that DATABASE_URL has its host, database, user, password and sslrootcert';
  const dataDirFix = 'check that DATA_DIR is a folder of the user of the server';
  const rootKeyFix = 'see docs/operate/keys.md#the-root-key';
  return [
    { name: 'data-dir', fix: dataDirFix, run: () => checkDataDir(settings) },
    { name: 'root-key', fix: rootKeyFix, run: () => checkRootKey(settings) },
    { name: 'tls', fix: 'check TLS_CERTIFICATE', run: () => checkCertificate(settings, clock) },
    { name: 'database', fix: databaseFix, run: () => checkDatabase(context) },
    { name: 'database-server', fix: 'ask the operator of PostgreSQL', run: () => checkPostgres(context) },
    { name: 'clock', fix: clockFix, run: () => checkClock(context) },
    content('root-key', rootKeyFix, checkSubkeys),
    content('signing-keys', 'see docs/operate/keys.md#signing-keys', checkSigningKeys),
    content('register', 'see docs/operate/troubleshooting.md', checkRegister),
    content('clients', 'see docs/operate/clients.md#clients', checkClients),
    content('ledger', 'see docs/security/ledger.md#broken', checkLedger),
    content('erased-citizens', 'see docs/operate/retention.md#the-list-of-erased-citizens', checkErasures),
    content('wallets', 'see docs/operate/wallets.md', checkWallets),
    content('queues', 'see docs/operate/troubleshooting.md#stuck-deliveries', checkQueues),
  ];
}

/** Node.js resolves two names at a time. A name without an answer must not delay the connection to the database. */
function remoteChecks(context: DoctorContext): readonly DoctorCheck[] {
  const { settings } = context;
  const url = (name: string, setting: string, address: string | undefined): DoctorCheck => {
    return { name, fix: `check ${setting}`, run: () => checkUrl(address, setting) };
  };
  const trusted = () => checkUrls(settings.trustedIssuers, 'TRUSTED_ISSUERS');
  return [
    { name: 'documents', fix: 'check DOCUMENT_STORE', run: () => checkDocuments(context) },
    { name: 'scanner', fix: 'check that clamd runs, and that CLAMAV is its address', run: () => checkScanner(context) },
    {
      name: 'mail',
      fix: 'check that the relay runs, and that SMTP_URL is its address',
      run: () => checkRelay(settings),
    },
    url('sms', 'SMS_URL', settings.smsUrl?.reveal()),
    { name: 'letters', fix: 'check LETTER_SPOOL', run: () => checkLetterSpool(settings) },
    url('other-register', 'REGISTER_URL', settings.registerUrl?.reveal()),
    url('time-stamps', 'EVIDENCE_TSA_URL', settings.evidenceTsaUrl),
    { name: 'wallets', fix: 'check WALLET_TRUST', run: () => checkWalletHosts(context) },
    { name: 'witnesses', fix: 'check LEDGER_WITNESSES', run: () => checkWitnesses(settings) },
    { name: 'issuers', fix: 'check TRUSTED_ISSUERS', run: trusted },
    { name: 'sign-in', fix: 'check SIGN_IN_ISSUER', run: () => checkSignIn(context) },
    { name: 'staff-sign-in', fix: 'check STAFF_ISSUER', run: () => checkStaffSignIn(context) },
    { name: 'public-url', fix: 'check PUBLIC_URL', run: () => checkPublicUrl(settings) },
  ];
}

function createDoctorContext(settings: Settings): DoctorContext {
  const once = <T>(open: () => Promise<T>) => {
    let opened: Promise<T> | undefined;
    return () => {
      opened ??= open();
      return opened;
    };
  };
  const database = once(() => openReadOnly({ databaseUrl: settings.databaseUrl?.reveal(), dataDir: settings.dataDir }));
  const schema = once(async () => {
    const db = await database();
    return db === undefined ? undefined : await readSchemaState(db);
  });
  return { settings, clock: systemClock, database, schema, root: readRootKeyIfValid(settings) };
}

function readRootKeyIfValid(settings: Settings): RootKey | undefined {
  try {
    return readRootKey(rootKeyPath(settings));
  } catch {
    // The check `root-key` reports why.
    return undefined;
  }
}

/** Replacing shorter values would damage ordinary text and reveal the value by its gaps. */
const minSecretLength = 4;

/** Returns a function that replaces the secrets of the settings in a text. */
function createRedactor(settings: Settings): CheckPlan['redact'] {
  const secrets = Object.values(settings)
    .flatMap((value) => (value instanceof Secret ? secretParts(value.reveal()) : []))
    .filter((part) => part.length >= minSecretLength)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
}

/** A secret as a whole, and the secret parts of a URL: password and query values, as written and decoded. */
function secretParts(secret: string): readonly string[] {
  return [secret, ...(splitPostgresUrl(secret) ?? [secret]).flatMap(secretPartsOfUrl)];
}

function secretPartsOfUrl(text: string): readonly string[] {
  const url = URL.parse(text.replace('@/', '@localhost/'));
  if (url === null || url.host === '') return [];
  // The query of a gateway URL may contain a key. The query of a database URL contains options, and only the password is secret.
  const isHttp = /^https?:$/.test(url.protocol);
  const inQuery = isHttp ? [url.search.slice(1), ...url.searchParams.values()] : url.searchParams.getAll('password');
  // The PostgreSQL driver reads a % that begins no code as %.
  const password = decodeURIComponent(url.password.replace(/%(?![\da-f]{2})/gi, '%25'));
  return [url.password, ...inQuery, password];
}
