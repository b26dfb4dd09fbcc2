import { setTimeout as pause } from 'node:timers/promises';
import type { Gauge } from '../api/metrics.ts';
import { SettingError, type Settings } from '../config/settings.ts';
import { accessOf } from '../documents/document.ts';
import { findDocument } from '../documents/document-store.ts';
import { nextScanDue } from '../documents/scan/scan-store.ts';
import { unsealRecord } from '../documents/sealed-record.ts';
import type { RegisterContact } from '../identity/register/register.ts';
import { repeatEvery } from '../jobs/repeat-every.ts';
import { parseLanguageTag } from '../kernel/language-tag.ts';
import type { CascadePolicy } from '../notifications/cascade/cascade.ts';
import { withPreferences } from '../notifications/contact/contact-preferences-store.ts';
import { createQueueMonitor, type QueueMonitor, type QueueState } from '../notifications/delivery/queue-monitor.ts';
import { withSimulatedContacts } from '../notifications/delivery/simulator.ts';
import type { RequestTimeStamp } from '../notifications/evidence/evidence-bundle.ts';
import { type Calendar, calendarNotice } from '../notifications/evidence/legal-effect.ts';
import type { AttachmentTitle, ContactOf, NotificationPorts } from '../notifications/ports.ts';
import type { EvidencePorts } from '../notifications/read-evidence.ts';
import { findOwnTemplate } from '../notifications/templates/template-shape.ts';
import { createPostWebhookCall } from '../notifications/webhooks/post-call.ts';
import { createPrivateHostCheck } from '../notifications/webhooks/private-host-check.ts';
import { createHostResolver } from '../notifications/webhooks/resolve-host.ts';
import { type CallJob, startWebhooks } from '../notifications/webhooks/start-webhooks.ts';
import type { WebhookPorts } from '../notifications/webhooks/webhook-ports.ts';
import type { TargetRules } from '../notifications/webhooks/webhook-target.ts';
import type { AppContext, AuthContext } from './app-context.ts';
import { createLetterDryRun } from './letters.ts';
import { inboxLinkOf, parsedFile } from './notification-channels.ts';
import { createSenderLookup } from './senders.ts';

/** Where citizens are reached, as the register has it and as they wish; those of the simulator too where it plays. */
export function createContactLookup(app: AppContext): ContactOf {
  const contactOf = withPreferences(registeredContacts(app), { read: app.db.read, citizenKeys: app.citizenKeys });
  return app.settings.simulators === true ? withSimulatedContacts(contactOf) : contactOf;
}

function registeredContacts(app: AppContext): ContactOf {
  return async (citizenId) => {
    const contact = await app.register.contactOf(citizenId);
    if (contact === undefined) return undefined;
    const { name, email, phone, language, deceased, postalAddress } = contact;
    const postalLines = postalLinesOf(postalAddress);
    const tag = language === null ? undefined : parseLanguageTag(language);
    return { name, email: email ?? undefined, phone: phone ?? undefined, language: tag, deceased, postalLines };
  };
}

/** An address without a place to go to is none. */
function postalLinesOf(address: RegisterContact['postalAddress']): readonly string[] | undefined {
  const { streetAddress, postalCode, locality, country } = address;
  if (streetAddress === null || locality === null) return undefined;
  const place = postalCode === null ? locality : `${postalCode} ${locality}`;
  return [streetAddress, place, ...(country === null ? [] : [country])];
}

/** The titles of documents, for those who may read them: the documents' own rule decides. */
function attachmentTitles({ db, citizenKeys }: AppContext): AttachmentTitle {
  return async (id, { clientId, citizenId, now }) => {
    const found = await findDocument(db.read, id);
    if (found === undefined || found.document.citizenId !== citizenId) return undefined;
    const { document, grants } = found;
    if (document.status !== 'available' || accessOf(document, grants, { client: clientId }, now) === undefined)
      return undefined;
    const { issuer, createdAt, sealedRecord } = document;
    const binding = { id, pseudonym: citizenKeys.pseudonymOf(citizenId), issuer, createdAt };
    return unsealRecord(await citizenKeys.keyOf(citizenId), binding, sealedRecord).title;
  };
}

const stampTimeoutMs = 5_000;

/** Asks the operator's authority for time stamps; the parts that it takes are loaded only then. */
export async function createTimeStamper({
  settings,
  clock,
  random,
  log,
}: Pick<AppContext, 'settings' | 'clock' | 'random'> & { readonly log: Pick<AppContext['log'], 'fault'> }): Promise<
  RequestTimeStamp | undefined
