import { readFileSync } from 'node:fs';
import type { Log } from '../api/log.ts';
import type { Mount } from '../api/server.ts';
import type { House } from '../compose.ts';
import { linkUrlOf } from '../config/public-url.ts';
import { ofSetting, SettingError, type Settings } from '../config/settings.ts';
import { systemTimer } from '../jobs/timer.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Secret } from '../kernel/secret.ts';
import { systemClock } from '../kernel/system-clock.ts';
import {
  type BounceAddresses,
  bounceBaseFault,
  createBounceAddresses,
  readBounce,
} from '../notifications/callbacks/bounce.ts';
import type { LateWord } from '../notifications/callbacks/learn-late.ts';
import {
  addressToConfirm,
  type MailEvents,
  mailWords,
  parseMailEvents,
} from '../notifications/callbacks/mail-events.ts';
import {
  type Caller,
  callbackPaths,
  createProviderCallback,
  receiptReader,
} from '../notifications/callbacks/provider-callback.ts';
import { findSmsByReference } from '../notifications/callbacks/sms-reference-store.ts';
import {
  absentChannels,
  type Channel,
  type LeavingChannels,
  type OnTrouble,
} from '../notifications/channels/channel.ts';
import { type DkimKey, dkimFault } from '../notifications/channels/dkim.ts';
import { plainMapping, type SmsMapping } from '../notifications/channels/sms-mapping.ts';
import { parseSmsMapping } from '../notifications/channels/sms-mapping-file.ts';
import { receiptWords } from '../notifications/channels/sms-receipts.ts';
import { type CascadePolicy, standardPolicyFor } from '../notifications/delivery/cascade.ts';
import { parseCascade } from '../notifications/delivery/cascade-file.ts';
import { type ConfirmLinks, createConfirmLinks } from '../notifications/inbox/confirm-receipt.ts';
import { type InboxLink, inboxLinks } from '../notifications/inbox/inbox-link.ts';
import type { ChannelName } from '../notifications/notification.ts';
import type { SenderOf } from '../notifications/ports.ts';
import { simulating } from '../notifications/simulator.ts';
import { receivedPage } from '../portal/received-page.ts';
import { letterOf } from './letters.ts';

/** So often at most the operator is told why a channel waits: each message of a queue finds it out anew. */
const tellEveryMs = 60_000;

/** Tells the operator why messages of a channel wait: a row says `provider-unreachable` alone. */
export function troubleIn(log: Pick<Log, 'notice'>, channel: ChannelName, clock: Clock): OnTrouble {
  let nextAt = 0;
  return (why) => {
    const now = clock.now();
    if (now < nextAt) return;
    nextAt = now + tellEveryMs;
    log.notice('a provider cannot be used: its messages wait', { channel, why });
  };
}

/** The channels that this server has providers for; the others say that they have none. */
export async function leavingChannels(
  settings: Settings,
  email: Channel,
  log: Pick<Log, 'notice'>,
): Promise<LeavingChannels> {
  const trouble = (name: ChannelName) => troubleIn(log, name, systemClock);
  const [sms, letter] = [await smsOf(settings, trouble('sms')), await letterOf(settings, trouble('letter'))];
  const channels: LeavingChannels = { email, sms, letter };
  if (settings.simulators !== true) return channels;
  const play = (channel: Channel) => simulating(channel, systemTimer);
  return { email: play(channels.email), sms: play(channels.sms), letter: play(channels.letter) };
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
      ? standardPolicyFor(more)
      : parsedFile('CASCADE_POLICY', path, (text) => parseCascade(text, new Set([...more, 'email'])));
  return isDemo || settings.smtpUrl !== undefined ? policy : { ...policy, providers: more };
}

/** How the gateway is spoken to. */
export function smsMappingOf({ smsGateway }: Settings): SmsMapping {
  return smsGateway === undefined ? plainMapping : parsedFile('SMS_GATEWAY', smsGateway, parseSmsMapping);
}

