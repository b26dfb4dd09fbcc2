import type { Log } from '../api/log.ts';
import type { MetricLabels, Metrics } from '../api/metrics.ts';
import { bindOperation, type Operation } from '../api/operation.ts';
import type { MountedHandler } from '../api/page-route.ts';
import type { Slice, SliceDeps } from '../api/slice.ts';
import type { ClientCache } from '../auth/client-cache.ts';
import { createConcurrencyLimiter } from '../auth/concurrency-limiter.ts';
import { type PurposeText, purposeTextIn } from '../auth/purpose-texts.ts';
import type { SigningKey } from '../crypto/signing-key.ts';
import type { OnCommitted } from '../ledger/commit.ts';
import { askContactCode } from './ask-contact-code.ts';
import type { NotificationBatch } from './batches/batch.ts';
import { cancelNotification } from './cancel-notification.ts';
import { cancelNotificationBatch } from './cancel-notification-batch.ts';
import type { CascadePolicy } from './cascade/cascade.ts';
import { providerEndpoints } from './channels/provider-endpoints.ts';
import { confirmContactAddress } from './confirm-contact-address.ts';
import { findPreferences } from './contact/contact-preferences-store.ts';
import { createNotificationBatch } from './create-notification-batch.ts';
import { createTemplate } from './create-template.ts';
import { createWebhook } from './create-webhook.ts';
import { createUrgentPriority } from './delivery/urgent-priority.ts';
import { createTimeStamper } from './evidence/time-stamp-settings.ts';
import { exportInbox } from './export-inbox.ts';
import { inboxLinkOf } from './inbox/inbox-link.ts';
import { findInboxOverview } from './inbox/inbox-overview.ts';
import { findOwnMessage, findPendingNotice, type OwnMessage } from './inbox/own-message.ts';
import { type Calendar, calendarNotice } from './legal-effect/legal-effect.ts';
import { createLetterPreview, reportMissingSpool } from './letters/letter-settings.ts';
import { listBatchRows } from './list-batch-rows.ts';
import { listInboxMessages } from './list-inbox-messages.ts';
import { listNotificationBatches } from './list-notification-batches.ts';
import { listNotifications } from './list-notifications.ts';
import { listTemplates } from './list-templates.ts';
import { listWebhookCalls } from './list-webhook-calls.ts';
import { listWebhooks } from './list-webhooks.ts';
import { archiveInboxMessage, markInboxMessageUnread, restoreInboxMessage } from './mark-inbox-message.ts';
import { createContactLookup, createNotices, type Notices } from './notices.ts';
import type { ExternalChannels } from './notification/channel.ts';
import type { ContactOf } from './notification/contact.ts';
import type { LegalNotice } from './notification/legal-notice.ts';
import { channelNames, type NotificationStatus, unprovenStatuses } from './notification/notification.ts';
import { parseReasonCode, reasonOf } from './notification/reason.ts';
import { createSenderLookup, createServiceLookup, type SenderOf } from './notification/sending-service.ts';
import { notificationJobs, targetRulesOf, webhookTimeoutMs } from './notification-jobs.ts';
import { openInboxMessage } from './open-inbox-message.ts';
import type { AttachmentTitle, BatchPorts, NotificationPorts } from './ports.ts';
import { type BatchPreview, previewBatch } from './preview-batch.ts';
import { previewNotification } from './preview-notification.ts';
import { readBatchResults } from './read-batch-results.ts';
import { readEvents } from './read-events.ts';
import { type EvidencePorts, readEvidence } from './read-evidence.ts';
import { readNotification } from './read-notification.ts';
import { readNotificationBatch } from './read-notification-batch.ts';
import { readPreferences } from './read-preferences.ts';
import { readTemplate } from './read-template.ts';
import { redeliverWebhook } from './redeliver-webhook.ts';
import { removeContactAddress } from './remove-contact-address.ts';
import { removeTemplate } from './remove-template.ts';
import { removeWebhook } from './remove-webhook.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { searchInbox } from './search-inbox.ts';
import { sendNotification } from './send-notification.ts';
import { startNotificationBatch } from './start-notification-batch.ts';
import { statePreferences } from './state-preferences.ts';
import { findOwnTemplate } from './templates/template-shape.ts';
import { testWebhook } from './test-webhook.ts';
import { insertPresentationFeedEvent, statusEventTypes } from './webhooks/feed-store.ts';
import { createPostWebhookCall } from './webhooks/post-call.ts';
import { createPrivateHostCheck } from './webhooks/private-host-check.ts';
import type { WebhookPorts } from './webhooks/webhook-shape.ts';
import { findWebhooks } from './webhooks/webhook-store.ts';

