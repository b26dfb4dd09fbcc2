import type { Check, CheckUp, Finding } from '../cli/doctor.ts';
import { warn } from '../cli/doctor.ts';
import { readSettings, SettingError, type Settings } from '../config/settings.ts';
import { contentChecks } from '../doctor/contents.ts';
import { databaseChecks } from '../doctor/database.ts';
import { frontChecks } from '../doctor/front.ts';
import { machineChecks } from '../doctor/machine.ts';
import { outsideChecks } from '../doctor/outside.ts';
import { isStray, placesIn, placesWithin, type Silent, settingPlaces, silentOf } from '../doctor/places.ts';
import type { DoctorRoom } from '../doctor/room.ts';
import { findingOf, settingsCheck } from '../doctor/settings.ts';
import { rootKeyPath } from '../first-root-key.ts';
import { Secret } from '../kernel/secret.ts';
import { systemClock } from '../kernel/system-clock.ts';
import type { RootKey } from '../keys/root-key.ts';
import { readRootKey } from '../keys/root-key-file.ts';
import { lookAtSchema } from '../store/migrations.ts';
import { openToLook } from '../store/open-to-look.ts';
import type { Environment } from '../thread-messages.ts';

/** The checks of the installation that an environment describes. Nothing is opened before the first looks. */
export async function checkUpOf(environment: Environment): Promise<CheckUp> {
  const unread = await silentOf(settingPlaces(environment));
  if (unread.length > 0) return onlySettings(unread.map(({ fault }) => fault));
  const faults: SettingError[] = [];
  let settings: Settings;
  try {
    settings = readSettings(environment, (fault) => faults.push(fault));
  } catch (fault) {
    if (!(fault instanceof SettingError)) throw fault;
    return onlySettings([fault]);
  }
  const named = await silentOf(placesIn(settings));
  const silent = [...named, ...(await silentOf(placesWithin(settings, named)))];
  const room = roomOf(settings, silent);
  const strays = silent.filter((one) => isStray(one, settings)).map(({ fault }) => fault);
  const needed = silent.filter((one) => !isStray(one, settings)).map(({ fault }) => fault);
  faults.push(...needed);
  const clean = withoutSecrets(settings);
  const file = environment['SETTINGS_FILE'];
  const own = [
    settingsCheck({ settings, faults: [...faults, ...strays], silent: needed, file, clock: systemClock }),
    ...machineChecks(room),
    ...databaseChecks(room),
    ...contentChecks(room),
  ];
  // Node resolves two names at a time: one that nobody answers for would keep that of the database waiting.
  const others = [...outsideChecks(room), ...frontChecks(room)];
  const right = withoutWrong(faults);
  return {
    stages: [own, others].map((stage) => right(stage).map((check) => ({ ...check, look: () => clean(check.look()) }))),
    end: async () => await (await room.database())?.close(),
  };
}

function onlySettings(faults: readonly SettingError[]): CheckUp {
  const check: Check = {
    name: 'settings',
    look: async () => [...faults.map(findingOf), warn('nothing else was looked at', 'mend that first')],
    otherwise: { is: 'fault', fix: '' },
  };
  return { stages: [[check]], end: async () => undefined };
}

function roomOf(settings: Settings, silent: readonly Silent[]): DoctorRoom {
  const once = <T>(make: () => Promise<T>) => {
    let made: Promise<T> | undefined;
    return () => {
      made ??= make();
      return made;
    };
  };
  const { dataDir } = settings;
  const isSilent = (...names: readonly string[]) =>
    silent.some((one) => !isStray(one, settings) && names.includes(one.fault.setting));
  const databaseUrl = settings.databaseUrl?.reveal();
  const database = once(async () =>
    databaseUrl === undefined && isSilent('DATA_DIR') ? undefined : await openToLook({ databaseUrl, dataDir }),
  );
  const schema = once(async () => {
    const db = await database();
    return db === undefined ? undefined : await lookAtSchema(db);
  });
  return {
    ...{ settings, clock: systemClock, database, schema },
    root: isSilent('ROOT_KEY_FILE', 'DATA_DIR') ? undefined : rootOf(settings),
    silent: new Set(silent.map(({ place }) => place)),
  };
}

