import type { Statement } from '../../db/database.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { IdGenerator } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { CitizenEvent } from '../../ledger/ledger-event.ts';
import { type MessageContent, sealMessageContent } from './message-content.ts';
import { type ChannelName, channelNames, foldStatus, type Notification } from './notification.ts';
import { type BatchRow, insertNotification, type NewDelivery, queuesOf } from './notification-store.ts';

type AcceptContext = {
  readonly now: number;
  readonly createId: IdGenerator;
  readonly ports: { readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>; readonly random: RandomBytes };
};

/** A message that is checked and ready to be stored. */
type AcceptableMessage = Pick<
  Notification,
  | 'clientId'
  | 'citizenId'
  | 'reference'
  | 'category'
  | 'legalEffect'
  | 'noticeOnly'
  | 'language'
  | 'sendAt'
  | 'deliverBy'
> & {
  readonly content: MessageContent;
  readonly steps: ReadonlyArray<{ readonly channel: ChannelName; readonly runAt: number; readonly reminder: boolean }>;
  /** Whether the citizen can read the message in the inbox as soon as it is stored. */
  readonly isInInbox: boolean;
  /** The row of a batch that it comes from. Its deliveries then wait for those of single messages. */
  readonly batch?: BatchRow;
};

/** A new notification as parts of an effect. */
export type AcceptedNotification = {
  readonly notification: Pick<Notification, 'id' | 'acceptedEvent' | 'citizenId' | 'reference'>;
  readonly event: CitizenEvent;
  readonly statements: readonly Statement[];
  readonly queues: ReadonlySet<string>;
};

/** Seals a message under its citizen's key, and makes the notification, its deliveries and the event `notification.accepted`. */
export async function acceptNotification(
  { now, createId, ports }: AcceptContext,
  message: AcceptableMessage,
): Promise<AcceptedNotification> {
  const { content, steps, isInInbox, ...stated } = message;
  const { clientId, citizenId, category, sendAt } = stated;
  const key = await ports.citizenKeys.keyOf(citizenId);
  const id = createId('notification');
  const acceptedEvent = createId('event');
  const priority = stated.batch !== undefined ? 2 : category === 'urgent' ? 0 : 1;
  // The ids of deliveries sort by time. In the order of the plan they would reveal which channels the citizen prefers.
  const orderOf = ({ channel }: { readonly channel: ChannelName }) => channelNames.indexOf(channel);
  const inChannelOrder = steps.toSorted((one, other) => orderOf(one) - orderOf(other));
  const deliveries = inChannelOrder.map(
    ({ channel, runAt, reminder }): NewDelivery => ({
      id: createId('delivery'),
      channel,
      reminder,
      priority,
      lane: `${clientId} ${category}`,
      initialState: channel === 'inbox' && isInInbox ? { status: 'sent', at: now } : { status: 'queued', runAt },
    }),
  );
  const outlines = deliveries.map(({ channel, reminder, initialState: state }) => {
    return { channel, reminder, attempts: 0, state };
  });
  const { contentDigest, ...sealed } = sealMessageContent(key, id, content, ports.random);
  const notification = {
    ...stated,
    ...sealed,
    id,
    status: foldStatus(sendAt === null ? 'accepted' : 'scheduled', outlines, false),
    createdAt: now,
    acceptedEvent,
  };
  const head = { id: acceptedEvent, at: now, actor: { client: clientId } };
  return {
    notification,
    event: { type: 'notification.accepted', ...head, citizenId, notification: id, contentDigest },
    statements: insertNotification(notification, deliveries),
    queues: queuesOf(deliveries),
  };
}
