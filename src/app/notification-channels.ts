import { readFileSync } from 'node:fs';
import type { Log } from '../api/log.ts';
import type { MountedHandler } from '../api/page-route.ts';
import { baseUrlForLinks } from '../config/public-url.ts';
import { buildFromSetting, SettingError, type Settings } from '../config/settings.ts';
import { systemTimer } from '../jobs/timer.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Secret } from '../kernel/secret.ts';
import { systemClock } from '../kernel/system-clock.ts';
import { type CascadePolicy, defaultPolicyFor } from '../notifications/cascade/cascade.ts';
import { parseCascadeFile } from '../notifications/cascade/cascade-file.ts';
import { type DkimKey, dkimFault } from '../notifications/channels/dkim.ts';
import { defaultSmsMapping, type SmsMapping } from '../notifications/channels/sms-mapping.ts';
import { parseSmsMapping } from '../notifications/channels/sms-mapping-file.ts';
import { lateReportsInReceipt } from '../notifications/channels/sms-receipts.ts';
import type { LateReport } from '../notifications/delivery/apply-late-report.ts';
import { simulateProvider } from '../notifications/delivery/simulator.ts';
import { type ConfirmLinks, createConfirmLinks } from '../notifications/inbox/confirm-receipt.ts';
import { createInboxLink, type InboxLink } from '../notifications/inbox/inbox-link.ts';
import {
  type Channel,
  type ExternalChannels,
  type OnProviderFailure,
  unconfiguredChannels,
} from '../notifications/notification/channel.ts';
import type { ChannelName } from '../notifications/notification/notification.ts';
import type { SenderOf } from '../notifications/ports.ts';
import {
  type BounceAddresses,
  bounceAddressFault,
  createBounceAddresses,
  parseBounce,
} from '../notifications/provider-webhooks/bounce.ts';
import {
  confirmationUrlIn,
  lateReportsInMailEvents,
  type MailEventMapping,
  parseMailEvents,
} from '../notifications/provider-webhooks/mail-events.ts';
import {
  createProviderWebhook,
  type ProviderWebhook,
  providerWebhookPaths,
  receiptParser,
} from '../notifications/provider-webhooks/provider-webhook.ts';
import { findSmsDeliveriesByReference } from '../notifications/provider-webhooks/sms-reference-store.ts';
import { mountReceiptPage } from '../web/receipt-page.ts';
import type { AppContext } from './app-context.ts';
import { createLetterChannel } from './letters.ts';

/** So often at most the operator is told why a channel waits: each message of a queue finds it out anew. */
const logEveryMs = 60_000;

/** Tells the operator why messages of a channel wait: a row says `provider-unreachable` alone. */
export function createTroubleLog(log: Pick<Log, 'notice'>, channel: ChannelName, clock: Clock): OnProviderFailure {
  let nextAt = 0;
  return (why) => {
    const now = clock.now();
    if (now < nextAt) return;
    nextAt = now + logEveryMs;
    log.notice('a provider cannot be used: its messages wait', { channel, why });
  };
}

/** The channels that this server has providers for; the others say that they have none. */
export async function createOutgoingChannels(
  settings: Settings,
  email: Channel,
  log: Pick<Log, 'notice'>,
): Promise<ExternalChannels> {
  const troubleLog = (name: ChannelName) => createTroubleLog(log, name, systemClock);
  const [sms, letter] = [
    await smsOf(settings, troubleLog('sms')),
    await createLetterChannel(settings, troubleLog('letter')),
  ];
  const channels: ExternalChannels = { email, sms, letter };
  if (settings.simulators !== true) return channels;
  const simulated = (channel: Channel) => simulateProvider(channel, systemTimer);
  return { email: simulated(channels.email), sms: simulated(channels.sms), letter: simulated(channels.letter) };
}

/**
 * The policy of the operator's file, or the standing one for the channels that have a provider. Mail belongs to both, and
 * fails where there is no relay; the demo has its outbox.
 */
export function cascadeOf(settings: Settings, isDemo: boolean): CascadePolicy {
  const more = new Set<ChannelName>();
  if (settings.smsUrl !== undefined) more.add('sms');
  if (settings.letterSpool !== undefined || settings.letterSftp !== undefined) more.add('letter');
  const { cascadePolicy: path } = settings;
  const policy =
    path === undefined
      ? defaultPolicyFor(more)
      : parsedFile('CASCADE_POLICY', path, (text) => parseCascadeFile(text, new Set([...more, 'email'])));
  return isDemo || settings.smtpUrl !== undefined ? policy : { ...policy, providers: more };
}

/** How the gateway is spoken to. */
export function smsMappingOf({ smsGateway }: Settings): SmsMapping {
  return smsGateway === undefined ? defaultSmsMapping : parsedFile('SMS_GATEWAY', smsGateway, parseSmsMapping);
}

async function smsOf(settings: Settings, onProviderFailure: OnProviderFailure): Promise<Channel> {
  if (settings.smsUrl === undefined) return unconfiguredChannels.sms;
  const { createSmsGateway } = await import('../notifications/channels/sms-gateway.ts');
  const [url, mapping, inboxLink] = [settings.smsUrl.reveal(), smsMappingOf(settings), inboxLinkOf(settings)];
  return buildFromSetting('SMS_URL', () =>
    createSmsGateway({ url, mapping, inboxLink, onProviderFailure, clock: systemClock }),
  );
}

