import type { Access, House } from './compose.ts';
import { SettingError, type Settings } from './config/settings.ts';
import { accessOf } from './documents/document.ts';
import { findDocument } from './documents/document-store.ts';
import { openRecord } from './documents/sealed-record.ts';
import type { Contact } from './identity/register.ts';
import { systemTimer } from './jobs/timer.ts';
import type { CascadePolicy } from './notifications/cascade.ts';
import { withWishes } from './notifications/contact-wish-store.ts';
import type { AttachmentTitle, ContactOf, NotificationPorts } from './notifications/ports.ts';
import type { EvidencePorts } from './notifications/read-evidence.ts';
import { withSimulators } from './notifications/simulator.ts';
import { createPostCall } from './notifications/webhooks/post-call.ts';
import { type Calling, startWebhooks } from './notifications/webhooks/start-webhooks.ts';
import { systemResolve } from './notifications/webhooks/target.ts';
import type { WebhookPorts } from './notifications/webhooks/webhook-ports.ts';

/** Where citizens are reached, as the register has it and as they wish. */
export function contactsOf(house: House): ContactOf {
  return withWishes(registeredContacts(house), { read: house.db.read, citizenKeys: house.citizenKeys });
}

function registeredContacts(house: House): ContactOf {
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

const dayMs = 86_400_000;
/** Calls are repeated over three days and more; what is kept for less would be gone before it was given up. */
const leastFeedDays = 7;

function feedDaysOf({ feedDays }: Settings): number {
  if (feedDays >= leastFeedDays) return feedDays;
  throw new SettingError('FEED_DAYS', `expected ${leastFeedDays} or more, ${feedDays} came`);
}

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
    keepMs: feedDaysOf(house.settings) * dayMs,
    onFault: (fault) => house.log.fault('webhooks', fault),
  });
}