function rootOf(settings: Settings): RootKey | undefined {
  try {
    return readRootKey(rootKeyPath(settings));
  } catch {
    // The check of the root key says why.
    return undefined;
  }
}

const ofDatabase = ['DATABASE_URL', 'DATA_DIR'];
/** The settings without which a check would look at the wrong place. */
const needs: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    'database database-server connections clock signing-keys register clients ledger queues webhooks'
      .split(' ')
      .map((name) => [name, ofDatabase]),
  ),
  'data-dir': ['DATA_DIR'],
  'root-key': ['DATA_DIR', 'ROOT_KEY_FILE'],
  tls: ['TLS_CERTIFICATE'],
  'public-url': ['PUBLIC_URL', ...ofDatabase],
  port: ['PORT', ...ofDatabase],
  documents: ['DOCUMENT_STORE', 'S3_SECRET_ACCESS_KEY'],
  scanner: ['CLAMAV'],
  mail: ['SMTP_URL'],
  sms: ['SMS_URL'],
  letters: ['LETTER_SPOOL', 'LETTER_FONTS', 'LETTER_SFTP', 'LETTER_SFTP_KEY', 'LETTER_SFTP_HOST_KEY'],
  'other-register': ['REGISTER_URL'],
  'time-stamps': ['EVIDENCE_TSA_URL'],
  witnesses: ['LEDGER_WITNESSES'],
  issuers: ['TRUSTED_ISSUERS'],
};

/** Where a setting is wrong, its check says that it was not looked at; those behind it say nothing. */
function withoutWrong(faults: readonly SettingError[]): (checks: readonly Check[]) => readonly Check[] {
  const wrong = new Set(faults.flatMap(({ setting }) => [setting, setting.replace(/_FILE$/, '')]));
  const told = new Set<string>();
  const judge = (check: Check): readonly Check[] => {
    const need = needs[check.name]?.find((setting) => wrong.has(setting));
    if (need === undefined) return [check];
    if (told.has(need)) return [];
    told.add(need);
    return [{ ...check, look: async () => [warn('not looked at', `mend ${need} first`)] }];
  };
  return (checks) => checks.flatMap(judge);
}

/** What else would be told of a shorter one, or of a letter in it. */
const shortestSecret = 4;

/** Takes what is secret in the settings out of what is told, should a fault of somebody else's repeat it. */
function withoutSecrets(settings: Settings) {
  const secrets = Object.values(settings)
    .flatMap((value) => (value instanceof Secret ? partsOf(value.reveal()) : []))
    .filter((part) => part.length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
  const clean = (text: string) => secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
  const cleaned = (finding: Finding): Finding =>
    finding.is === 'ok'
      ? { ...finding, found: clean(finding.found) }
      : { ...finding, found: clean(finding.found), fix: clean(finding.fix) };
  return async (looking: Promise<readonly Finding[]>): Promise<readonly Finding[]> => {
    try {
      return (await looking).map(cleaned);
    } catch (fault) {
      throw new Error(clean(fault instanceof Error ? fault.message : String(fault)));
    }
  };
}

/** A secret as a whole, and of a URL what is secret in it, as it stands there and as it means. */
function partsOf(secret: string): readonly string[] {
  const url = URL.parse(secret.replace('@/', '@localhost/'));
  if (url === null || url.host === '') return [secret];
  // Where a gateway is called, a key may stand behind its path. What a database has there, as the folder of its socket, is none.
  const isCalled = /^https?:$/.test(url.protocol);
  const behind = isCalled ? [url.search.slice(1), ...url.searchParams.values()] : url.searchParams.getAll('password');
  const parts = [url.password, ...behind];
  // A % that begins no code is one to the driver of PostgreSQL.
  return [secret, ...parts, decodeURIComponent(url.password.replace(/%(?![\da-f]{2})/gi, '%25'))];
}
