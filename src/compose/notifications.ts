import { setTimeout as pause } from 'node:timers/promises';
import type { Gauge } from '../api/metrics.ts';
import type { Access, House } from '../compose.ts';
import { SettingError, type Settings } from '../config/settings.ts';
import { accessOf } from '../documents/document.ts';
import { findDocument } from '../documents/document-store.ts';
import { nextScanDue } from '../documents/scan-store.ts';
import { openRecord } from '../documents/sealed-record.ts';
import type { Contact } from '../identity/register.ts';
import { repeat } from '../jobs/repeat.ts';
import { parseLanguageTag } from '../kernel/language-tag.ts';
import { withWishes } from '../notifications/contact/contact-wish-store.ts';
import type { CascadePolicy } from '../notifications/delivery/cascade.ts';
import { createQueueWatch, type QueueState, type QueueWatch } from '../notifications/delivery/queue-watch.ts';
import type { Stamp } from '../notifications/evidence/evidence-bundle.ts';
import { type Calendar, calendarNotice } from '../notifications/evidence/legal-effect.ts';
import type { EvidencePorts } from '../notifications/evidence/read-evidence.ts';
import type { AttachmentTitle, ContactOf, NotificationPorts } from '../notifications/ports.ts';
import { withSimulators } from '../notifications/simulator.ts';
import { findOwnTemplate } from '../notifications/templates/template-shape.ts';
import { createHostLook } from '../notifications/webhooks/host-look.ts';
import { createPostCall } from '../notifications/webhooks/post-call.ts';
import { resolveFor } from '../notifications/webhooks/resolve-host.ts';
import { type Calling, startWebhooks } from '../notifications/webhooks/start-webhooks.ts';
import type { TargetRules } from '../notifications/webhooks/target.ts';
import type { WebhookPorts } from '../notifications/webhooks/webhook-ports.ts';
import { inboxLinkOf, parsedFile } from './channels.ts';
import { tryLetterOf } from './letters.ts';
import { sendersOf } from './senders.ts';

/** Where citizens are reached, as the register has it and as they wish; those of the simulator too where it plays. */
export function contactsOf(house: House): ContactOf {
  const contactOf = withWishes(registeredContacts(house), { read: house.db.read, citizenKeys: house.citizenKeys });
  return house.settings.simulators === true ? withSimulators(contactOf) : contactOf;
}

function registeredContacts(house: House): ContactOf {
  return async (citizenId) => {
    const contact = await house.register.contactOf(citizenId);
    if (contact === undefined) return undefined;
    const { name, email, phone, language, deceased, postalAddress } = contact;
    const postalLines = postalLinesOf(postalAddress);
    const tag = language === null ? undefined : parseLanguageTag(language);
    return { name, email: email ?? undefined, phone: phone ?? undefined, language: tag, deceased, postalLines };
  };
}

