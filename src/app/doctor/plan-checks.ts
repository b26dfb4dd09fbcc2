import type { CheckPlan, DoctorCheck, DoctorFinding } from '../../cli/doctor.ts';
import { warnFinding } from '../../cli/doctor.ts';
import { readSettings, SettingError, type Settings } from '../../config/settings.ts';
import type { RootKey } from '../../crypto/root-key.ts';
import { readRootKey } from '../../crypto/root-key-file.ts';
import { readSchemaState } from '../../db/migrate.ts';
import { openReadOnly } from '../../db/open-read-only.ts';
import { Secret } from '../../kernel/secret.ts';
import { systemClock } from '../../kernel/system-clock.ts';
import { rootKeyPath } from '../first-root-key.ts';
import type { Environment } from '../threads/thread-messages.ts';
import { addressChecks } from './address-checks.ts';
import { contentChecks } from './content-checks.ts';
import { databaseChecks } from './database-checks.ts';
import type { DoctorContext } from './doctor-context.ts';
import { machineChecks } from './machine-checks.ts';
import {
  findUnresponsivePaths,
  isUnusedPath,
  pathsInSettings,
  pathsWithinSettings,
  settingFilePaths,
  type UnresponsivePath,
} from './probe-places.ts';
import { serviceChecks } from './service-checks.ts';
import { settingFinding, settingsCheck } from './settings-check.ts';

/** The checks of the installation that an environment describes. Nothing is opened before the first looks. */
export async function planDoctorChecks(environment: Environment): Promise<CheckPlan> {
  const unreadable = await findUnresponsivePaths(settingFilePaths(environment));
  if (unreadable.length > 0) return settingsFaultPlan(unreadable.map(({ fault }) => fault));
  const faults: SettingError[] = [];
  let settings: Settings;
  try {
    settings = readSettings(environment, (fault) => faults.push(fault));
  } catch (fault) {
    if (!(fault instanceof SettingError)) throw fault;
    return settingsFaultPlan([fault]);
  }
  const named = await findUnresponsivePaths(pathsInSettings(settings));
  const silent = [...named, ...(await findUnresponsivePaths(pathsWithinSettings(settings, named)))];
  const context = createDoctorContext(settings, silent);
  const unusedFaults = silent.filter((one) => isUnusedPath(one, settings)).map(({ fault }) => fault);
  const usedFaults = silent.filter((one) => !isUnusedPath(one, settings)).map(({ fault }) => fault);
  faults.push(...usedFaults);
  const redact = createSecretRedactor(settings);
  const file = environment['SETTINGS_FILE'];
  const localChecks = [
    settingsCheck({ settings, faults: [...faults, ...unusedFaults], silent: usedFaults, file, clock: systemClock }),
    ...machineChecks(context),
    ...databaseChecks(context),
    ...contentChecks(context),
  ];
  // Node resolves two names at a time: one that nobody answers for would keep that of the database waiting.
  const remoteChecks = [...serviceChecks(context), ...addressChecks(context)];
  const skipInvalid = skipChecksOfInvalidSettings(faults);
  return {
    stages: [localChecks, remoteChecks].map((stage) =>
      skipInvalid(stage).map((check) => ({ ...check, run: () => redact(check.run()) })),
    ),
    end: async () => await (await context.database())?.close(),
  };
}

function settingsFaultPlan(faults: readonly SettingError[]): CheckPlan {
  const check: DoctorCheck = {
    name: 'settings',
    run: async () => [...faults.map(settingFinding), warnFinding('nothing else was looked at', 'mend that first')],
    onFailure: { is: 'fault', fix: '' },
  };
  return { stages: [[check]], end: async () => undefined };
}

function createDoctorContext(settings: Settings, silent: readonly UnresponsivePath[]): DoctorContext {
  const once = <T>(make: () => Promise<T>) => {
    let made: Promise<T> | undefined;
    return () => {
      made ??= make();
      return made;
    };
  };
  const { dataDir } = settings;
  const isSilent = (...names: readonly string[]) =>
    silent.some((one) => !isUnusedPath(one, settings) && names.includes(one.fault.setting));
  const databaseUrl = settings.databaseUrl?.reveal();
  const database = once(async () =>
    databaseUrl === undefined && isSilent('DATA_DIR') ? undefined : await openReadOnly({ databaseUrl, dataDir }),
  );
  const schema = once(async () => {
    const db = await database();
    return db === undefined ? undefined : await readSchemaState(db);
  });
  return {
    ...{ settings, clock: systemClock, database, schema },
    root: isSilent('ROOT_KEY_FILE', 'DATA_DIR') ? undefined : readRootKeyIfValid(settings),
    silent: new Set(silent.map(({ place }) => place)),
  };
}

