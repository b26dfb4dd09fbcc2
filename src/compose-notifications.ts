import { readFileSync } from 'node:fs';
import type { Mount } from './api/server.ts';
import type { Access, House } from './compose.ts';
import { SettingError, type Settings } from './config/settings.ts';
import { accessOf } from './documents/document.ts';
import { findDocument } from './documents/document-store.ts';
import { openRecord } from './documents/sealed-record.ts';
import type { Contact } from './identity/register.ts';
import { systemTimer } from './jobs/timer.ts';
import { type BounceAddresses, createBounceAddresses, readBounce } from './notifications/bounce.ts';
import { type CascadePolicy, standardPolicyFor } from './notifications/cascade.ts';
import { absentChannels, type Channel, type LeavingChannels } from './notifications/channels/channel.ts';
import { type DkimKey, dkimFault } from './notifications/channels/dkim.ts';
import { parseSmsMapping, plainMapping, receiptWord, type SmsMapping } from './notifications/channels/sms-mapping.ts';
import type { AttachmentTitle, ContactOf, NotificationPorts } from './notifications/ports.ts';
import { callbackPaths, createProviderCallback, parseReceipt } from './notifications/provider-callback.ts';
import type { EvidencePorts } from './notifications/read-evidence.ts';
import { simulating, withSimulators } from './notifications/simulator.ts';
import { createPostCall } from './notifications/webhooks/post-call.ts';
import { type Calling, startWebhooks } from './notifications/webhooks/start-webhooks.ts';
import { systemResolve } from './notifications/webhooks/target.ts';
import type { WebhookPorts } from './notifications/webhooks/webhook-ports.ts';

/** Where citizens are reached, as the register has it. */
export function contactsOf(house: House): ContactOf {
  return async (citizenId) => {
    const contact = await house.register.contactOf(citizenId);
    if (contact === undefined) return undefined;
    const { name, email, phone, language, postalAddress } = contact;
    const postalLines = postalLinesOf(postalAddress);
    return { name, email: email ?? undefined, phone: phone ?? undefined, language: language ?? undefined, postalLines };
  };
}

/** An address without a place to go to is none. */
function postalLinesOf(address: Contact['postalAddress']): readonly string[] | undefined {
  const { streetAddress, postalCode, locality, country } = address;
  if (streetAddress === null || locality === null) return undefined;
  const place = postalCode === null ? locality : `${postalCode} ${locality}`;
  return [streetAddress, place, ...(country === null ? [] : [country])];
}

/** The names of the services behind the clients. */
export function senderNamesOf({ clients }: Access): (clientId: string) => Promise<string> {
  return async (clientId) => {
    if (!clients.fresh()) await clients.refresh();
    return clients.get(clientId)?.name ?? clientId;
  };
}

/** The titles of documents, for those who may read them: the documents' own rule decides. */
function attachmentTitles({ db, citizenKeys }: House): AttachmentTitle {
  return async (id, { clientId, citizenId, now }) => {
    const found = await findDocument(db.read, id);
    if (found === undefined || found.document.citizenId !== citizenId) return undefined;
    const { document, grants } = found;
    if (document.status !== 'available' || accessOf(document, grants, { client: clientId }, now) === undefined)
      return undefined;
    const { issuer, createdAt, sealedRecord } = document;
    const binding = { id, pseudonym: citizenKeys.pseudonymOf(citizenId), issuer, createdAt };
    return openRecord(await citizenKeys.keyOf(citizenId), binding, sealedRecord).title;
  };
}

/** What the operations on notifications and webhooks are given. */
export function notificationPorts(
  house: House,
  access: Access,
  site: { readonly cascade: CascadePolicy; readonly publicUrl: string; readonly simulated: boolean },
): Omit<NotificationPorts & WebhookPorts & EvidencePorts, 'citizenKeys' | 'random'> {
  return {
    contactOf: site.simulated ? withSimulators(contactsOf(house)) : contactsOf(house),
    cascade: site.cascade,
    senderNameOf: senderNamesOf(access),
    attachmentTitle: attachmentTitles(house),
    webhookKey: house.root.derive('webhook-secrets'),
    allowPrivateTargets: house.settings.webhookPrivateTargets,
    resolve: systemResolve,
    evidenceKey: () => access.keys.current('evidence'),
    evidenceIssuer: site.publicUrl,
    calendar: { holidays: new Set(house.settings.holidays) },
  };
}