/** An address without a place to go to is none. */
function postalLinesOf(address: Contact['postalAddress']): readonly string[] | undefined {
  const { streetAddress, postalCode, locality, country } = address;
  if (streetAddress === null || locality === null) return undefined;
  const place = postalCode === null ? locality : `${postalCode} ${locality}`;
  return [streetAddress, place, ...(country === null ? [] : [country])];
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

const stampTimeoutMs = 5_000;

/** Asks the operator's authority for time stamps; the parts that it takes are loaded only then. */
export async function stampOf({
  settings,
  clock,
  random,
  log,
}: Pick<House, 'settings' | 'clock' | 'random'> & { readonly log: Pick<House['log'], 'fault'> }): Promise<
  Stamp | undefined
> {
  const { evidenceTsaUrl: url, evidenceTsaCertificates: path } = settings;
  if ((url === undefined) !== (path === undefined)) {
    throw new SettingError(
      'EVIDENCE_TSA_URL',
      'expected EVIDENCE_TSA_URL and EVIDENCE_TSA_CERTIFICATES together, or neither',
    );
  }
  if (url === undefined || path === undefined) return undefined;
  const { readCertificates } = await import('../notifications/evidence/time-stamp.ts');
  const { createStamper } = await import('../notifications/evidence/stamper.ts');
  const trusted = parsedFile('EVIDENCE_TSA_CERTIFICATES', path, readCertificates);
  const onFault = (fault: unknown) => log.fault('time-stamp', fault);
  return createStamper({ url, trusted, clock, random, timeoutMs: stampTimeoutMs, onFault });
}

/** The days that do not count for legal effect. A thread that only helps leaves it to the first one to say what is missing. */
function calendarOf({ settings, clock, log }: House, isHelper: boolean): Calendar {
  const calendar = { holidays: new Set(settings.holidays), timeZone: settings.timeZone };
  const notice = calendarNotice(calendar, clock.now());
  if (notice !== undefined && !isHelper) log.notice(notice);
  return calendar;
}

/** What the operations on notifications and webhooks are given. */
export async function notificationPorts(
  house: House,
  access: Access,
  site: {
    readonly cascade: CascadePolicy;
    readonly publicUrl: string;
    readonly isHelper?: boolean;
  },
): Promise<Omit<NotificationPorts & WebhookPorts & EvidencePorts, 'citizenKeys' | 'random'>> {
  return {
    contactOf: contactsOf(house),
    codeCountKey: house.root.derive('contact-code-counts'),
    cascade: site.cascade,
    senderOf: sendersOf(access, house.settings),
    attachmentTitle: attachmentTitles(house),
    templateOf: (text, clientId) => findOwnTemplate(house.db.read, text, clientId),
    tryLetter: await tryLetterOf(house),
    inboxLink: inboxLinkOf(house.settings),
    webhookKey: house.root.derive('webhook-secrets'),
    allowPrivateTargets: house.settings.webhookPrivateTargets,
    isPrivateHost: createHostLook(targetRulesOf(house.settings)),
    evidenceKey: () => access.keys.current('evidence'),
    evidenceIssuer: site.publicUrl,
    calendar: calendarOf(house, site.isHelper === true),
    stamp: await stampOf(house),
  };
}

function targetRulesOf({ webhookPrivateTargets: allowPrivate }: Settings): TargetRules {
  return { allowPrivate, resolve: resolveFor(allowPrivate) };
}

/** A receiver has so long to answer (Standard Webhooks 1.0.0: 15 to 30 seconds). */
const webhookTimeoutMs = 15_000;

/** An event of the feed comes so much later at most, while many come. */
const feedRestMs = 50;

const dayMs = 86_400_000;
/** Calls are repeated over three days and more; what is kept for less would be gone before it was given up. */
const leastFeedDays = 7;

/** So long the feed is kept. */
export function feedDaysOf({ feedDays }: Settings): number {
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
    webhookKey: house.root.derive('webhook-secrets'),
    allowPrivateTargets,
    post: createPostCall({ ...targetRulesOf(house.settings), timeoutMs: webhookTimeoutMs }),
    pollMs: 1_000,
    rest: () => pause(feedRestMs),
    keepMs: feedDaysOf(house.settings) * dayMs,
    onFault: (fault) => house.log.fault('webhooks', fault),
  });
}

/** How often a process with the worker role looks what waits in its queues. */
const queuesEveryMs = 5_000;

/** Starts the watch over the queues, for the metrics of a process with the worker role. */
export function watchQueues({ db, clock, timer, log }: House): {
  readonly gauges: readonly Gauge[];
  stop(): Promise<void>;
} {
  const watch = createQueueWatch(db.read, clock);
  const onFault = (fault: unknown) => log.fault('queues', fault);
  let scanSeconds: number | undefined;
  const call = async () => {
    await watch.look();
    const now = clock.now();
    scanSeconds = Math.max(0, now - ((await nextScanDue(db.read)) ?? now)) / 1_000;
  };
  const looking = repeat({ timer, everyMs: queuesEveryMs, onFault, call });
  const scans = {
    name: 'citizen_services_scans_oldest_due_seconds',
    help: 'How long the first of the documents that wait for the malware scanner is due.',
    read: () => scanSeconds,
  };
  return { gauges: [...queueGauges(watch), scans], stop: () => looking.stop() };
}

function queueGauges({ deliveries, calls }: QueueWatch): Gauge[] {
  const gauge = (name: string, help: string) => ({ name: `citizen_services_${name}`, help });
  const ofChannels = (part: keyof QueueState) => ({
    label: 'channel',
    read: () => new Map([...deliveries()].map(([channel, state]) => [channel, state[part]])),
  });
  return [
    {
      ...gauge('deliveries_due', 'Deliveries that are due and that no worker has taken, counted up to 10,000.'),
      ...ofChannels('due'),
    },
    { ...gauge('deliveries_oldest_due_seconds', 'How long the first of them is due.'), ...ofChannels('oldestSeconds') },
    {
      ...gauge('webhook_calls_due', 'Calls of webhooks that are due and not made yet, counted up to 10,000.'),
      read: () => calls()?.due,
    },
    {
      ...gauge('webhook_calls_oldest_due_seconds', 'How long the first of them is due.'),
      read: () => calls()?.oldestSeconds,
    },
  ];
}