/** The addresses that mail comes back to; none where the operator has no mailbox for them, refused where it cannot be. */
export function bounceAddressesOf({
  settings,
  root,
}: Pick<AppContext, 'settings' | 'root'>): BounceAddresses | undefined {
  if (settings.bounceAddress === undefined) {
    if (settings.bounceToken === undefined) return undefined;
    throw new SettingError('BOUNCE_TOKEN', 'expected BOUNCE_ADDRESS beside it, since mail comes back nowhere else');
  }
  const fault = bounceAddressFault(settings.bounceAddress);
  if (fault !== undefined) throw new SettingError('BOUNCE_ADDRESS', fault);
  return createBounceAddresses(settings.bounceAddress, root.derive('bounce-addresses'));
}

/** The key that signs mail; refused at the start where it could not. */
export function dkimOf({
  dkimDomain: domain,
  dkimSelector: selector,
  dkimKey,
  mailFrom,
}: Settings): DkimKey | undefined {
  if (domain === undefined && selector === undefined && dkimKey === undefined) return undefined;
  if (domain === undefined || selector === undefined || dkimKey === undefined) {
    throw new SettingError('DKIM_DOMAIN', 'expected DKIM_DOMAIN, DKIM_SELECTOR and DKIM_KEY together, or none of them');
  }
  const key = { domain, selector, privateKey: dkimKey.reveal() };
  const fault = dkimFault(key, mailFrom);
  if (fault !== undefined) throw new SettingError(...fault);
  return key;
}

/** The links by which citizens confirm the receipt of mail; none where the address of this server is not known before. */
export function confirmLinksOf({ settings, root }: Pick<AppContext, 'settings' | 'root'>): ConfirmLinks | undefined {
  const url = settings.confirmLinks ? baseUrlForLinks(settings) : undefined;
  return url === undefined ? undefined : createConfirmLinks(url, root.derive('receipt-links'));
}

/** The links by which citizens come to a message in their inbox; none where the operator names no place. */
export function inboxLinkOf({ inboxUrl }: Pick<Settings, 'inboxUrl'>): InboxLink | undefined {
  return inboxUrl === undefined ? undefined : createInboxLink(inboxUrl);
}

/** The page on which the receipt of mail is confirmed. */
export function receiptPageMounts(
  app: AppContext,
  { senderOf }: { readonly senderOf: SenderOf },
): readonly MountedHandler[] {
  const links = confirmLinksOf(app);
  const onFault = (fault: unknown) => app.log.fault('received', fault);
  return links === undefined ? [] : [mountReceiptPage({ ...app, read: app.db.read, senderOf, onFault }, links)];
}

/** Gateways send up to some thousand receipts at once. */
const receiptBytes = 1_048_576;
/** A bounce may carry the whole message back; its report stands before that. */
const bounceBytes = 1_048_576;
const eventBytes = 4_194_304;

/** Where providers call back; nothing where no token was agreed with them. */
export function providerWebhooks(app: AppContext): readonly MountedHandler[] {
  const { settings, db } = app;
  const deps = { ...app, read: db.read, onFault: (fault: unknown) => app.log.fault('call-backs', fault) };
  const mounts: MountedHandler[] = [];
  const mountWebhook = (path: string, token: Secret | undefined, caller: Omit<ProviderWebhook, 'token'>) => {
    if (token === undefined) return;
    const handler = createProviderWebhook(deps, { token, ...caller });
    mounts.push({ methods: [caller.method ?? 'POST'], paths: [path], handler });
  };
  const sms = smsMappingOf(settings);
  mountWebhook(providerWebhookPaths.sms, settings.smsReceiptToken, {
    limitBytes: receiptBytes,
    method: sms.receipt?.method,
    read: receiptParser((receipt) =>
      lateReportsInReceipt(sms, receipt, (reference) => findSmsDeliveriesByReference(db.read, reference)),
    ),
  });
  const addresses = bounceAddressesOf(app);
  if (addresses !== undefined) {
    const read = (raw: string) => toList(parseBounce(raw, addresses));
    mountWebhook(providerWebhookPaths.mail, settings.bounceToken, { limitBytes: bounceBytes, read });
  }
  const events = mailEventsOf(settings);
  if (events !== undefined) {
    const read = receiptParser((body) => {
      const url = confirmationUrlIn(events, body);
      if (url === undefined) return lateReportsInMailEvents(events, body);
      app.log.notice('the mail provider calls back once this address was opened', { url });
      return [];
    });
    mountWebhook(providerWebhookPaths.mailEvents, settings.mailEventsToken, { limitBytes: eventBytes, read });
  }
  return mounts;
}

function toList(word: LateReport | undefined): readonly LateReport[] {
  return word === undefined ? [] : [word];
}

/** How the mail provider tells of bounces; its two settings come together. */
export function mailEventsOf({ mailEvents, mailEventsToken }: Settings): MailEventMapping | undefined {
  if ((mailEvents === undefined) !== (mailEventsToken === undefined)) {
    throw new SettingError('MAIL_EVENTS', 'expected MAIL_EVENTS and MAIL_EVENTS_TOKEN together, or neither');
  }
  return mailEvents === undefined ? undefined : parsedFile('MAIL_EVENTS', mailEvents, parseMailEvents);
}

/** What a file of the operator says; else the start ends with the setting's name, and no word of what stands in it. */
export function parsedFile<T>(name: string, path: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (fault) {
    const why =
      fault instanceof TypeError ? fault.message : 'expected a file that can be read, with JSON where JSON belongs';
    throw new SettingError(name, `${JSON.stringify(path)}: ${why}`);
  }
}
