import { retryDelayMs } from '../../jobs/back-off.ts';
import { type CallTimeout, timedOut } from '../../jobs/call-timeout.ts';
import { blockedReasonOf, type CascadePolicy } from '../cascade/cascade.ts';
import { isEndedByConfirmation } from '../legal-effect/confirmation.ts';
import { findLegalNotice } from '../legal-effect/find-legal-notice.ts';
import type { Calendar } from '../legal-effect/legal-effect.ts';
import type { Channel, OutgoingMessage, PreparedMessage, ProviderOutcome } from '../notification/channel.ts';
import type { ContactOf } from '../notification/contact.ts';
import { type DeliveryJob, findDeliveries, markStarted, requeue } from '../notification/delivery-store.ts';
import { type ContentKeys, messageLanguageOf, openMessageContent } from '../notification/message-content.ts';
import type { Delivery, Notification } from '../notification/notification.ts';
import { findNotificationWithContent } from '../notification/notification-store.ts';
import { nextAllowedTime } from '../notification/quiet-hours.ts';
import type { SenderOf } from '../notification/sending-service.ts';
import type { ChannelSlots } from './channel-slots.ts';
import {
  type CompletionDeps,
  completeDelivery,
  isTransientFault,
  type JobEnding,
  NotificationMissing,
} from './complete-delivery.ts';
import { ChannelTimeout, requeueLost } from './recover-deliveries.ts';

/**
 * How one delivery is attempted, and what a crash leaves.
 *
 * Steps. A delivery is `queued` until a worker claims it.
 * 1. Claim: the row becomes `sending`, `attempts` grows by one, and `locked_by` is the lease of the worker's process.
 * 2. Prepare: the channel writes the message and opens its connection. Nothing leaves the server.
 * 3. Mark: `started_at` is stored and synced. Only after that the provider may be called.
 * 4. Call: the provider is called, once.
 * 5. Complete: the new state, the attempt, the status of the notification, the next step of the cascade and the ledger
 *    event are one write unit (complete-delivery.ts). The new state is `sent`, `delivered`, `failed`, `skipped` or
 *    `unknown`, or `queued` again when the provider certainly did not accept the message.
 *
 * Fencing. `id`, `attempts` and `locked_by` together are the fencing token of a job. Mark, requeue and complete name all
 * three. Once another process has taken the job, they match no row: the slow worker can neither call the provider nor
 * overwrite an outcome. Mark, `requeueLost` and `skipUnneeded` change the same row, so exactly one of them succeeds.
 *
 * Crash. A silent process loses its lease. A process that does not know the result of its claim or completion abandons its
 * lease itself. The next recovery in any process (recover-deliveries.ts) then handles the jobs of that lease:
 * - Without a mark the provider was not called. The job goes back into the queue.
 * - With a mark the provider may have the message. Recovery asks the channel, if it can answer. Otherwise the attempt
 *   becomes `unknown`: it is never repeated by itself, and never dropped.
 * - If the slow worker still receives the response of the provider, that counts as a late report about the `unknown`
 *   attempt (apply-late-report.ts).
 *
 * Reports. A provider may report about an attempt before its outcome is stored. Such an early report is stored with the
 * job, and completion combines it with the response.
 */

export type DeliverDeps = CompletionDeps & {
  readonly citizenKeys: ContentKeys;
  readonly contactOf: ContactOf;
  /** Its quiet hours, and the channels that need a verified address. */
  readonly cascade: Pick<CascadePolicy, 'quiet' | 'verifiedOnly'>;
  readonly senderOf: SenderOf;
  /** The days that do not count as working days, for legal effect. */
  readonly calendar: Calendar;
  /** The limit of each call of a channel, above its own limits. Without it a call that never settles would keep its slot. */
  readonly limit: CallTimeout;
  /** True while this process shuts down: it calls no provider any more, and does not wait for an absent database. */
  isStopping(): boolean;
  onFault(fault: unknown): void;
};

const maxFaults = 5;
const longestPauseMs = 1_000;

/** A job with the name of its lane: the messages of one client and category share a lane. */
export type LaneJob = DeliveryJob & { readonly lane: string };

type Deliverer = { readonly deps: DeliverDeps; readonly channel: Channel; readonly slots: ChannelSlots };