function readRootKeyIfValid(settings: Settings): RootKey | undefined {
  try {
    return readRootKey(rootKeyPath(settings));
  } catch {
    // The check of the root key says why.
    return undefined;
  }
}

const databaseSettings = ['DATABASE_URL', 'DATA_DIR'];
/** The settings without which a check would look at the wrong place. */
const requiredSettings: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    'database database-server connections clock signing-keys register clients ledger queues webhooks'
      .split(' ')
      .map((name) => [name, databaseSettings]),
  ),
  'data-dir': ['DATA_DIR'],
  'root-key': ['DATA_DIR', 'ROOT_KEY_FILE'],
  tls: ['TLS_CERTIFICATE'],
  'public-url': ['PUBLIC_URL', ...databaseSettings],
  port: ['PORT', ...databaseSettings],
  documents: ['DOCUMENT_STORE', 'S3_SECRET_ACCESS_KEY'],
  scanner: ['CLAMAV'],
  mail: ['SMTP_URL'],
  sms: ['SMS_URL'],
  letters: ['LETTER_SPOOL', 'LETTER_FONTS'],
  'other-register': ['REGISTER_URL'],
  'time-stamps': ['EVIDENCE_TSA_URL'],
  witnesses: ['LEDGER_WITNESSES'],
  issuers: ['TRUSTED_ISSUERS'],
};

/** Where a setting is wrong, its check says that it was not looked at; those behind it say nothing. */
function skipChecksOfInvalidSettings(
  faults: readonly SettingError[],
): (checks: readonly DoctorCheck[]) => readonly DoctorCheck[] {
  const wrong = new Set(faults.flatMap(({ setting }) => [setting, setting.replace(/_FILE$/, '')]));
  const reported = new Set<string>();
  const checkOrSkip = (check: DoctorCheck): readonly DoctorCheck[] => {
    const need = requiredSettings[check.name]?.find((setting) => wrong.has(setting));
    if (need === undefined) return [check];
    if (reported.has(need)) return [];
    reported.add(need);
    return [{ ...check, run: async () => [warnFinding('not looked at', `mend ${need} first`)] }];
  };
  return (checks) => checks.flatMap(checkOrSkip);
}

/** What else would be told of a shorter one, or of a letter in it. */
const minSecretLength = 4;

/** Takes what is secret in the settings out of what is told, should a fault of somebody else's repeat it. */
function createSecretRedactor(settings: Settings) {
  const secrets = Object.values(settings)
    .flatMap((value) => (value instanceof Secret ? secretParts(value.reveal()) : []))
    .filter((part) => part.length >= minSecretLength)
    .sort((one, other) => other.length - one.length);
  const redact = (text: string) => secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
  const redactFinding = (finding: DoctorFinding): DoctorFinding =>
    finding.is === 'ok'
      ? { ...finding, found: redact(finding.found) }
      : { ...finding, found: redact(finding.found), fix: redact(finding.fix) };
  return async (running: Promise<readonly DoctorFinding[]>): Promise<readonly DoctorFinding[]> => {
    try {
      return (await running).map(redactFinding);
    } catch (fault) {
      throw new Error(redact(fault instanceof Error ? fault.message : String(fault)));
    }
  };
}

/** A secret as a whole, and of a URL what is secret in it, as it stands there and as it means. */
function secretParts(secret: string): readonly string[] {
  const url = URL.parse(secret.replace('@/', '@localhost/'));
  if (url === null || url.host === '') return [secret];
  // Where a gateway is called, a key may stand behind its path. What a database has there, as the folder of its socket, is none.
  const isCalled = /^https?:$/.test(url.protocol);
  const behind = isCalled ? [url.search.slice(1), ...url.searchParams.values()] : url.searchParams.getAll('password');
  const parts = [url.password, ...behind];
  // A % that begins no code is one to the driver of PostgreSQL.
  return [secret, ...parts, decodeURIComponent(url.password.replace(/%(?![\da-f]{2})/gi, '%25'))];
}
