import { existsSync, statSync } from 'node:fs';
import type { Log } from '../../api/log.ts';
import { parseSettingFile } from '../../config/setting-file.ts';
import { buildFromSetting, SettingError, type Settings } from '../../config/settings.ts';
import type { RootKey } from '../../crypto/root-key.ts';
import { systemTimer } from '../../jobs/timer.ts';
import type { Clock } from '../../kernel/clock.ts';
import { systemClock } from '../../kernel/system-clock.ts';
import { simulateProvider } from '../delivery/simulator.ts';
import { confirmLinksOf } from '../inbox/confirm-receipt.ts';
import { inboxLinkOf } from '../inbox/inbox-link.ts';
import { letterLayoutOf, loadLetterParts } from '../letters/letter-settings.ts';
import {
  type Channel,
  type ExternalChannels,
  type OnProviderFailure,
  unconfiguredChannel,
  unconfiguredChannels,
} from '../notification/channel.ts';
import type { ChannelName } from '../notification/notification.ts';
import { bounceAddressesOf, mailEventsOf } from '../provider-webhooks/provider-settings.ts';
import { type DkimKey, dkimFault } from './dkim.ts';
import type { MailSender } from './mail.ts';
import { defaultSmsMapping, parseSmsMapping, type SmsMapping } from './sms-mapping.ts';

/** The failure of a channel is logged once in this time, because each message in its queue fails for the same reason. */
const logEveryMs = 60_000;

/** Logs why the messages of a channel wait; their rows contain only `provider-unreachable`. */
export function createTroubleLog(log: Pick<Log, 'warning'>, channel: ChannelName, clock: Clock): OnProviderFailure {
  let nextAt = 0;
  return (why) => {
    const now = clock.now();
    if (now < nextAt) return;
    nextAt = now + logEveryMs;
    log.warning('a provider cannot be used: its messages wait', { channel, why });
  };
}

/**
 * Creates the channels that have a provider in the settings; on the others every delivery fails with `channel-not-configured`. The demo
 * has channels that capture messages instead.
 */
export async function createOutgoingChannels(
  settings: Settings,
  email: Channel,
  log: Pick<Log, 'warning'>,
  captured: Partial<Pick<ExternalChannels, 'sms' | 'letter'>> = {},
): Promise<ExternalChannels> {
  // An invalid setting of letters stops the start, even if no letter is sent.
  letterLayoutOf(settings);
  const troubleLog = (name: ChannelName) => createTroubleLog(log, name, systemClock);
  const channels: ExternalChannels = {
    email,
    sms: captured.sms ?? (await smsOf(settings, troubleLog('sms'))),
    letter: captured.letter ?? (await createLetterChannel(settings, troubleLog('letter'))),
  };
  if (settings.simulators !== true) return channels;
  const simulated = (channel: Channel) => simulateProvider(channel, systemTimer);
  return { email: simulated(channels.email), sms: simulated(channels.sms), letter: simulated(channels.letter) };
}

/** How the SMS gateway is called: the operator's file, or the default. */
export function smsMappingOf({ smsGateway }: Settings): SmsMapping {
  return smsGateway === undefined ? defaultSmsMapping : parseSettingFile('SMS_GATEWAY', smsGateway, parseSmsMapping);
}

async function smsOf(settings: Settings, onProviderFailure: OnProviderFailure): Promise<Channel> {
  if (settings.smsUrl === undefined) return unconfiguredChannels.sms;
  const { createSmsGateway } = await import('./sms-gateway.ts');
  const url = settings.smsUrl.reveal();
  const mapping = smsMappingOf(settings);
  const inboxLink = inboxLinkOf(settings);
  return buildFromSetting('SMS_URL', () =>
    createSmsGateway({ url, mapping, inboxLink, onProviderFailure, clock: systemClock }),
  );
}

/** The email channel that the settings name. */
export async function createEmailChannel(settings: Settings, root: RootKey, log: Log): Promise<Channel> {
  const dkim = dkimOf(settings);
  if (settings.smtpUrl === undefined) return unconfiguredChannel('email');
  const { createSmtpEmail } = await import('./smtp-email.ts');
  const url = settings.smtpUrl.reveal();
  const sender = mailSenderOf(settings, root);
  const onProviderFailure = createTroubleLog(log, 'email', systemClock);
  return buildFromSetting('SMTP_URL', () => createSmtpEmail({ url, sender, dkim, onProviderFailure }));
}

/** The sender of mail: addresses, links and headers. */
export function mailSenderOf(settings: Settings, root: RootKey): MailSender {
  const host = settings.publicUrl === undefined ? 'localhost' : new URL(settings.publicUrl).hostname;
  const from = { settings, root };
  return {
    address: settings.mailFrom,
    messageIdHost: host,
    returnPath: bounceAddressesOf(from)?.addressFor,
    confirmLink: confirmLinksOf(from)?.linkFor,
    inboxLink: inboxLinkOf(settings),
    headers: mailEventsOf(settings)?.headers,
  };
}

/** The key that signs mail. Throws `SettingError` for a key that cannot sign for the sender's domain. */
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

/** The channel of letters to the spool folder that the settings name. */
async function createLetterChannel(settings: Settings, onProviderFailure: OnProviderFailure): Promise<Channel> {
  const { letterSpool: folder } = settings;
  if (folder === undefined) return unconfiguredChannels.letter;
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new SettingError('LETTER_SPOOL', `expected a folder, received ${JSON.stringify(folder)}, which is a file`);
  }
  const { createLetterSpool } = await import('./letter-spool.ts');
  return createLetterSpool({ folder, onProviderFailure, ...(await loadLetterParts(settings)) });
}