async function smsOf(settings: Settings, onTrouble: OnTrouble): Promise<Channel> {
  if (settings.smsUrl === undefined) return absentChannels.sms;
  const { createSmsGateway } = await import('../notifications/channels/sms-gateway.ts');
  const [url, mapping, inboxLink] = [settings.smsUrl.reveal(), smsMappingOf(settings), inboxLinkOf(settings)];
  return ofSetting('SMS_URL', () => createSmsGateway({ url, mapping, inboxLink, onTrouble, clock: systemClock }));
}

/** The addresses that mail comes back to; none where the operator has no mailbox for them, refused where it cannot be. */
export function bounceAddressesOf({ settings, root }: Pick<House, 'settings' | 'root'>): BounceAddresses | undefined {
  if (settings.bounceAddress === undefined) {
    if (settings.bounceToken === undefined) return undefined;
    throw new SettingError('BOUNCE_TOKEN', 'expected BOUNCE_ADDRESS beside it, since mail comes back nowhere else');
  }
  const fault = bounceBaseFault(settings.bounceAddress);
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
export function confirmLinksOf({ settings, root }: Pick<House, 'settings' | 'root'>): ConfirmLinks | undefined {
  const url = settings.confirmLinks ? linkUrlOf(settings) : undefined;
  return url === undefined ? undefined : createConfirmLinks(url, root.derive('receipt-links'));
}

/** The links by which citizens come to a message in their inbox; none where the operator names no place. */
export function inboxLinkOf({ inboxUrl }: Pick<Settings, 'inboxUrl'>): InboxLink | undefined {
  return inboxUrl === undefined ? undefined : inboxLinks(inboxUrl);
}

/** The page on which the receipt of mail is confirmed. */
export function confirmMounts(house: House, { senderOf }: { readonly senderOf: SenderOf }): readonly Mount[] {
  const links = confirmLinksOf(house);
  const onFault = (fault: unknown) => house.log.fault('received', fault);
  return links === undefined ? [] : [receivedPage({ ...house, read: house.db.read, senderOf, onFault }, links)];
}

/** Gateways send up to some thousand receipts at once. */
const receiptBytes = 1_048_576;
/** A bounce may carry the whole message back; its report stands before that. */
const bounceBytes = 1_048_576;
const eventBytes = 4_194_304;

/** Where providers call back; nothing where no token was agreed with them. */
export function providerCallbacks(house: House): readonly Mount[] {
  const { settings, db } = house;
  const parts = { ...house, read: db.read, onFault: (fault: unknown) => house.log.fault('call-backs', fault) };
  const mounts: Mount[] = [];
  const take = (path: string, token: Secret | undefined, caller: Omit<Caller, 'token'>) => {
    if (token === undefined) return;
    const handler = createProviderCallback(parts, { token, ...caller });
    mounts.push({ methods: [caller.method ?? 'POST'], paths: [path], handler });
  };
  const sms = smsMappingOf(settings);
  take(callbackPaths.sms, settings.smsReceiptToken, {
    limitBytes: receiptBytes,
    method: sms.receipt?.method,
    read: receiptReader((receipt) => receiptWords(sms, receipt, (reference) => findSmsByReference(db.read, reference))),
  });
  const addresses = bounceAddressesOf(house);
  if (addresses !== undefined) {
    const read = (raw: string) => listOf(readBounce(raw, addresses));
    take(callbackPaths.mail, settings.bounceToken, { limitBytes: bounceBytes, read });
  }
  const events = mailEventsOf(settings);
  if (events !== undefined) {
    const read = receiptReader((body) => {
      const url = addressToConfirm(events, body);
      if (url === undefined) return mailWords(events, body);
      house.log.notice('the mail provider calls back once this address was opened', { url });
      return [];
    });
    take(callbackPaths.mailEvents, settings.mailEventsToken, { limitBytes: eventBytes, read });
  }
  return mounts;
}

function listOf(word: LateWord | undefined): readonly LateWord[] {
  return word === undefined ? [] : [word];
}

/** How the mail provider tells of bounces; its two settings come together. */
export function mailEventsOf({ mailEvents, mailEventsToken }: Settings): MailEvents | undefined {
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
