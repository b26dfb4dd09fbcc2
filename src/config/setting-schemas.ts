import { clientSettings } from './settings/client-settings.ts';
import { contactSettings } from './settings/contact-settings.ts';
import { documentSettings } from './settings/document-settings.ts';
import { identitySettings } from './settings/identity-settings.ts';
import { ledgerSettings } from './settings/ledger-settings.ts';
import { mailSettings } from './settings/mail-settings.ts';
import { messageSettings } from './settings/message-settings.ts';
import { notificationSettings } from './settings/notification-settings.ts';
import { serverSettings } from './settings/server-settings.ts';
import { signInSettings } from './settings/sign-in-settings.ts';
import { storageSettings } from './settings/storage-settings.ts';

/** The groups of docs/settings.md by their headings, in the order of the page. */
export const settingGroups = {
  Server: serverSettings,
  Storage: storageSettings,
  'TLS and client authentication': clientSettings,
  'Register and verification': identitySettings,
  'Sign-in and pages for citizens': signInSettings,
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
  ...signInSettings,
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