type NotificationsDeps = SliceDeps & {
  readonly publicUrl: string;
  readonly clients: ClientCache;
  readonly cascade: CascadePolicy;
  /** The channels to providers; only a process with the worker role has them. */
  readonly channels: ExternalChannels | undefined;
  /** Whether another thread of the process reports missing settings at the start. */
  readonly isHelper: boolean;
  /** The contact of a citizen in the register. */
  readonly registeredContactOf: ContactOf;
  readonly attachmentTitle: AttachmentTitle;
  /** The current signing key of evidence. */
  readonly evidenceKey: () => SigningKey;
};

/** The notifications slice, and functions for other slices and pages. */
export type NotificationsSlice = Slice & {
  readonly notices: Notices;
  readonly senderOf: SenderOf;
  readonly calendar: Calendar;
  /** The name of the organisation of a client, as citizens read it. */
  organisationOf(clientId: string): string;
  /** The language that a citizen has stated for messages; undefined if none. */
  statedLanguageOf(citizenId: string): Promise<string | undefined>;
  /** The number of unread messages in the inbox of a citizen. */
  unreadCountOf(citizenId: string): Promise<number>;
  /** A purpose of a client in words of a language, if the client registered them. */
  purposeTextOf(clientId: string, purpose: string, language: string): PurposeText | undefined;
  /** The number of webhooks of a client. */
  webhookCountOf(clientId: string): Promise<number>;
  /** A message for the access log of its citizen. */
  ownMessageOf(id: string, citizenId: string): Promise<OwnMessage>;
  /** When a message of the citizen will count as served; undefined if it does already, or if its sender named no rule. */
  pendingNoticeOf(id: string, citizenId: string): Promise<LegalNotice | undefined>;
  /** The first rows of a batch and an estimate of its cost, for staff. */
  previewBatch(batch: NotificationBatch): Promise<BatchPreview | undefined>;
  /** The statement that reports a presentation in the feed of its client. */
  readonly presentationFeedEvent: typeof insertPresentationFeedEvent;
  /** The endpoints that providers call to report deliveries. */
  readonly mounts: readonly MountedHandler[];
};

type AllPorts = NotificationPorts & BatchPorts & WebhookPorts & EvidencePorts;

/** The tests of webhooks of a client that can run at the same time in one process. A receiver can take 15 seconds to respond. */
const maxConcurrentTests = 2;

const allOperations: readonly Operation<AllPorts>[] = [
  sendNotification,
  previewNotification,
  readNotification,
  listNotifications,
  cancelNotification,
  createWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  redeliverWebhook,
  testWebhook,
  listWebhookCalls,
  readEvents,
  readEvidence,
  statePreferences,
  readPreferences,
  listInboxMessages,
  openInboxMessage,
  searchInbox,
  archiveInboxMessage,
  restoreInboxMessage,
  markInboxMessageUnread,
  exportInbox,
  askContactCode,
  confirmContactAddress,
  removeContactAddress,
  createTemplate,
  listTemplates,
  readTemplate,
  removeTemplate,
  createNotificationBatch,
  listNotificationBatches,
  readNotificationBatch,
  listBatchRows,
  readBatchResults,
  startNotificationBatch,
  cancelNotificationBatch,
];

/** Logs each delivery attempt, without personal data. The entries of the ledger about it are sealed. */
function logDeliveries(log: Pick<Log, 'notice'>, onCommitted: OnCommitted): void {
  onCommitted(['notification.delivery-ended'], (events) => {
    for (const event of events) {
      if (event.type !== 'notification.delivery-ended') continue;
      const { notification, delivery, channel, outcome, reason } = event;
      log.notice('delivery', { notification, delivery, channel, outcome, ...(reason === undefined ? {} : { reason }) });
    }
  });
}

