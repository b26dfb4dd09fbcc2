import { retryDelayMs } from '../../jobs/back-off.ts';
import { type CallTimeout, timedOut } from '../../jobs/call-timeout.ts';
import { blockedReasonOf, type CascadePolicy } from '../cascade/cascade.ts';
import type { Channel, OutgoingMessage, PreparedMessage, ProviderOutcome } from '../notification/channel.ts';
import type { ContactOf } from '../notification/contact.ts';
import { type DeliveryJob, findDeliveries, markStarted, requeue } from '../notification/delivery-store.ts';
import { type ContentKeys, messageLanguageOf, openMessageContent } from '../notification/message-content.ts';
import type { Delivery, Notification } from '../notification/notification.ts';
import { findNotificationWithContent } from '../notification/notification-store.ts';
import { nextAllowedTime } from '../notification/quiet-hours.ts';
import type { SenderOf } from '../notification/sending-service.ts';
import type { ChannelSlots } from './channel-slots.ts';
import { type CompletionDeps, completeDelivery, isTransientFault, type JobEnding } from './complete-delivery.ts';
import { requeueLost } from './recover-deliveries.ts';

export type DeliverDeps = CompletionDeps & {
  readonly citizenKeys: ContentKeys;
  readonly contactOf: ContactOf;
  /** For its quiet hours and for what has to be verified. */
  readonly cascade: Pick<CascadePolicy, 'quiet' | 'verifiedOnly'>;
  readonly senderOf: SenderOf;
  /** For each call of an adapter, whatever its own limits are: one that never settles would hold its place for ever. */
  readonly limit: CallTimeout;
  /** Whether this process ends: then it calls no provider any more, and waits for no database that is away. */
  isStopping(): boolean;
  onFault(fault: unknown): void;
};

type PreparedDelivery =
  | MessageToSend
  | { readonly ending: JobEnding; readonly notification: Notification }
  | { readonly notUntil: number };

/** A job with the lane that it waited in. */
export type LaneJob = DeliveryJob & { readonly lane: string };

/** What is to be sent. */
type MessageToSend = {
  readonly message: OutgoingMessage;
  readonly notification: Notification;
  /** The first instant from that one on that is quiet for nobody. */
  notBefore(at: number): number;
};

/**
 * What a worker does with a job of this channel. The order is the promise: the mark of the attempt is durable before the
 * provider is called, and the outcome is stored with its event after. A crash before the mark leaves a job that goes
 * back into the queue; one after it leaves an attempt without outcome, which becomes `unknown` and is never repeated.
 */
