import { retryDelayMs } from '../../jobs/back-off.ts';
import { type Limit, late } from '../../jobs/limit.ts';
import type { Channel, Message, Outcome, Ready } from '../channels/channel.ts';
import type { Delivery, Notification } from '../notification.ts';
import { findWithContent } from '../notification-store.ts';
import type { ContactOf, SenderOf } from '../ports.ts';
import { languageOfMessage, type OpeningKeys, openContentOf } from '../sealed-content.ts';
import { barOf, type CascadePolicy } from './cascade.ts';
import { findDeliveries, type Job, markStarted, putBack } from './delivery-store.ts';
import type { Places } from './places.ts';
import { afterQuiet } from './quiet-hours.ts';
import { putBackLost } from './recover-deliveries.ts';
import { type Ending, isPassing, type SettleParts, settle } from './settle-delivery.ts';

export type DeliverParts = SettleParts & {
  readonly citizenKeys: OpeningKeys;
  readonly contactOf: ContactOf;
  /** For its quiet hours and for what has to be verified. */
  readonly cascade: Pick<CascadePolicy, 'quiet' | 'verifiedOnly'>;
  readonly senderOf: SenderOf;
  /** For each call of an adapter, whatever its own limits are: one that never settles would hold its place for ever. */
  readonly limit: Limit;
  /** Whether this process ends: then it calls no provider any more, and waits for no database that is away. */
  isStopping(): boolean;
  onFault(fault: unknown): void;
};

type Prepared =
  | Tried
  | { readonly ending: Ending; readonly notification: Notification }
  | { readonly notUntil: number };

/** A job with the lane that it waited in. */
export type InLane = Job & { readonly lane: string };

/** What is to be sent. */
type Tried = {
  readonly message: Message;
  readonly notification: Notification;
  /** The first instant from that one on that is quiet for nobody. */
  notBefore(at: number): number;
};

/**
 * What a worker does with a job of this channel. The order is the promise: the mark of the attempt is durable before the
 * provider is called, and the outcome is stored with its event after. A crash before the mark leaves a job that goes
 * back into the queue; one after it leaves an attempt without outcome, which becomes `unknown` and is never repeated.
 */
export function createDeliver(parts: DeliverParts, channel: Channel, places: Places): (job: InLane) => Promise<void> {
  const { clock, claim, limit, onFault } = parts;
  const tooLate = (step: string) => new Error(`${channel.name}: ${step} did not settle within ${limit.ms} ms`);

  /** The wait for a place may have been long, so what the time decides is looked at again. */
  async function call(job: Job, { message, notification, notBefore }: Tried): Promise<Ending | undefined> {
    const now = clock.now();
    if (parts.isStopping()) return await leave(job);
    if (now >= notification.deliverBy) return passed;
    if (notBefore(now) > now) {
      await claim(putBack(job, notBefore(now)));
      return undefined;
    }
    const ready = await prepareOnce(message);
    const startedAt = clock.now();
    if ('outcome' in ready) return { by: 'provider', startedAt, outcome: ready };
    let marked = false;
    try {
      if (parts.isStopping()) return await leave(job);
      if (startedAt >= notification.deliverBy) return passed;
      marked = (await claim(markStarted(job, startedAt))).length === 1;
    } finally {
      if (!marked) ready.drop();
    }
    return marked ? { by: 'provider', startedAt, outcome: await callOnce(ready) } : undefined;
  }

  /** Whoever ends begins no call, which might be cut off: another finds the job as it was. */
  async function leave(job: Job): Promise<undefined> {
    await claim(putBackLost(job));
  }

  async function prepareOnce(message: Message): Promise<Ready | Outcome> {
    const preparing = channel.prepare(message);
    const ready = await limit.hold(preparing);
    if (ready !== late) return ready;
    onFault(tooLate('prepare'));
    preparing.then((made) => 'drop' in made && made.drop(), onFault);
    return { outcome: 'temporary', reason: 'provider-unreachable' };
  }

  async function callOnce(ready: Ready): Promise<Outcome> {
    try {
      const calling = ready.call();
      const outcome = await limit.hold(calling);
      if (outcome !== late) return outcome;
      calling.catch(onFault);
      throw tooLate('call');
    } catch (fault) {
      // A port that throws broke its promise; whether the provider took the message is anyone's guess.
      onFault(fault);
      return { outcome: 'unknown' };
    }
  }

  /** What a provider answered is known here alone: while the database is away it is kept, and stored when it is back. */
  async function store(job: Job, ending: Ending, notification: Notification | undefined): Promise<void> {
    for (;;) {
      try {
        await settle(parts, job, ending, notification);
        return;
      } catch (fault) {
        if (ending.by === 'us' || !isPassing(fault) || parts.isStopping()) throw fault;
      }
    }
  }

  return async (job) => {
    let ending: Ending | undefined;
    let notification: Notification | undefined;
    try {
      const prepared = await prepare(parts, channel, job);
      if ('notUntil' in prepared) {
        await claim(putBack(job, prepared.notUntil));
        return;
      }
      notification = prepared.notification;
      ending = 'ending' in prepared ? prepared.ending : await places(job.lane, () => call(job, prepared));
    } catch (fault) {
      // Every fault up to here came before the provider was called.
      onFault(fault);
      if (job.attempts < parts.policy.attempts) {
        await claim(putBack(job, clock.now() + retryDelayMs(parts.policy, job.attempts, parts.random)));
        return;
      }
      ending = { by: 'us', status: 'failed', reason: 'internal-fault' };
    }
    if (ending !== undefined) await store(job, ending, notification);
  };
}