> {
  const { evidenceTsaUrl: url, evidenceTsaCertificates: path } = settings;
  if ((url === undefined) !== (path === undefined)) {
    throw new SettingError(
      'EVIDENCE_TSA_URL',
      'expected EVIDENCE_TSA_URL and EVIDENCE_TSA_CERTIFICATES together, or neither',
    );
  }
  if (url === undefined || path === undefined) return undefined;
  const { parseCertificates } = await import('../notifications/evidence/time-stamp.ts');
  const { createTimeStampClient } = await import('../notifications/evidence/time-stamp-client.ts');
  const trusted = parsedFile('EVIDENCE_TSA_CERTIFICATES', path, parseCertificates);
  const onFault = (fault: unknown) => log.fault('time-stamp', fault);
  return createTimeStampClient({ url, trusted, clock, random, timeoutMs: stampTimeoutMs, onFault });
}

/** The days that do not count for legal effect. A thread that only helps leaves it to the first one to say what is missing. */
function calendarOf({ settings, clock, log }: AppContext, isHelper: boolean): Calendar {
  const calendar = { holidays: new Set(settings.holidays), timeZone: settings.timeZone };
  const notice = calendarNotice(calendar, clock.now());
  if (notice !== undefined && !isHelper) log.notice(notice);
  return calendar;
}

/** What the operations on notifications and webhooks are given. */
export async function createNotificationPorts(
  app: AppContext,
  access: AuthContext,
  options: {
    readonly cascade: CascadePolicy;
    readonly publicUrl: string;
    readonly isHelper?: boolean;
  },
): Promise<Omit<NotificationPorts & WebhookPorts & EvidencePorts, 'citizenKeys' | 'random'>> {
  return {
    contactOf: createContactLookup(app),
    codeCountKey: app.root.derive('contact-code-counts'),
    cascade: options.cascade,
    senderOf: createSenderLookup(access, app.settings),
    attachmentTitle: attachmentTitles(app),
    templateOf: (text, clientId) => findOwnTemplate(app.db.read, text, clientId),
    checkLetter: await createLetterDryRun(app),
    inboxLink: inboxLinkOf(app.settings),
    webhookKey: app.root.derive('webhook-secrets'),
    allowPrivateTargets: app.settings.webhookPrivateTargets,
    isPrivateHost: createPrivateHostCheck(targetRulesOf(app.settings)),
    evidenceKey: () => access.keys.current('evidence'),
    evidenceIssuer: options.publicUrl,
    calendar: calendarOf(app, options.isHelper === true),
    requestTimeStamp: await createTimeStamper(app),
  };
}

function targetRulesOf({ webhookPrivateTargets: allowPrivate }: Settings): TargetRules {
  return { allowPrivate, resolve: createHostResolver(allowPrivate) };
}

/** A receiver has so long to answer (Standard Webhooks 1.0.0: 15 to 30 seconds). */
const webhookTimeoutMs = 15_000;

/** An event of the feed comes so much later at most, while many come. */
const feedPauseMs = 50;

const dayMs = 86_400_000;
/** Calls are repeated over three days and more; what is kept for less would be gone before it was given up. */
const minFeedDays = 7;

/** So long the feed is kept. */
export function feedDaysOf({ feedDays }: Settings): number {
  if (feedDays >= minFeedDays) return feedDays;
  throw new SettingError('FEED_DAYS', `expected ${minFeedDays} or more, ${feedDays} came`);
}

/** Starts what numbers the feed and calls the webhooks, in a process with the worker role. */
export function startCallJob(app: AppContext): CallJob {
  const allowPrivateTargets = app.settings.webhookPrivateTargets;
  return startWebhooks({
    ...app,
    read: app.db.read,
    write: (unit) => app.db.write(unit),
    webhookKey: app.root.derive('webhook-secrets'),
    allowPrivateTargets,
    post: createPostWebhookCall({ ...targetRulesOf(app.settings), timeoutMs: webhookTimeoutMs }),
    pollMs: 1_000,
    pause: () => pause(feedPauseMs),
    keepMs: feedDaysOf(app.settings) * dayMs,
    onFault: (fault) => app.log.fault('webhooks', fault),
  });
}

/** How often a process with the worker role looks what waits in its queues. */
const queuesEveryMs = 5_000;

/** Starts the watch over the queues, for the metrics of a process with the worker role. */
export function watchQueues({ db, clock, timer, log }: AppContext): {
  readonly gauges: readonly Gauge[];
  stop(): Promise<void>;
} {
  const watch = createQueueMonitor(db.read, clock);
  const onFault = (fault: unknown) => log.fault('queues', fault);
  let scanSeconds: number | undefined;
  const call = async () => {
    await watch.refresh();
    const now = clock.now();
    scanSeconds = Math.max(0, now - ((await nextScanDue(db.read)) ?? now)) / 1_000;
  };
  const checking = repeatEvery({ timer, everyMs: queuesEveryMs, onFault, call });
  const scans = {
    name: 'citizen_services_scans_oldest_due_seconds',
    help: 'How long the first of the documents that wait for the malware scanner is due.',
    read: () => scanSeconds,
  };
  return { gauges: [...queueGauges(watch), scans], stop: () => checking.stop() };
}

function queueGauges({ deliveries, calls }: QueueMonitor): Gauge[] {
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