/** Creates the notifications slice: sending, delivery, inbox, contact addresses, templates, webhooks, evidence. */
export async function createNotifications(deps: NotificationsDeps): Promise<NotificationsSlice> {
  const { settings, root, random, citizenKeys, db, log, onCommitted, cascade } = deps;
  const contactOf = createContactLookup(deps, deps.registeredContactOf);
  const senderOf = createSenderLookup(deps.clients, settings.registerName);
  const serviceOf = createServiceLookup(deps.clients, settings.registerName);
  const calendar = calendarOf(deps);
  logDeliveries(log, onCommitted);
  const ports: AllPorts = {
    contactOf,
    citizenKeys,
    random,
    cascade,
    senderOf,
    phoneCountry: settings.phoneCountry,
    codeCountKey: root.derive('contact-code-counts'),
    attachmentTitle: deps.attachmentTitle,
    templateOf: (text, clientId) => findOwnTemplate(db.read, text, clientId),
    checkLetter: await createLetterPreview({ settings, log }),
    inboxLink: inboxLinkOf(settings),
    batchKey: root.derive('batch-uploads'),
    write: (unit) => db.write(unit),
    commit: deps.commit,
    webhookKey: root.derive('webhook-secrets'),
    allowPrivateTargets: settings.webhookPrivateTargets,
    isPrivateHost: createPrivateHostCheck(targetRulesOf(settings)),
    post: createPostWebhookCall({ ...targetRulesOf(settings), timeoutMs: webhookTimeoutMs }),
    testSlots: createConcurrencyLimiter(maxConcurrentTests),
    evidenceKey: deps.evidenceKey,
    evidenceIssuer: deps.publicUrl,
    calendar,
    urgentPriority: createUrgentPriority(deps.clock, deps.timer),
    requestTimeStamp: await createTimeStamper(deps),
  };
  return {
    operations: allOperations.map((operation) => bindOperation(operation, ports)),
    jobs: notificationJobs({ ...deps, contactOf, senderOf, calendar, ports }),
    registerMetrics: (metrics) => {
      countDeliveries(metrics, onCommitted);
      countFinalStatuses(metrics, onCommitted);
    },
    checks: [{ onlyWorker: true, run: () => reportMissingSpool({ settings, log }) }],
    notices: createNotices(ports),
    senderOf,
    calendar,
    organisationOf: (clientId) => serviceOf(clientId).name,
    statedLanguageOf: async (citizenId) => {
      const { preferences } = await findPreferences({ read: db.read, citizenKeys }, citizenId);
      return preferences.language ?? undefined;
    },
    unreadCountOf: async (citizenId) => (await findInboxOverview(db.read, citizenId)).unread,
    purposeTextOf: (clientId, purpose, language) =>
      purposeTextIn(deps.clients.get(clientId)?.purposeTexts, purpose, language),
    webhookCountOf: async (clientId) => (await findWebhooks(db.read, clientId)).length,
    ownMessageOf: (id, citizenId) => findOwnMessage({ read: db.read, citizenKeys }, id, citizenId),
    pendingNoticeOf: (id, citizenId) => findPendingNotice({ ...deps, read: db.read, calendar }, id, citizenId),
    previewBatch: (batch) => previewBatch({ ...deps, ports }, batch),
    presentationFeedEvent: insertPresentationFeedEvent,
    mounts: providerEndpoints(deps),
  };
}

/** The days that do not count for legal effect. */
function calendarOf({ settings, clock, log, isHelper }: NotificationsDeps): Calendar {
  const { holidays, weekend, timeZone } = settings;
  const calendar = { holidays: new Set(holidays), weekend, timeZone };
  const notice = calendarNotice(calendar, clock.now());
  if (notice !== undefined && !isHelper) log.notice(notice);
  return calendar;
}

/** The label values that alarms compare. They exist from the start; other values appear with their first event. */
const initialOutcomes: readonly MetricLabels[] = [
  { outcome: 'sent', who_acts: '' },
  { outcome: 'delivered', who_acts: '' },
  ...['retry', 'failed', 'unknown'].map((outcome) => ({ outcome, who_acts: 'operator' })),
];

function countDeliveries(metrics: Metrics, onCommitted: OnCommitted): void {
  const count = metrics.counter({
    name: 'citizen_services_delivery_outcomes_total',
    help: 'Delivery attempts by channel, outcome and the party that must act.',
    labels: ['channel', 'outcome', 'who_acts'],
    initialLabels: channelNames.flatMap((channel) => initialOutcomes.map((outcome) => ({ channel, ...outcome }))),
  });
  onCommitted(['notification.delivery-ended'], (events) => {
    for (const event of events) {
      if (event.type !== 'notification.delivery-ended') continue;
      const whoActs = event.reason === undefined ? '' : reasonOf(parseReasonCode(event.reason)).whoActs;
      count({ channel: event.channel, outcome: event.outcome, who_acts: whoActs });
    }
  });
}

/** A notification that gets a later report moves from one of these to another, and counts in both. */
const countedStatuses: readonly NotificationStatus[] = ['delivered', 'read', ...unprovenStatuses, 'cancelled'];

function countFinalStatuses(metrics: Metrics, onCommitted: OnCommitted): void {
  const count = metrics.counter({
    name: 'citizen_services_notification_statuses_total',
    help: 'Notifications that got this status. A later report can give a notification another one.',
    labels: ['status'],
    initialLabels: countedStatuses.map((status) => ({ status })),
  });
  onCommitted(statusEventTypes, (events) => {
    for (const { newStatus } of events) {
      const status = countedStatuses.find((one) => one === newStatus);
      if (status !== undefined) count({ status });
    }
  });
}
