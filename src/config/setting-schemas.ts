import type { Setting } from './setting.ts';
import {
  databaseUrlType,
  emailAddressType,
  flagType,
  pathType,
  secretType,
  urlType,
  wholeNumberType,
} from './setting-types.ts';
import { clientSettings } from './settings/client-settings.ts';
import { documentSettings } from './settings/document-settings.ts';
import { identitySettings } from './settings/identity-settings.ts';
import { mailSettings } from './settings/mail-settings.ts';
import { messageSettings } from './settings/message-settings.ts';
import { notificationSettings } from './settings/notification-settings.ts';
import { serverSettings } from './settings/server-settings.ts';
import { signInSettings } from './settings/sign-in-settings.ts';
import { staffSettings } from './settings/staff-settings.ts';
import { walletSettings } from './settings/wallet-settings.ts';

/** The settings of the data folder, the database and the root key. */
const storageSettings = {
  dataDir: {
    name: 'DATA_DIR',
    type: pathType,
    default: './data',
    essential: true,
    description:
      'Folder for the SQLite database, the documents, the ledger anchor and the keys of the demo. A relative path starts at the working directory.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    type: secretType(databaseUrlType),
    essential: true,
    description:
      'URL of a PostgreSQL database, such as `postgres://user:password@db.example:5432/cs`. It can name several hosts, such as `db1.example:5432,db2.example:5432`; the server uses the primary (docs/operate/postgresql.md#high-availability). Without it, the server uses SQLite in DATA_DIR.',
  },
  rootKeyFile: {
    name: 'ROOT_KEY_FILE',
    type: pathType,
    essential: true,
    description:
      'File that contains the root key: 32 bytes in base64. Its mode must be 0600. Default: the file `root.key` in DATA_DIR.',
  },
} as const satisfies Record<string, Setting>;

/** The settings of the ledger and of the access log. */
const ledgerSettings = {
  ledgerWitnesses: {
    name: 'LEDGER_WITNESSES',
    type: pathType,
    description:
      'File with the witnesses of the ledger and their quorum (c2sp.org/tlog-policy). Without it, no witness cosigns the checkpoints.',
  },
  ledgerMlDsa: {
    name: 'LEDGER_ML_DSA',
    type: flagType,
    default: 'false',
    description:
      'Set to true to sign checkpoints of the ledger with ML-DSA-44 in addition to Ed25519. By default, the server signs them with Ed25519 only.',
  },
  accessLogHiddenDays: {
    name: 'ACCESS_LOG_HIDDEN_DAYS',
    type: wholeNumberType(0, 99_999),
    default: '365',
    description:
      'Maximum time that an access may be concealed from the citizen, in days, 0 to 99999. 0 forbids concealed access.',
  },
} as const satisfies Record<string, Setting>;

const contactSettings = {
  supportEmail: {
    name: 'SUPPORT_EMAIL',
    type: emailAddressType,
    description: 'Email address for questions about the API. The server publishes it in the OpenAPI document.',
  },
  termsUrl: {
    name: 'TERMS_URL',
    type: urlType('https', 'http'),
    description: 'URL of the terms of use of the API. The server publishes it in the OpenAPI document.',
  },
  securityContact: {
    name: 'SECURITY_CONTACT',
    type: urlType('https', 'mailto', 'tel'),
    description:
      'Contact for security reports: a URL with https, mailto or tel, such as `mailto:security@example.org`. The server publishes it at `/.well-known/security.txt`, which does not exist without this setting.',
  },
} as const satisfies Record<string, Setting>;

/** The groups of docs/reference/settings.md by their headings, in the order of the page. */
export const settingGroups = {
  Server: serverSettings,
  Storage: storageSettings,
  'TLS and client authentication': clientSettings,
  'Register and verification': identitySettings,
  Wallets: walletSettings,
  'Sign-in and pages for citizens': signInSettings,
  'Sign-in and rights of staff': staffSettings,
  Documents: documentSettings,
  'Notifications and events': notificationSettings,
  Email: mailSettings,
  'Text messages and letters': messageSettings,
  'Ledger and access log': ledgerSettings,
  'Contacts and terms': contactSettings,
};

/** The schema of every setting, by its member of `Settings`. */
export const settingSchemas = {
  ...serverSettings,
  ...storageSettings,
  ...clientSettings,
  ...identitySettings,
  ...walletSettings,
  ...signInSettings,
  ...staffSettings,
  ...documentSettings,
  ...notificationSettings,
  ...mailSettings,
  ...messageSettings,
  ...ledgerSettings,
  ...contactSettings,
};

/** A member of `Settings`. */
export type SettingKey = keyof typeof settingSchemas;

/** The name of a setting in the environment, such as PUBLIC_URL. */
export type SettingName = (typeof settingSchemas)[SettingKey]['name'];