type PreparedDelivery =
  | MessageToSend
  | { readonly ending: JobEnding; readonly notification: Notification }
  | { readonly notUntil: number };

type MessageToSend = {
  readonly message: OutgoingMessage;
  readonly notification: Notification;
  /** The first time from `at` on that is outside all quiet hours. */
  notBefore(at: number): number;
};

/** Returns what a worker does with a job of this channel; the promise rejects when the job is left for recovery. */
export function createDeliverJob(
  deps: DeliverDeps,
  channel: Channel,
  slots: ChannelSlots,
): (job: LaneJob) => Promise<void> {
  const deliverer: Deliverer = { deps, channel, slots };
  return (job) => deliver(deliverer, job);
}

async function deliver(deliverer: Deliverer, job: LaneJob): Promise<void> {
  const { deps, channel, slots } = deliverer;
  let ending: JobEnding | undefined;
  let notification: Notification | undefined;
  try {
    const prepared = await prepareJob(deps, channel, job);
    if ('notUntil' in prepared) {
      await deps.claim(requeue(job, prepared.notUntil));
      return;
    }
    notification = prepared.notification;
    ending =
      'ending' in prepared ? prepared.ending : await slots(job.lane, () => callProvider(deliverer, job, prepared));
  } catch (fault) {
    // `callProvider` throws only before the call, so the provider was not called.
    deps.onFault(fault);
    if (job.attempts < deps.policy.attempts) {
      await deps.claim(requeue(job, deps.clock.now() + retryDelayMs(deps.policy, job.attempts, deps.random)));
      return;
    }
    ending = { by: 'us', status: 'failed', reason: 'internal-fault' };
  }
  if (ending !== undefined) await completeAttempt(deps, job, ending, notification);
}

/** Steps 2 to 4; undefined when the job ended without a call, or is lost. The wait for a slot may be long, so times are checked again. */
async function callProvider(
  deliverer: Deliverer,
  job: DeliveryJob,
  { message, notification, notBefore }: MessageToSend,
): Promise<JobEnding | undefined> {
  const { deps } = deliverer;
  const now = deps.clock.now();
  if (deps.isStopping()) return await release(deps, job);
  if (now >= notification.deliverBy) return deadlinePassed;
  if (notBefore(now) > now) {
    await deps.claim(requeue(job, notBefore(now)));
    return undefined;
  }
  const ready = await prepareWithinLimit(deliverer, message);
  const startedAt = deps.clock.now();
  if ('outcome' in ready) return { by: 'provider', startedAt, outcome: ready };
  let marked = false;
  try {
    if (deps.isStopping()) return await release(deps, job);
    if (startedAt >= notification.deliverBy) return deadlinePassed;
    marked = (await deps.claim(markStarted(job, startedAt))).length === 1;
  } finally {
    if (!marked) ready.drop();
  }
  return marked ? { by: 'provider', startedAt, outcome: await callWithinLimit(deliverer, ready) } : undefined;
}

/** A process that shuts down starts no call, because the call could be cut off. Another process takes the job. */
async function release(deps: DeliverDeps, job: DeliveryJob): Promise<undefined> {
  await deps.claim(requeueLost(job));
}

async function prepareWithinLimit(
  { deps, channel }: Deliverer,
  message: OutgoingMessage,
): Promise<PreparedMessage | ProviderOutcome> {
  const preparing = channel.prepare(message);
  const ready = await deps.limit.waitFor(preparing);
  if (ready !== timedOut) return ready;
  deps.onFault(new ChannelTimeout(channel.name, 'prepare', deps.limit.ms));
  preparing.then((late) => 'drop' in late && late.drop(), deps.onFault);
  return { outcome: 'temporary', reason: 'provider-unreachable' };
}

async function callWithinLimit({ deps, channel }: Deliverer, ready: PreparedMessage): Promise<ProviderOutcome> {
  try {
    const calling = ready.call();
    const outcome = await deps.limit.waitFor(calling);
    if (outcome !== timedOut) return outcome;
    calling.catch(deps.onFault);
    throw new ChannelTimeout(channel.name, 'call', deps.limit.ms);
  } catch (fault) {
    // The channel broke the promise of its port. The provider may have accepted the message.
    deps.onFault(fault);
    return { outcome: 'unknown' };
  }
}

