import { resolve } from 'node:path';
import { Secret } from '../kernel/secret.ts';
import type { Setting } from './setting.ts';

/** The settings of channels, cascade, evidence and feed; a part of the table in `setting-table.ts`. */
export const notificationSettingTable = {
  DKIM_DOMAIN: {
    kind: 'text',
    fallback: undefined,
    help: 'Domain that signs mail (RFC 6376); MAIL_FROM has to be under it. With DKIM_SELECTOR and DKIM_KEY, or none of the three.',
  },
  DKIM_SELECTOR: {
    kind: 'text',
    fallback: undefined,
    help: 'Where its public key is published: SELECTOR._domainkey.DOMAIN.',
  },
  DKIM_KEY: {
    kind: 'text',
    secret: true,
    fallback: undefined,
    help: 'Private RSA key of 2048 bits or more, as PEM; best given as DKIM_KEY_FILE.',
  },
  MAIL_EVENTS: {
    kind: 'path',
    fallback: undefined,
    help: 'JSON file that says how the mail provider tells of bounces at /callbacks/mail-events; see docs/notifications.md.',
  },
  MAIL_EVENTS_TOKEN: {
    kind: 'token',
    secret: true,
    fallback: undefined,
    help: 'What the mail provider sends there as a bearer token; without it nothing is taken. At least 16 characters, as `openssl rand -hex 32` makes them.',
  },
  CONFIRM_LINKS: {
    kind: 'flag',
    fallback: 'true',
    help: 'Mail carries a link to a page on which the citizen confirms the receipt; false leaves it out.',
  },
  INBOX_URL: {
    kind: 'url',
    schemes: ['https', 'http'],
    fallback: undefined,
    help: 'Where citizens read a message, as PUBLIC_URL/me/messages/{id}; {id} stands for its id. Mail leads there, and a text message that announces a longer one. Without it neither has such a link.',
  },
  CASCADE_POLICY: {
    kind: 'path',
    fallback: undefined,
    help: 'JSON file with the channels, their waits and quiet hours; see docs/notifications.md. Without it the standing policy holds.',
  },
  LETTER_FONTS: {
    kind: 'path',
    fallback: undefined,
    help: 'Folder of fonts (.ttf, .otf) for scripts that letters else have no font for; see docs/notifications.md.',
  },
  LETTER_RETURN_ADDRESS: {
    kind: 'text',
    fallback: undefined,
    help: 'Where letters come back to that cannot be delivered, as `P.O. Box 100, 0101 Oslo`; stands in each letter below the name of the sender, unless the client has an address of its own. At most 6 lines with commas between them, and 120 characters.',
  },
  EVIDENCE_TSA_URL: {
    kind: 'url',
    schemes: ['https', 'http'],
    fallback: undefined,
    help: 'Time stamping authority (RFC 3161) that stamps evidence bundles; without it they have no time stamp.',
  },
  EVIDENCE_TSA_CERTIFICATES: {
    kind: 'path',
    fallback: undefined,
    help: 'PEM file with the certificates that its stamps have to lead to; required with EVIDENCE_TSA_URL.',
  },
  FEED_DAYS: {
    kind: 'count',
    fallback: '180',
    help: 'So long events of the feed and calls of webhooks are kept, at least 7; an older cursor is answered 410.',
  },
} as const satisfies Record<string, Setting>;

/** What `readSettings` gives of them. */
export type NotificationSettings = {
  readonly dkimDomain: string | undefined;
  readonly dkimSelector: string | undefined;
  readonly dkimKey: Secret | undefined;
  readonly mailEvents: string | undefined;
  readonly mailEventsToken: Secret | undefined;
  readonly confirmLinks: boolean;
  readonly inboxUrl: string | undefined;
  readonly cascadePolicy: string | undefined;
  readonly letterFonts: string | undefined;
  readonly letterReturnAddress: string | undefined;
  readonly evidenceTsaUrl: string | undefined;
  readonly evidenceTsaCertificates: string | undefined;
  readonly feedDays: number;
};

type Name = keyof typeof notificationSettingTable;

/** Reads this part; `given` is the checked text of a setting, or its default. */
export function readNotificationSettings(given: (name: Name) => string | undefined): NotificationSettings {
  const secret = (name: Name) => mapDefined(given(name), (value) => new Secret(value));
  const path = (name: Name) => mapDefined(given(name), (value) => resolve(value));
  return {
    dkimDomain: given('DKIM_DOMAIN')?.toLowerCase(),
    dkimSelector: given('DKIM_SELECTOR'),
    dkimKey: secret('DKIM_KEY'),
    mailEvents: path('MAIL_EVENTS'),
    mailEventsToken: secret('MAIL_EVENTS_TOKEN'),
    confirmLinks: given('CONFIRM_LINKS') === 'true',
    inboxUrl: given('INBOX_URL'),
    cascadePolicy: path('CASCADE_POLICY'),
    letterFonts: path('LETTER_FONTS'),
    letterReturnAddress: given('LETTER_RETURN_ADDRESS'),
    evidenceTsaUrl: given('EVIDENCE_TSA_URL'),
    evidenceTsaCertificates: path('EVIDENCE_TSA_CERTIFICATES'),
    feedDays: Number(given('FEED_DAYS')),
  };
}

function mapDefined<T>(value: string | undefined, map: (value: string) => T): T | undefined {
  return value === undefined ? undefined : map(value);
}
