import type { CheckPlan, DoctorFinding } from '../../cli/doctor.ts';
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
import { CheckFailed, type DoctorContext, errorMessage } from './doctor-context.ts';
import { machineChecks } from './machine-checks.ts';
import { findUnresponsivePaths, pathsToProbe, settingFilePaths } from './probe-paths.ts';
import { serviceChecks } from './service-checks.ts';
import { settingFaultsCheck, settingsCheck } from './settings-check.ts';

/**
 * The checks of the installation that an environment describes. If settings are invalid, or a path in them does not respond,
 * only the settings are checked: another check could read the wrong database, or never end.
 */
export async function planDoctorChecks(environment: Environment): Promise<CheckPlan> {
  const unreadable = await findUnresponsivePaths(settingFilePaths(environment));
  if (unreadable.length > 0) return onlySettings(unreadable);
  const faults: SettingError[] = [];
  let settings: Settings;
  try {
    settings = readSettings(environment, (fault) => faults.push(fault));
  } catch (fault) {
    if (!(fault instanceof SettingError)) throw fault;
    return onlySettings([fault]);
  }
  const unresponsive = await findUnresponsivePaths(pathsToProbe(settings));
  const context = createDoctorContext(settings, unresponsive.length === 0);
  const redacted = createSecretRedactor(settings);
  return {
    stages: planStages(context, { faults, unresponsive, file: environment['SETTINGS_FILE'] }).map((stage) =>
      stage.map((check) => ({ ...check, run: () => redacted(check.run()) })),
    ),
    end: async () => (unresponsive.length > 0 ? undefined : await (await context.database())?.close()),
  };
}

type SettingProblems = {
  readonly faults: readonly SettingError[];
  readonly unresponsive: readonly SettingError[];
  /** The path in `SETTINGS_FILE`. */
  readonly file: string | undefined;
};

function planStages(context: DoctorContext, { faults, unresponsive, file }: SettingProblems): CheckPlan['stages'] {
  const { settings, clock } = context;
  if (unresponsive.length > 0) return [[settingFaultsCheck([...faults, ...unresponsive])]];
  const settingsStage = settingsCheck({ settings, faults, file, clock });
  if (faults.length > 0) return [[settingsStage]];
  const localChecks = [settingsStage, ...machineChecks(context), ...databaseChecks(context), ...contentChecks(context)];
  // Node.js resolves two names at a time. A name without an answer must not delay the connection to the database.
  return [localChecks, [...serviceChecks(context), ...addressChecks(settings)]];
}

function onlySettings(faults: readonly SettingError[]): CheckPlan {
  return { stages: [[settingFaultsCheck(faults)]], end: async () => undefined };
}

function createDoctorContext(settings: Settings, canReadFiles: boolean): DoctorContext {
  const once = <T>(make: () => Promise<T>) => {
    let made: Promise<T> | undefined;
    return () => {
      made ??= make();
      return made;
    };
  };
  const { dataDir } = settings;
  const databaseUrl = settings.databaseUrl?.reveal();
  const database = once(async () => await openReadOnly({ databaseUrl, dataDir }));
  const schema = once(async () => {
    const db = await database();
    return db === undefined ? undefined : await readSchemaState(db);
  });
  const root = canReadFiles ? readRootKeyIfValid(settings) : undefined;
  return { settings, clock: systemClock, database, schema, root };
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

/** Replaces the secrets of the settings in findings and errors: another machine may repeat one in its error message. */
function createSecretRedactor(settings: Settings) {
  const secrets = Object.values(settings)
    .flatMap((value) => (value instanceof Secret ? secretParts(value.reveal()) : []))
    .filter((part) => part.length >= minSecretLength)
    .sort((one, other) => other.length - one.length);
  const redact = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  const redactFinding = (finding: DoctorFinding): DoctorFinding =>
    finding.is === 'ok'
      ? { ...finding, found: redact(finding.found) }
      : { ...finding, found: redact(finding.found), fix: redact(finding.fix) };
  return async (running: Promise<readonly DoctorFinding[]>): Promise<readonly DoctorFinding[]> => {
    try {
      return (await running).map(redactFinding);
    } catch (fault) {
      throw new CheckFailed(redact(errorMessage(fault)));
    }
  };
}

/** A secret as a whole, and the secret parts of a URL: password and query values, as written and decoded. */
function secretParts(secret: string): readonly string[] {
  const url = URL.parse(secret.replace('@/', '@localhost/'));
  if (url === null || url.host === '') return [secret];
  // The query of a gateway URL may hold a key. That of a database URL holds options, of which only the password is secret.
  const isHttp = /^https?:$/.test(url.protocol);
  const inQuery = isHttp ? [url.search.slice(1), ...url.searchParams.values()] : url.searchParams.getAll('password');
  // The PostgreSQL driver reads a % that begins no code as %.
  const password = decodeURIComponent(url.password.replace(/%(?![\da-f]{2})/gi, '%25'));
  return [secret, url.password, ...inQuery, password];
}