/** A receiver has so long to answer (Standard Webhooks 1.0.0: 15 to 30 seconds). */
const webhookTimeoutMs = 15_000;

/** Starts what numbers the feed and calls the webhooks, in a process with the worker role. */
export function startCalling(house: House): Calling {
  const allowPrivateTargets = house.settings.webhookPrivateTargets;
  return startWebhooks({
    ...house,
    read: house.db.read,
    write: (unit) => house.db.write(unit),
    timer: systemTimer,
    webhookKey: house.root.derive('webhook-secrets'),
    allowPrivateTargets,
    post: createPostCall({ resolve: systemResolve, allowPrivate: allowPrivateTargets, timeoutMs: webhookTimeoutMs }),
    pollMs: 1_000,
    onFault: (fault) => house.log.fault('webhooks', fault),
  });
}

/** The channels that this server has providers for; the others say that they have none. */
export async function leavingChannels(
  settings: Settings,
  email: Channel,
  simulated: boolean,
): Promise<LeavingChannels> {
  const channels: LeavingChannels = { email, sms: await smsOf(settings), letter: await letterOf(settings) };
  if (!simulated) return channels;
  const play = (channel: Channel) => simulating(channel, systemTimer);
  return { email: play(channels.email), sms: play(channels.sms), letter: play(channels.letter) };
}

/** The policy for the channels that have a provider. */
export function cascadeOf(settings: Settings): CascadePolicy {
  const more = new Set<'sms' | 'letter'>();
  if (settings.smsUrl !== undefined) more.add('sms');
  if (settings.letterSpool !== undefined) more.add('letter');
  return standardPolicyFor(more);
}

function smsMappingOf({ smsGateway }: Settings): SmsMapping {
  return smsGateway === undefined ? plainMapping : parseSmsMapping(readFileSync(smsGateway, 'utf8'));
}

async function smsOf(settings: Settings): Promise<Channel> {
  if (settings.smsUrl === undefined) return absentChannels.sms;
  const { createSmsGateway } = await import('./notifications/channels/sms-gateway.ts');
  return createSmsGateway({ url: settings.smsUrl.reveal(), mapping: smsMappingOf(settings) });
}

async function letterOf({ letterSpool: folder, letterWindow }: Settings): Promise<Channel> {
  if (folder === undefined) return absentChannels.letter;
  if (letterWindow !== 'din5008b' && letterWindow !== 'uk-c5') {
    throw new SettingError('LETTER_WINDOW', `expected din5008b or uk-c5, ${JSON.stringify(letterWindow)} came`);
  }
  const { createLetterSpool } = await import('./notifications/channels/letter-spool.ts');
  const { createLetterPress } = await import('./notifications/letters/letter-press.ts');
  return createLetterSpool({ folder, window: letterWindow, press: createLetterPress() });
}

/** The addresses that mail comes back to; none where the operator has no mailbox for them. */
export function bounceAddressesOf({ settings, root }: Pick<House, 'settings' | 'root'>): BounceAddresses | undefined {
  if (settings.bounceAddress === undefined) return undefined;
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

const receiptBytes = 65_536;
/** A bounce may carry the whole message back; its report stands before that. */
const bounceBytes = 1_048_576;

/** Where providers call back; nothing where no token was agreed with them. */
export function providerCallbacks(house: House): readonly Mount[] {
  const { settings, db } = house;
  const parts = { ...house, read: db.read, onFault: (fault: unknown) => house.log.fault('call-backs', fault) };
  const mounts: Mount[] = [];
  if (settings.smsReceiptToken !== undefined) {
    const mapping = smsMappingOf(settings);
    const read = (text: string, type: string) => receiptWord(mapping, parseReceipt(text, type));
    const handler = createProviderCallback(parts, { token: settings.smsReceiptToken, limitBytes: receiptBytes, read });
    mounts.push({ paths: [callbackPaths.sms], handler });
  }
  const addresses = bounceAddressesOf(house);
  if (settings.bounceToken !== undefined && addresses !== undefined) {
    const read = (raw: string) => readBounce(raw, addresses);
    const handler = createProviderCallback(parts, { token: settings.bounceToken, limitBytes: bounceBytes, read });
    mounts.push({ paths: [callbackPaths.mail], handler });
  }
  return mounts;
}
