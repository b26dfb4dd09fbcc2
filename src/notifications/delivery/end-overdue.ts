import type { Queue } from '../../jobs/worker.ts';
import type { NotificationId } from '../../kernel/id.ts';
import { WriteRefused } from '../../store/db.ts';
import type { CodeChannel } from '../contact/contact-code.ts';
import { houseClient } from '../house-message.ts';
import {
  type Delivery,
  foldStatus,
  type Notification,
  outlineOf,
  reasonOfUndeliverable,
  timedChannelNames,
} from '../notification.ts';
import { findNotification, findOverdue, moveTo, nextDeadline } from '../notification-store.ts';
import { tell } from '../webhooks/feed-store.ts';
import { endQueued, findDeliveries } from './delivery-store.ts';
import type { SettleParts } from './settle-delivery.ts';

/** How long a notification is left alone whose deadline could not be stored. */
const faultPauseMs = 5_000;

/** The deadlines as a queue: each open notification is due at its `deliverBy`, and its job is to become undeliverable. */
export function createDeadlines(parts: SettleParts): Queue<NotificationId> {
  // A deadline is not claimed: this process leaves out what it has at hand, another one is refused by the revision.
  const atHand = new Set<NotificationId>();
  return {
    nextDueAt: () => nextDeadline(parts.read),
    claim: async (limit) => {
      const overdue = await findOverdue(parts.read, parts.clock.now(), limit + atHand.size);
      const fresh = overdue.filter((id) => !atHand.has(id)).slice(0, limit);
      for (const id of fresh) atHand.add(id);
      return fresh;
    },
    run: async (id) => {
      try {
        await endOverdue(parts, id);
        atHand.delete(id);
      } catch (fault) {
        parts.timer(faultPauseMs, () => atHand.delete(id));
        throw fault;
      }
    },
  };
}

async function endOverdue(parts: SettleParts, id: NotificationId): Promise<void> {
  const now = parts.clock.now();
  const notification = await findNotification(parts.read, id);
  if (notification === undefined) return;
  const deliveries = (await findDeliveries(parts.read, id)).map((delivery) => endedBy(delivery, now));
  const status = foldStatus(notification.status, deliveries.map(outlineOf), now >= notification.deliverBy);
  if (status !== 'undeliverable' || notification.status === 'undeliverable') return;
  const head = { id: parts.mint('event'), at: now, actor: { process: 'delivery' } } as const;
  const { citizenId } = notification;
  const statements = [endQueued(id, now), moveTo(notification, status, now)];
  const unused = unusedCode(notification, deliveries);
  const reason = reasonOfUndeliverable(deliveries);
  const event = { type: 'notification.undeliverable', ...head, citizenId, notification: id, reason } as const;
  try {
    await parts.commit(
      unused === undefined
        ? { events: [event], statements: [...statements, tell(notification, status, event)] }
        : { events: [{ type: 'contact-address.code-unused', ...head, citizenId, channel: unused }], statements },
    );
  } catch (fault) {
    // Something changed meanwhile, perhaps to a success: the next look decides anew.
    if (!(fault instanceof WriteRefused && fault.kind === 'rows')) throw fault;
  }
}

/** The channel by which a code went out that nobody has entered: its citizen would take it for a message that was lost. */
function unusedCode({ clientId }: Notification, deliveries: readonly Delivery[]): CodeChannel | undefined {
  const [delivery, other] = deliveries;
  if (clientId !== houseClient || other !== undefined || delivery?.state.status !== 'sent') return undefined;
  return timedChannelNames.find((name) => name === delivery.channel);
}

function endedBy(delivery: Delivery, now: number): Delivery {
  if (delivery.state.status !== 'queued') return delivery;
  return { ...delivery, state: { status: 'failed', endedAt: now, reason: 'deadline-passed' } };
}