/**
 * Stores the outcome of a job. Only this process knows the response of the provider, so it retries until the database is
 * available again. An ending by this server is given up after a few failures: recovery finds it again.
 */
async function completeAttempt(
  deps: DeliverDeps,
  job: DeliveryJob,
  ending: JobEnding,
  notification: Notification | undefined,
): Promise<void> {
  for (let faults = 1; ; faults += 1) {
    try {
      await completeDelivery(deps, job, ending, notification);
      return;
    } catch (fault) {
      const mayGiveUp = ending.by === 'us' || deps.isStopping();
      if (!isTransientFault(fault) || (mayGiveUp && faults >= maxFaults)) throw fault;
      await new Promise<void>((resolve) => deps.timer(Math.min(50 * 2 ** faults, longestPauseMs), resolve));
    }
  }
}

const deadlinePassed: JobEnding = { by: 'us', status: 'failed', reason: 'deadline-passed' };
const alreadyRead: JobEnding = { by: 'us', status: 'skipped', reason: 'already-read' };

/** Reads all that a message needs; an ending where no provider has to be called. */
async function prepareJob(deps: DeliverDeps, channel: Channel, job: DeliveryJob): Promise<PreparedDelivery> {
  const found = await findNotificationWithContent(deps.read, job.notificationId);
  if (found === undefined) throw new NotificationMissing(job.id);
  const { notification } = found;
  const now = deps.clock.now();
  const endedWith = (
    status: 'failed' | 'skipped',
    reason: Extract<JobEnding, { by: 'us' }>['reason'],
  ): PreparedDelivery => ({ notification, ending: { by: 'us', status, reason } });
  if (notification.status === 'read') return { notification, ending: alreadyRead };
  if (await isEndedByConfirmation(deps.read, notification)) return endedWith('skipped', 'receipt-confirmed');
  if (now >= notification.deliverBy) return { notification, ending: deadlinePassed };
  const original = job.reminder ? await findOriginalDelivery(deps, job) : undefined;
  if (job.reminder && original === undefined) return endedWith('skipped', 'nothing-to-remind');
  const [contact, content, sender] = await Promise.all([
    deps.contactOf(notification.citizenId),
    openMessageContent(deps.citizenKeys, notification, found.content),
    deps.senderOf(notification.clientId),
  ]);
  const quiet = [deps.cascade.quiet, contact?.hours];
  const urgent = notification.category === 'urgent';
  const notBefore = (at: number) => (urgent ? at : nextAllowedTime(quiet, channel.name, at));
  if (notBefore(now) > now) return { notUntil: notBefore(now) };
  // First: after an erasure the citizen is unknown too.
  if (content === undefined) return endedWith('failed', 'content-erased');
  if (contact === undefined) return endedWith('failed', 'citizen-unknown');
  if (contact.deceased === true) return endedWith('failed', 'citizen-deceased');
  const blockedReason =
    content.address === undefined ? blockedReasonOf(deps.cascade, contact, channel.name) : undefined;
  if (blockedReason !== undefined) return endedWith('skipped', blockedReason);
  const address = content.address ?? channel.addressOf(contact);
  if (address === undefined) return endedWith('skipped', 'no-contact');
  return {
    notification,
    notBefore,
    message: {
      notification: notification.id,
      delivery: job.id,
      attempt: job.attempts,
      address,
      clientId: notification.clientId,
      sender: sender.name,
      returnAddress: sender.returnAddress,
      senderSettings: sender.messages,
      reference: notification.reference,
      noticeOnly: notification.noticeOnly,
      legalNotice: await findLegalNotice(deps, notification, { now }),
      subject: content.subject,
      content,
      reminder: job.reminder,
      originalAttempt: original && { delivery: original.id, attempt: original.attempts },
      category: notification.category,
      largePrint: contact.largePrint,
      language: messageLanguageOf(content, notification.language, contact.language),
      at: now,
    },
  };
}

/** The delivery that a reminder repeats: the first one by this channel, if the provider accepted it. */
async function findOriginalDelivery(deps: DeliverDeps, job: DeliveryJob): Promise<Delivery | undefined> {
  const deliveries = await findDeliveries(deps.read, job.notificationId);
  return deliveries.find(
    ({ channel, reminder, state }) =>
      channel === job.channel && !reminder && (state.status === 'sent' || state.status === 'delivered'),
  );
}
