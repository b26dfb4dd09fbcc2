import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Secret } from '../kernel/secret.ts';

type Kind = 'text' | 'port' | 'url' | 'path' | 'flag' | 'level' | 'list' | 'country' | 'scanner' | 'count' | 'days';

type Setting = {
  readonly kind: Kind;
  readonly fallback: string | undefined;
  readonly secret?: true;
  readonly help: string;
};

/**
 * Every setting of the server, with its default: this table is also the source of docs/settings.md. A secret may be
 * given in a file instead, as `NAME_FILE`.
 */
export const settingTable = {
  PORT: { kind: 'port', fallback: '3000', help: 'TCP port of the API; 0 takes a free one.' },
  HOST: { kind: 'text', fallback: '127.0.0.1', help: 'Address to listen on. The demo never listens beyond loopback.' },
  ADMIN_PORT: {
    kind: 'port',
    fallback: '0',
    help: 'TCP port of /metrics, on loopback; 0 takes a free one, or shares none.',
  },
  PUBLIC_URL: {
    kind: 'url',
    fallback: undefined,
    help: 'The address callers use, without a path; default http://HOST:PORT.',
  },
  DATA_DIR: { kind: 'path', fallback: './data', help: 'Folder of the embedded database, documents and the demo keys.' },
  DATABASE_URL: {
    kind: 'url',
    secret: true,
    fallback: undefined,
    help: 'postgres://…; without it SQLite in DATA_DIR.',
  },
  DOCUMENT_STORE: {
    kind: 'path',
    fallback: undefined,
    help: 'Folder of the sealed documents; default DATA_DIR/documents.',
  },
  DOCUMENT_LIMIT_MIB: { kind: 'count', fallback: '100', help: 'What one document may weigh, in MiB.' },
  CLAMAV: {
    kind: 'scanner',
    fallback: undefined,
    help: 'Where clamd listens: unix:/path or tcp://host:port; without it deposited documents wait in `scanning`. off gives them out unscanned, and says so in each record; the demo has off. clamd keeps what it scans in its TemporaryDirectory: put that in memory.',
  },
  RESCAN_AFTER_DAYS: {
    kind: 'count',
    fallback: '7',
    help: 'A document is scanned anew when the signatures have changed and its last scan is older than that.',
  },
  ROOT_KEY_FILE: { kind: 'path', fallback: undefined, help: 'File (mode 0600) with the root key: 32 bytes in base64.' },
  TRUSTED_ISSUERS: {
    kind: 'list',
    fallback: '',
    help: 'Issuer URLs, besides our own, whose access tokens are accepted.',
  },
  SMTP_URL: { kind: 'url', secret: true, fallback: undefined, help: 'smtp:// or smtps:// URL of the mail relay.' },
  SMS_URL: {
    kind: 'url',
    secret: true,
    fallback: undefined,
    help: 'URL of the gateway that takes text messages by POST.',
  },
  SMS_GATEWAY: {
    kind: 'path',
    fallback: undefined,
    help: 'JSON file: how it is spoken to; see docs/notifications.md.',
  },
  SMS_RECEIPT_TOKEN: {
    kind: 'text',
    secret: true,
    fallback: undefined,
    help: 'What the gateway sends as a bearer token with its receipts to /callbacks/sms; without it none are taken.',
  },
  LETTER_SPOOL: { kind: 'path', fallback: undefined, help: 'Folder that a printer takes letters from.' },
  LETTER_WINDOW: { kind: 'text', fallback: 'din5008b', help: 'Address window of the envelopes: din5008b or uk-c5.' },
  SIMULATORS: {
    kind: 'flag',
    fallback: undefined,
    help: 'true plays invented citizens: sim-delivered and so on; true in the demo.',
  },
  WEBHOOK_PRIVATE_TARGETS: { kind: 'flag', fallback: 'false', help: 'true lets webhooks call http and private hosts.' },
  HOLIDAYS: { kind: 'text', fallback: '', help: 'Days (YYYY-MM-DD, with commas) that are no working days by law.' },
  MAIL_FROM: { kind: 'text', fallback: 'no-reply@localhost', help: 'Sender address of mail.' },
  REGISTER_NAME: {
    kind: 'text',
    fallback: 'Population register',
    help: 'Name of the register, as signed results state it.',
  },
  REGISTER_COUNTRY: { kind: 'country', fallback: undefined, help: 'Its country, as two letters of ISO 3166-1.' },
  REFUSE_CLAIMS_IN_URL: {
    kind: 'flag',
    fallback: 'false',
    help: 'true refuses GET /v1/identity/verify with claims in the URL.',
  },
  LEDGER_ML_DSA: {
    kind: 'flag',
    fallback: 'false',
    help: 'true signs checkpoints of the ledger with ML-DSA-44 too, beside Ed25519.',
  },
  LEDGER_WITNESSES: {
    kind: 'path',
    fallback: undefined,
    help: 'File with the witnesses of the ledger and their quorum (c2sp.org/tlog-policy); without it there are none.',
  },
  ACCESS_LOG_HIDDEN_DAYS: {
    kind: 'days',
    fallback: '365',
    help: 'The longest that a use may be hidden from the citizen, in days; 0 allows no hiding.',
  },
  LOG_LEVEL: {
    kind: 'level',
    fallback: undefined,
    help: 'fatal, error, warn, info, debug, trace or silent; info, in the demo warn.',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settingTable;

/** The settings, checked. Secrets stay `Secret` until the moment of use. */
export type Settings = {
  readonly port: number;
  readonly host: string;
  readonly adminPort: number;
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  readonly databaseUrl: Secret | undefined;
  readonly documentStore: string;
  readonly documentLimit: number;
  /** `undefined`: none yet, documents wait; `off`: the operator gives them out unscanned. */
  readonly clamav: string | undefined;
  readonly rescanAfterDays: number;
  readonly rootKeyFile: string | undefined;
  readonly trustedIssuers: readonly string[];
  readonly smtpUrl: Secret | undefined;
  readonly smsUrl: Secret | undefined;
  readonly smsGateway: string | undefined;
  readonly smsReceiptToken: Secret | undefined;
  readonly letterSpool: string | undefined;
  readonly letterWindow: string;
  /** undefined: as the mode has it. */
  readonly simulators: boolean | undefined;
  readonly webhookPrivateTargets: boolean;
  readonly holidays: readonly string[];
  readonly mailFrom: string;
  readonly registerName: string;
  readonly registerCountry: string | undefined;
  readonly refuseClaimsInUrl: boolean;
  readonly ledgerMlDsa: boolean;
  readonly ledgerWitnesses: string | undefined;
  readonly accessLogHiddenDays: number;
  readonly logLevel: string | undefined;
};

/** A setting that stops the start: its name, what came, what was expected. A secret's value is not repeated. */
export class SettingError extends Error {
  constructor(name: string, problem: string) {
    super(`${name}: ${problem}. See docs/settings.md#${name.toLowerCase()}`);
    this.name = 'SettingError';
  }
}

/** Reads all settings once: environment over `NAME_FILE` over the settings file (`NAME=value` lines) over the default. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const file = readSettingsFile(environment['SETTINGS_FILE']);
  const given = (name: SettingName) => givenValue(name, environment, file);
  const text = (name: SettingName) => given(name) ?? '';
  const optional = (name: SettingName) => (given(name) === undefined ? undefined : text(name));
  const secret = (name: SettingName) => {
    const value = given(name);
    return value === undefined ? undefined : new Secret(value);
  };
  const path = (name: SettingName) => resolve(text(name));
  const databaseUrl = given('DATABASE_URL');
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new SettingError('DATABASE_URL', 'expected a postgres:// URL, something else came');
  }
  return {
    port: Number(text('PORT')),
    host: text('HOST'),
    adminPort: Number(text('ADMIN_PORT')),
    publicUrl: optional('PUBLIC_URL')?.replace(/\/+$/, ''),
    dataDir: path('DATA_DIR'),
    databaseUrl: secret('DATABASE_URL'),
    documentStore:
      given('DOCUMENT_STORE') === undefined ? resolve(path('DATA_DIR'), 'documents') : path('DOCUMENT_STORE'),
    documentLimit: Number(text('DOCUMENT_LIMIT_MIB')) * 1_048_576,
    clamav: optional('CLAMAV'),
    rescanAfterDays: Number(text('RESCAN_AFTER_DAYS')),
    rootKeyFile: given('ROOT_KEY_FILE') === undefined ? undefined : path('ROOT_KEY_FILE'),
    trustedIssuers: text('TRUSTED_ISSUERS')
      .split(/[\s,]+/)
      .filter((issuer) => issuer !== ''),
    smtpUrl: secret('SMTP_URL'),
    smsUrl: secret('SMS_URL'),
    smsGateway: optional('SMS_GATEWAY'),
    smsReceiptToken: secret('SMS_RECEIPT_TOKEN'),
    letterSpool: given('LETTER_SPOOL') === undefined ? undefined : path('LETTER_SPOOL'),
    letterWindow: text('LETTER_WINDOW'),
    simulators: given('SIMULATORS') === undefined ? undefined : text('SIMULATORS') === 'true',
    webhookPrivateTargets: text('WEBHOOK_PRIVATE_TARGETS') === 'true',
    holidays: text('HOLIDAYS')
      .split(/[\s,]+/)
      .filter((day) => day !== ''),
    mailFrom: text('MAIL_FROM'),
    registerName: text('REGISTER_NAME'),
    registerCountry: optional('REGISTER_COUNTRY'),
    refuseClaimsInUrl: text('REFUSE_CLAIMS_IN_URL') === 'true',
    ledgerMlDsa: text('LEDGER_ML_DSA') === 'true',
    ledgerWitnesses: given('LEDGER_WITNESSES') === undefined ? undefined : path('LEDGER_WITNESSES'),
    accessLogHiddenDays: Number(text('ACCESS_LOG_HIDDEN_DAYS')),
    logLevel: optional('LOG_LEVEL'),
  };
}

function givenValue(
  name: SettingName,
  environment: Readonly<Record<string, string | undefined>>,
  file: ReadonlyMap<string, string>,
): string | undefined {
  const setting: Setting = settingTable[name];
  const direct = blankToNone(environment[name]);
  const fromFile = setting.secret ? blankToNone(environment[`${name}_FILE`]) : undefined;
  if (direct !== undefined && fromFile !== undefined) {
    throw new SettingError(name, `both ${name} and ${name}_FILE are set; keep one`);
  }
  const value = direct ?? (fromFile === undefined ? undefined : readSecretFile(name, fromFile)) ?? file.get(name);
  if (value === undefined) return setting.fallback;
  const fault = faultOf(setting.kind, value);
  if (fault !== undefined) {
    const came = setting.secret ? 'something else' : JSON.stringify(value);
    throw new SettingError(name, `expected ${fault}, ${came} came`);
  }
  return value;
}

function blankToNone(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

function readSecretFile(name: string, path: string): string {
  if (!existsSync(path))
    throw new SettingError(`${name}_FILE`, `expected the path of a file, ${JSON.stringify(path)} is not there`);
  return readFileSync(path, 'utf8').trim();
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

function faultOf(kind: Kind, value: string): string | undefined {
  switch (kind) {
    case 'port':
      return /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? undefined : 'a port number from 0 to 65535';
    case 'count':
      return /^[1-9]\d{0,5}$/.test(value) ? undefined : 'a whole number above 0';
    case 'scanner':
      return /^(?:off|unix:\/\S+|tcp:\/\/\S+:\d{1,5})$/.test(value) ? undefined : 'unix:/path, tcp://host:port or off';
    case 'days':
      return /^\d{1,5}$/.test(value) ? undefined : 'a whole number of days';
    case 'country':
      return /^[A-Z]{2}$/.test(value) ? undefined : 'two capital letters, as PT';
    case 'flag':
      return value === 'true' || value === 'false' ? undefined : 'true or false';
    case 'level':
      return levels.includes(value) ? undefined : `one of ${levels.join(', ')}`;
    case 'url':
      return URL.canParse(value) ? undefined : 'an absolute URL';
    case 'list':
      return value.split(/[\s,]+/).every((item) => item === '' || URL.canParse(item)) ? undefined : 'absolute URLs';
    case 'text':
    case 'path':
      return undefined;
  }
}

function readSettingsFile(path: string | undefined): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  if (path === undefined || path === '') return settings;
  if (!existsSync(path))
    throw new SettingError('SETTINGS_FILE', `expected the path of a file, ${JSON.stringify(path)} is not there`);
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const match = /^([A-Z_]+)\s*=\s*(.*)$/.exec(text);
    const name = match?.[1] ?? '';
    if (match === null || !(name in settingTable)) {
      throw new SettingError('SETTINGS_FILE', `line ${index + 1}: expected NAME=value with a name of docs/settings.md`);
    }
    settings.set(name, (match[2] ?? '').replace(/^"(.*)"$/, '$1'));
  }
  return settings;
}
