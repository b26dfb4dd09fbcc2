import type { Setting } from '../setting.ts';
import {
  datesType,
  flagType,
  pathType,
  timeZoneType,
  urlType,
  weekendType,
  wholeNumberType,
} from '../setting-types.ts';

/** The settings of notifications that are independent of the channel, and of events. */
export const notificationSettings = {
  cascadePolicy: {
    name: 'CASCADE_POLICY',
    type: pathType,
    description:
      'JSON file with the order of the channels, their waiting times and quiet hours (docs/operate/channels.md). Without it, the default policy applies.',
  },
  inboxUrl: {
    name: 'INBOX_URL',
    type: urlType('https', 'http'),
    description:
      'Address at which citizens read a message, such as `https://api.example.gov/me/messages/{id}`. The server replaces {id} by the ID of the message. Mails link to this address, and so do text messages that announce a message. Default with SIGN_IN_ISSUER: the pages for citizens of this server.',
  },
  confirmLinks: {
    name: 'CONFIRM_LINKS',
    type: flagType,
    default: 'true',
    description:
      'Set to false to send mails without the link with which citizens confirm the receipt. By default, mails contain it.',
  },
  timeZone: {
    name: 'TIME_ZONE',
    type: timeZoneType,
    default: 'UTC',
    description:
      'Time zone of legal deadlines, letter dates and the pages for citizens, as an IANA name such as Europe/Lisbon.',
  },
  holidays: {
    name: 'HOLIDAYS',
    type: datesType,
    default: '',
    description:
      'Public holidays, as YYYY-MM-DD separated by commas. They are not working days for legal deadlines. Add days, but do not remove past days.',
  },
  weekend: {
    name: 'WEEKEND',
    type: weekendType,
    default: 'Saturday, Sunday',
    description:
      'Weekdays that are not working days for legal deadlines, such as `Friday, Saturday`. A change applies to each deadline that has not yet been reached.',
  },
  evidenceTsaUrl: {
    name: 'EVIDENCE_TSA_URL',
    type: urlType('https', 'http'),
    description:
      'URL of the time-stamping authority (RFC 3161) for evidence bundles. Without it, evidence bundles have no time stamp.',
  },
  evidenceTsaCertificates: {
    name: 'EVIDENCE_TSA_CERTIFICATES',
    type: pathType,
    description:
      'PEM file with the certificates of the authorities that issue the time stamps. Required with EVIDENCE_TSA_URL.',
  },
  feedDays: {
    name: 'FEED_DAYS',
    // Webhook deliveries are retried for more than three days and must not be deleted before.
    type: wholeNumberType(7, 999_999),
    default: '180',
    description:
      'Number of days to keep events and webhook calls, at least 7. The server then deletes them, and requests with an older cursor receive 410.',
  },
  batchKeptDays: {
    name: 'BATCH_KEPT_DAYS',
    type: wholeNumberType(1, 365),
    default: '7',
    description:
      'Number of days to keep the uploaded file of a batch, encrypted, counted from its upload. The server then deletes it, and cancels the batch if it has not ended.',
  },
  webhookPrivateTargets: {
    name: 'WEBHOOK_PRIVATE_TARGETS',
    type: flagType,
    default: 'false',
    description:
      'Set to true to allow webhooks to private addresses and over plain http. Use it only for tests and in closed networks. By default, the server rejects such webhooks.',
  },
  simulators: {
    name: 'SIMULATORS',
    type: flagType,
    description:
      'Set to true to simulate invented citizens such as sim-delivered, and outages such as sim-register-down (docs/integrate/sandbox.md). Use it only in a sandbox. Default: false, and true in the demo.',
  },
} as const satisfies Record<string, Setting>;