export function createDeliverJob(
  deps: DeliverDeps,
  channel: Channel,
  slots: ChannelSlots,
): (job: LaneJob) => Promise<void> {
  const { clock, claim, limit, onFault } = deps;
  const timeoutError = (step: string) => new Error(`${channel.name}: ${step} did not settle within ${limit.ms} ms`);

  /** The wait for a place may have been long, so what the time decides is looked at again. */
  async function call(
    job: DeliveryJob,
    { message, notification, notBefore }: MessageToSend,
  ): Promise<JobEnding | undefined> {
    const now = clock.now();
    if (deps.isStopping()) return await release(job);
    if (now >= notification.deliverBy) return deadlinePassed;
    if (notBefore(now) > now) {
      await claim(requeue(job, notBefore(now)));
      return undefined;
    }
    const ready = await prepareOnce(message);
    const startedAt = clock.now();
    if ('outcome' in ready) return { by: 'provider', startedAt, outcome: ready };
    let marked = false;
    try {
      if (deps.isStopping()) return await release(job);
      if (startedAt >= notification.deliverBy) return deadlinePassed;
      marked = (await claim(markStarted(job, startedAt))).length === 1;
    } finally {
      if (!marked) ready.drop();
    }
    return marked ? { by: 'provider', startedAt, outcome: await callOnce(ready) } : undefined;
  }

  /** Whoever ends begins no call, which might be cut off: another finds the job as it was. */
  async function release(job: DeliveryJob): Promise<undefined> {
    await claim(requeueLost(job));
  }

  async function prepareOnce(message: OutgoingMessage): Promise<PreparedMessage | ProviderOutcome> {
    const preparing = channel.prepare(message);
    const ready = await limit.waitFor(preparing);
    if (ready !== timedOut) return ready;
    onFault(timeoutError('prepare'));
    preparing.then((made) => 'drop' in made && made.drop(), onFault);
    return { outcome: 'temporary', reason: 'provider-unreachable' };
  }

  async function callOnce(ready: PreparedMessage): Promise<ProviderOutcome> {
    try {
      const calling = ready.call();
      const outcome = await limit.waitFor(calling);
      if (outcome !== timedOut) return outcome;
      calling.catch(onFault);
      throw timeoutError('call');
    } catch (fault) {
      // A port that throws broke its promise; whether the provider took the message is anyone's guess.
      onFault(fault);
      return { outcome: 'unknown' };
    }
  }

  /** What a provider answered is known here alone: while the database is away it is kept, and stored when it is back. */
  async function completeAttempt(
    job: DeliveryJob,
    ending: JobEnding,
    notification: Notification | undefined,
  ): Promise<void> {
    for (;;) {
      try {
        await completeDelivery(deps, job, ending, notification);
        return;
      } catch (fault) {
        if (ending.by === 'us' || !isTransientFault(fault) || deps.isStopping()) throw fault;
      }
    }
  }

  return async (job) => {
    let ending: JobEnding | undefined;
    let notification: Notification | undefined;
    try {
      const prepared = await prepareJob(deps, channel, job);
      if ('notUntil' in prepared) {
        await claim(requeue(job, prepared.notUntil));
        return;
      }
      notification = prepared.notification;
      ending = 'ending' in prepared ? prepared.ending : await slots(job.lane, () => call(job, prepared));
    } catch (fault) {
      // Every fault up to here came before the provider was called.
      onFault(fault);
      if (job.attempts < deps.policy.attempts) {
        await claim(requeue(job, clock.now() + retryDelayMs(deps.policy, job.attempts, deps.random)));
        return;
      }
      ending = { by: 'us', status: 'failed', reason: 'internal-fault' };
    }
    if (ending !== undefined) await completeAttempt(job, ending, notification);
  };
}

const deadlinePassed: JobEnding = { by: 'us', status: 'failed', reason: 'deadline-passed' };
const alreadyRead: JobEnding = { by: 'us', status: 'skipped', reason: 'already-read' };

async function prepareJob(deps: DeliverDeps, channel: Channel, job: DeliveryJob): Promise<PreparedDelivery> {
  const found = await findNotificationWithContent(deps.read, job.notificationId);
  if (found === undefined) throw new TypeError('a delivery without its notification');
  const { notification } = found;
  const now = deps.clock.now();
  const endedWith = (
    status: 'failed' | 'skipped',
    reason: Extract<JobEnding, { by: 'us' }>['reason'],
  ): PreparedDelivery => ({
    notification,
    ending: { by: 'us', status, reason },
  });
  if (notification.status === 'read') return { notification, ending: alreadyRead };
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
  if (contact === undefined) return endedWith('failed', 'citizen-unknown');
  if (contact.deceased === true) return endedWith('failed', 'citizen-deceased');
  if (content === undefined) return endedWith('failed', 'content-erased');
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
      sender: sender.name,
      returnAddress: sender.returnAddress,
      subject: content.subject,
      content,
      reminder: job.reminder,
      originalAttempt: original && { delivery: original.id, attempt: original.attempts },
      category: notification.category,
      language: messageLanguageOf(content, notification.language, contact.language),
      at: now,
    },
  };
}

/** The first message by this channel, where it reached the citizen, as far as its provider knows. */
async function findOriginalDelivery(deps: DeliverDeps, job: DeliveryJob): Promise<Delivery | undefined> {
  const deliveries = await findDeliveries(deps.read, job.notificationId);
  return deliveries.find(
    ({ channel, reminder, state }) =>
      channel === job.channel && !reminder && (state.status === 'sent' || state.status === 'delivered'),
  );
}
