import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEmailAddress } from '../kernel/email-address.ts';
import { Secret } from '../kernel/secret.ts';
import { type BindingSettings, readBindingSettings } from './binding-settings.ts';
import { type IdentitySettings, readIdentitySettings } from './identity-settings.ts';
import { type NotificationSettings, readNotificationSettings } from './notification-settings.ts';
import type { Setting } from './setting.ts';
import { type SettingName, settingTable } from './setting-table.ts';
import { readSignInSettings, type SignInSettings } from './sign-in-settings.ts';
import { parseList, validateSetting } from './validate-setting.ts';

/** The settings, checked. Secrets stay `Secret` until the moment of use. */
export type Settings = BindingSettings &
  IdentitySettings &
  NotificationSettings &
  SignInSettings & {
    readonly port: number;
    readonly host: string;
    /** undefined: as the machine has processors. */
    readonly apiThreads: number;
    readonly adminPort: number;
    readonly adminHost: string;
    readonly publicUrl: string | undefined;
    readonly dataDir: string;
    readonly databaseUrl: Secret | undefined;
    /** A folder, or an `s3:` URL. */
    readonly documentStore: string;
    readonly s3AccessKeyId: string | undefined;
    readonly s3SecretAccessKey: Secret | undefined;
    readonly documentLimit: number;
    /** `undefined`: none yet, documents wait; `off`: the operator gives them out unscanned. */
    readonly clamav: string | undefined;
    readonly rescanAfterDays: number;
    readonly signDocuments: boolean;
    readonly rootKeyFile: string | undefined;
    readonly smtpUrl: Secret | undefined;
    readonly smsUrl: Secret | undefined;
    readonly smsGateway: string | undefined;
    readonly smsReceiptToken: Secret | undefined;
    readonly bounceAddress: string | undefined;
    readonly bounceToken: Secret | undefined;
    readonly letterSpool: string | undefined;
    readonly letterWindow: string;
    /** undefined: as the mode has it. */
    readonly simulators: boolean | undefined;
    readonly webhookPrivateTargets: boolean;
    readonly holidays: readonly string[];
    readonly timeZone: string;
    readonly mailFrom: string;
    readonly ledgerMlDsa: boolean;
    readonly ledgerWitnesses: string | undefined;
    readonly accessLogHiddenDays: number;
    readonly logLevel: string | undefined;
    /** Whom the OpenAPI document and security.txt name. */
    readonly supportEmail: string | undefined;
    readonly termsUrl: string | undefined;
    readonly securityContact: string | undefined;
  };

/** A setting that stops the start: its name, what came, what was expected. A secret's value is not repeated. */
export class SettingError extends Error {
  readonly setting: string;
  readonly problem: string;
  constructor(setting: string, problem: string) {
    super(`${setting}: ${problem}. See docs/settings.md#${setting.toLowerCase()}`);
    this.name = 'SettingError';
    this.setting = setting;
    this.problem = problem;
  }
}

/** What is made of a setting; what is wrong about it stops the start under its name. Other faults may hold a password. */
export function buildFromSetting<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (fault) {
    throw new SettingError(name, fault instanceof TypeError ? fault.message : 'expected a URL of its provider');
  }
}

/** Why a file that a setting names is of no use, for people; what is wrong with its text comes in words already. */
export function unreadableFileReason(fault: unknown): string {
  if (!(fault instanceof Error)) return 'it cannot be read';
  return 'code' in fault && fault.code === 'EISDIR' ? 'it is a folder, and has to be a file' : fault.message;
}

/** Opens what lies in the folder of a setting; one that cannot be made is a fault of that setting. */
export async function openFolderOfSetting<T>(name: 'DATA_DIR' | 'DOCUMENT_STORE', open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (fault) {
    if (!(fault instanceof Error && 'syscall' in fault && fault.syscall === 'mkdir')) throw fault;
    throw new SettingError(
      name,
      `expected a folder that the user of this process may make and write to (${fault.message})`,
    );
  }
}

type OnSettingError = (fault: SettingError) => void;

