import type { Setting } from '../setting.ts';
import { domainType, emailAddressType, pathType, secretType, textType, tokenType, urlType } from '../setting-types.ts';

/** The settings of email: relay, sender, DKIM and delivery reports. */
export const mailSettings = {
  smtpUrl: {
    name: 'SMTP_URL',
    type: secretType(urlType('smtp', 'smtps')),
    essential: true,
    description:
      'URL of the mail relay, such as `smtps://user:password@relay.example.org`. Without it, the server sends no email.',
  },
  mailFrom: {
    name: 'MAIL_FROM',
    type: emailAddressType,
    default: 'no-reply@localhost',
    essential: true,
    description:
      'Sender address of mails, without a name. The server adds the name of the service that sends the message. Replace the default: it is no real address.',
  },
  dkimDomain: {
    name: 'DKIM_DOMAIN',
    type: domainType,
    description:
      'Domain that signs mails with DKIM (RFC 6376). MAIL_FROM must be in this domain. Set DKIM_SELECTOR and DKIM_KEY as well; without all three, mails are not signed.',
  },
  dkimSelector: {
    name: 'DKIM_SELECTOR',
    type: textType,
    description: 'DKIM selector, such as mail2026. Publish the public key in DNS at SELECTOR._domainkey.DOMAIN.',
  },
  dkimKey: {
    name: 'DKIM_KEY',
    type: secretType(textType),
    description: 'Private RSA key for DKIM in PEM format, at least 2048 bits. Prefer DKIM_KEY_FILE.',
  },
  bounceAddress: {
    name: 'BOUNCE_ADDRESS',
    type: emailAddressType,
    description:
      'Mailbox for bounced mails, such as bounces@example.org, with at most 16 characters before the @. It must also receive mails to bounces+anything@example.org. Without it, mails bounce to MAIL_FROM.',
  },
  bounceToken: {
    name: 'BOUNCE_TOKEN',
    type: secretType(tokenType),
    description:
      'Bearer token of the mail system that forwards bounces to `/callbacks/mail`. It has at least 16 characters, such as the output of `openssl rand -hex 32`. Without it, the server accepts no bounces.',
  },
  mailEvents: {
    name: 'MAIL_EVENTS',
    type: pathType,
    description:
      'JSON file that describes the events that the mail provider sends to `/callbacks/mail-events` (docs/operate/channels.md). Set MAIL_EVENTS_TOKEN as well.',
  },
  mailEventsToken: {
    name: 'MAIL_EVENTS_TOKEN',
    type: secretType(tokenType),
    description:
      'Bearer token of the mail provider at `/callbacks/mail-events`. It has at least 16 characters, such as the output of `openssl rand -hex 32`. Without it, the server accepts no events.',
  },
} as const satisfies Record<string, Setting>;