const passed: Ending = { by: 'us', status: 'failed', reason: 'deadline-passed' };
const read: Ending = { by: 'us', status: 'skipped', reason: 'already-read' };

async function prepare(parts: DeliverParts, channel: Channel, job: Job): Promise<Prepared> {
  const found = await findWithContent(parts.read, job.notificationId);
  if (found === undefined) throw new TypeError('a delivery without its notification');
  const { notification } = found;
  const now = parts.clock.now();
  const ended = (status: 'failed' | 'skipped', reason: Extract<Ending, { by: 'us' }>['reason']): Prepared => ({
    notification,
    ending: { by: 'us', status, reason },
  });
  if (notification.status === 'read') return { notification, ending: read };
  if (now >= notification.deliverBy) return { notification, ending: passed };
  const first = job.reminder ? await findReached(parts, job) : undefined;
  if (job.reminder && first === undefined) return ended('skipped', 'nothing-to-remind');
  const [contact, content, sender] = await Promise.all([
    parts.contactOf(notification.citizenId),
    openContentOf(parts.citizenKeys, notification, found.content),
    parts.senderOf(notification.clientId),
  ]);
  const quiet = [parts.cascade.quiet, contact?.hours];
  const urgent = notification.category === 'urgent';
  const notBefore = (at: number) => (urgent ? at : afterQuiet(quiet, channel.name, at));
  if (notBefore(now) > now) return { notUntil: notBefore(now) };
  if (contact === undefined) return ended('failed', 'citizen-unknown');
  if (contact.deceased === true) return ended('failed', 'citizen-deceased');
  if (content === undefined) return ended('failed', 'content-erased');
  const bar = content.address === undefined ? barOf(parts.cascade, contact, channel.name) : undefined;
  if (bar !== undefined) return ended('skipped', bar);
  const address = content.address ?? channel.addressOf(contact);
  if (address === undefined) return ended('skipped', 'no-contact');
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
      remindsOf: first && { delivery: first.id, attempt: first.attempts },
      category: notification.category,
      language: languageOfMessage(content, notification.language, contact.language),
      at: now,
    },
  };
}

/** The first message by this channel, where it reached the citizen, as far as its provider knows. */
async function findReached(parts: DeliverParts, job: Job): Promise<Delivery | undefined> {
  const deliveries = await findDeliveries(parts.read, job.notificationId);
  return deliveries.find(
    ({ channel, reminder, state }) =>
      channel === job.channel && !reminder && (state.status === 'sent' || state.status === 'delivered'),
  );
}