/**
 * Reads all settings once: environment over `NAME_FILE` over the settings file (`NAME=value` lines) over the default. Throws
 * the first fault; with `onFault` it tells each, some of them twice, and goes on with the default. It throws also then where
 * the settings file cannot be read.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
  onFault: OnSettingError = (fault) => {
    throw fault;
  },
): Settings {
  const file = readSettingsFile(environment['SETTINGS_FILE'], onFault);
  const resolveValue = (name: SettingName) => {
    try {
      return resolveSettingValue(name, environment, file);
    } catch (fault) {
      if (!(fault instanceof SettingError)) throw fault;
      onFault(fault);
      return settingTable[name].fallback;
    }
  };
  const text = (name: SettingName) => resolveValue(name) ?? '';
  const secret = (name: SettingName) => {
    const value = resolveValue(name);
    return value === undefined ? undefined : new Secret(value);
  };
  const path = (name: SettingName) => resolve(text(name));
  // With its domain in ASCII, as mail has it.
  const mailAddress = (name: SettingName) => parseEmailAddress(text(name));
  const optionalPath = (name: SettingName) => (resolveValue(name) === undefined ? undefined : path(name));
  return {
    port: Number(text('PORT')),
    host: text('HOST'),
    apiThreads: Number(text('API_THREADS')),
    adminPort: Number(text('ADMIN_PORT')),
    adminHost: text('ADMIN_HOST'),
    // As browsers write it: callers compare it letter by letter.
    publicUrl: URL.parse(text('PUBLIC_URL'))?.origin,
    ...readBindingSettings(resolveValue),
    dataDir: path('DATA_DIR'),
    databaseUrl: secret('DATABASE_URL'),
    documentStore: resolveDocumentStore(resolveValue('DOCUMENT_STORE'), path('DATA_DIR')),
    s3AccessKeyId: resolveValue('S3_ACCESS_KEY_ID'),
    s3SecretAccessKey: secret('S3_SECRET_ACCESS_KEY'),
    documentLimit: Number(text('DOCUMENT_LIMIT_MIB')) * 1_048_576,
    clamav: resolveValue('CLAMAV'),
    rescanAfterDays: Number(text('RESCAN_AFTER_DAYS')),
    signDocuments: text('SIGN_DOCUMENTS') === 'true',
    rootKeyFile: optionalPath('ROOT_KEY_FILE'),
    smtpUrl: secret('SMTP_URL'),
    smsUrl: secret('SMS_URL'),
    smsGateway: resolveValue('SMS_GATEWAY'),
    smsReceiptToken: secret('SMS_RECEIPT_TOKEN'),
    bounceAddress: mailAddress('BOUNCE_ADDRESS'),
    bounceToken: secret('BOUNCE_TOKEN'),
    letterSpool: optionalPath('LETTER_SPOOL'),
    letterWindow: text('LETTER_WINDOW'),
    simulators: resolveValue('SIMULATORS') === undefined ? undefined : text('SIMULATORS') === 'true',
    webhookPrivateTargets: text('WEBHOOK_PRIVATE_TARGETS') === 'true',
    ...{ holidays: parseList(text('HOLIDAYS')), timeZone: text('TIME_ZONE') },
    ...readNotificationSettings(resolveValue),
    ...readSignInSettings(resolveValue),
    mailFrom: mailAddress('MAIL_FROM') ?? settingTable.MAIL_FROM.fallback,
    ...readIdentitySettings(resolveValue),
    ledgerMlDsa: text('LEDGER_ML_DSA') === 'true',
    ledgerWitnesses: optionalPath('LEDGER_WITNESSES'),
    accessLogHiddenDays: Number(text('ACCESS_LOG_HIDDEN_DAYS')),
    logLevel: resolveValue('LOG_LEVEL'),
    supportEmail: mailAddress('SUPPORT_EMAIL'),
    termsUrl: resolveValue('TERMS_URL'),
    securityContact: resolveValue('SECURITY_CONTACT'),
  };
}

/**
 * An environment that alone says what that one and its files say now: for threads that begin later, when the files may be those of a
 * start to come.
 */
export function inlineSettingFiles(environment: Readonly<Record<string, string | undefined>>): typeof environment {
  const file = readSettingsFile(environment['SETTINGS_FILE'], (fault) => {
    throw fault;
  });
  const names = Object.keys(settingTable).filter((name): name is SettingName => name in settingTable);
  return Object.fromEntries(names.map((name) => [name, resolveSettingValue(name, environment, file)]));
}

function resolveDocumentStore(given: string | undefined, dataDir: string): string {
  if (given === undefined) return resolve(dataDir, 'documents');
  return given.startsWith('s3://') ? given : resolve(given);
}

function resolveSettingValue(
  name: SettingName,
  environment: Readonly<Record<string, string | undefined>>,
  file: ReadonlyMap<string, string>,
): string | undefined {
  const setting: Setting = settingTable[name];
  const direct = undefinedIfBlank(environment[name]);
  const fromFile = setting.secret ? undefinedIfBlank(environment[`${name}_FILE`]) : undefined;
  if (direct !== undefined && fromFile !== undefined) {
    throw new SettingError(name, `both ${name} and ${name}_FILE are set; keep one`);
  }
  const value =
    direct ?? (fromFile === undefined ? undefined : readSecretFile(name, fromFile)) ?? undefinedIfBlank(file.get(name));
  if (value === undefined) return setting.fallback;
  const fault = validateSetting(setting, value);
  if (fault !== undefined) {
    const came = setting.secret ? 'something else' : JSON.stringify(value);
    throw new SettingError(name, `expected ${fault}, ${came} came`);
  }
  return value;
}

/** A file or what is read like one, as a pipe. */
function isReadableFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
}

/** The text of a file of settings, whose user is often another one than who runs a command. */
function readSettingText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    throw new SettingError(name, `${JSON.stringify(path)} cannot be read by the user of this process (${code})`);
  }
}

function undefinedIfBlank(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

function readSecretFile(name: string, path: string): string {
  if (!isReadableFile(path))
    throw new SettingError(`${name}_FILE`, `expected the path of a file, ${JSON.stringify(path)} is none`);
  const secret = readSettingText(`${name}_FILE`, path).trim();
  if (secret === '')
    throw new SettingError(`${name}_FILE`, `expected the secret in ${JSON.stringify(path)}, it is empty`);
  return secret;
}

function readSettingsFile(path: string | undefined, onFault: OnSettingError): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  if (path === undefined || path === '') return settings;
  if (!isReadableFile(path))
    throw new SettingError('SETTINGS_FILE', `expected the path of a file, ${JSON.stringify(path)} is none`);
  for (const [index, line] of readSettingText('SETTINGS_FILE', path).split('\n').entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const match = /^([A-Z][A-Z0-9_]*)\s*=\s*(.*)$/.exec(text);
    const name = match?.[1] ?? '';
    if (match === null || !(name in settingTable)) {
      onFault(
        new SettingError('SETTINGS_FILE', `line ${index + 1}: expected NAME=value with a name of docs/settings.md`),
      );
      continue;
    }
    settings.set(name, (match[2] ?? '').replace(/^"(.*)"$/, '$1'));
  }
  return settings;
}
