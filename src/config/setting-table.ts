import { bindingSettingTable } from './binding-settings.ts';
import { identitySettingTable } from './identity-settings.ts';
import { notificationSettingTable } from './notification-settings.ts';
import type { Setting } from './setting.ts';
import { signInSettingTable } from './sign-in-settings.ts';

/**
 * Every setting of the server, with its default: this table is also the source of docs/settings.md. A secret may be
 * given in a file instead, as `NAME_FILE`.
 */
export const settingTable = {
  PORT: { kind: 'port', fallback: '3000', help: 'TCP port of the API; 0 takes a free one.' },
  HOST: { kind: 'text', fallback: '127.0.0.1', help: 'Address to listen on. The demo never listens beyond loopback.' },
  API_THREADS: {
    kind: 'threads',
    fallback: '1',
    help: 'Number of threads that answer requests, at most 64. More than one helps from about 100 concurrent clients, on Linux.',
  },
  ADMIN_PORT: {
    kind: 'port',
    fallback: '0',
    help: 'TCP port of /metrics, /healthz and /readyz for every role; 0 takes a free one, or shares none.',
  },
  ADMIN_HOST: {
    kind: 'text',
    fallback: '127.0.0.1',
    help: 'Address on which ADMIN_PORT listens. What is told there needs no token: beyond loopback keep others away.',
  },
  PUBLIC_URL: {
    kind: 'origin',
    fallback: undefined,
    help: 'The address callers use, without a path; default http://HOST:PORT. Required where HOST is 0.0.0.0 or ::.',
  },
  ...bindingSettingTable,
  DATA_DIR: { kind: 'path', fallback: './data', help: 'Folder of the embedded database, documents and the demo keys.' },
  DATABASE_URL: {
    kind: 'database',
    secret: true,
    fallback: undefined,
    help: 'postgres://…; without it SQLite in DATA_DIR.',
  },
  DOCUMENT_STORE: {
    kind: 'store',
    fallback: undefined,
    help: 'Folder of the sealed documents, default DATA_DIR/documents; or s3://BUCKET/PREFIX?region=…, with &endpoint=https://… for a store that is not AWS.',
  },
  S3_ACCESS_KEY_ID: { kind: 'text', fallback: undefined, help: 'Who we are at the S3 store.' },
  S3_SECRET_ACCESS_KEY: { kind: 'text', secret: true, fallback: undefined, help: 'Its secret.' },
  DOCUMENT_LIMIT_MIB: { kind: 'count', fallback: '100', help: 'What one document may weigh, in MiB.' },
  CLAMAV: {
    kind: 'scanner',
    fallback: undefined,
    help: 'Where clamd listens: unix:/path or tcp://host:port; without it deposited documents wait in `scanning`. off gives them out unscanned, and says so in each record; the demo has off. clamd keeps what it scans in its TemporaryDirectory: put that in memory.',
  },
  SIGN_DOCUMENTS: {
    kind: 'flag',
    fallback: 'false',
    help: 'true signs each answer with a document (RFC 9421), under the published key for evidence.',
  },
  RESCAN_AFTER_DAYS: {
    kind: 'count',
    fallback: '7',
    help: 'A document is scanned anew when the signatures have changed and its last scan is older than that.',
  },
  ROOT_KEY_FILE: { kind: 'path', fallback: undefined, help: 'File (mode 0600) with the root key: 32 bytes in base64.' },
  ...signInSettingTable,
  SMTP_URL: {
    kind: 'url',
    schemes: ['smtp', 'smtps'],
    secret: true,
    fallback: undefined,
    help: 'smtp:// or smtps:// URL of the mail relay.',
  },
  SMS_URL: {
    kind: 'url',
    schemes: ['https', 'http'],
    secret: true,
    fallback: undefined,
    help: 'URL of the gateway that takes text messages by POST.',
  },
  SMS_GATEWAY: {
    kind: 'path',
    fallback: undefined,
    help: 'JSON file that says how the gateway is spoken to; see docs/notifications.md.',
  },
  SMS_RECEIPT_TOKEN: {
    kind: 'token',
    secret: true,
    fallback: undefined,
    help: 'What the gateway sends as a bearer token, or as a password, with its receipts to /callbacks/sms; without it none are taken. At least 16 characters, as `openssl rand -hex 32` makes them.',
  },
  BOUNCE_ADDRESS: {
    kind: 'mail-address',
    fallback: undefined,
    help: 'Mailbox that mail comes back to, as bounces@example.org; mail to bounces+anything must reach it too. At most 16 characters before the @.',
  },
  BOUNCE_TOKEN: {
    kind: 'token',
    secret: true,
    fallback: undefined,
    help: 'What hands bounces over to /callbacks/mail sends as a bearer token; without it none are taken. At least 16 characters, as `openssl rand -hex 32` makes them.',
  },
  LETTER_SPOOL: {
    kind: 'path',
    fallback: undefined,
    help: 'Folder that a printer takes letters from; it has to be there.',
  },
  LETTER_WINDOW: { kind: 'text', fallback: 'din5008b', help: 'Address window of the envelopes: din5008b or uk-c5.' },
  SIMULATORS: {
    kind: 'flag',
    fallback: undefined,
    help: 'true plays invented citizens: sim-delivered and so on, and sim-register-down (docs/sandbox.md); in the demo they are there.',
  },
  WEBHOOK_PRIVATE_TARGETS: {
    kind: 'flag',
    fallback: 'false',
    help: 'true lets webhooks call plain http and private addresses; for tests and closed networks.',
  },
  HOLIDAYS: {
    kind: 'dates',
    fallback: '',
    help: 'Days (YYYY-MM-DD, with commas) that are no working days for the legal effect of notifications. Add to it, and never take past days out.',
  },
  TIME_ZONE: {
    kind: 'time-zone',
    fallback: 'UTC',
    help: 'Whose days the legal effect of notifications is counted in, and letters are dated by; a name of the IANA database, as Europe/Lisbon.',
  },
  ...notificationSettingTable,
  MAIL_FROM: {
    kind: 'mail-address',
    fallback: 'no-reply@localhost',
    help: 'Sender address of mail, without a name: beside it stands the name of the service that sends.',
  },
  ...identitySettingTable,
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
  SUPPORT_EMAIL: {
    kind: 'mail-address',
    fallback: undefined,
    help: 'Mailbox for questions about the interface; the OpenAPI document names it.',
  },
  TERMS_URL: {
    kind: 'url',
    schemes: ['https', 'http'],
    fallback: undefined,
    help: 'Terms of use of the interface; the OpenAPI document links it.',
  },
  SECURITY_CONTACT: {
    kind: 'url',
    schemes: ['https', 'mailto', 'tel'],
    fallback: undefined,
    help: 'Whom to tell about a weakness, as mailto:security@example.org; with it /.well-known/security.txt is served.',
  },
  LOG_LEVEL: {
    kind: 'level',
    fallback: undefined,
    help: 'fatal, error, warn, info, debug, trace or silent; info, in the demo warn.',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settingTable;
