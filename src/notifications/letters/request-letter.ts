import type { Statement } from '../../db/database.ts';
import type { IdGenerator } from '../../kernel/id.ts';
import type { Actor, CitizenEvent, LookUpReason } from '../../ledger/ledger-event.ts';
import type { CitizenContact } from '../notification/contact.ts';
import type { Delivery, Notification } from '../notification/notification.ts';
import { insertDelivery, type NewDelivery, queuesOf } from '../notification/notification-store.ts';

type LetterRequest = {
  readonly notification: Notification;
  readonly deliveries: readonly Delivery[];
  readonly contact: CitizenContact | undefined;
  readonly actor: Actor;
  readonly reason: LookUpReason;
  readonly now: number;
};

/** The parts of the effect that sends a message by letter too. */
type RequestedLetter = {
  readonly event: Extract<CitizenEvent, { readonly type: 'notification.letter-requested' }>;
  readonly statements: readonly Statement[];
  readonly queues: ReadonlySet<string>;
};

/** A letter may need this time, even if `deliverBy` of the message has passed. */
const letterMs = 14 * 86_400_000;

/** Sends a message by letter in addition to its other channels, or says why that is not possible. */
export function requestLetter(
  createId: IdGenerator,
  wanted: LetterRequest,
): RequestedLetter | { readonly fault: string } {
  const { notification, contact, actor, reason, now } = wanted;
  const fault = letterFault(wanted);
  if (fault !== undefined) return { fault };
  const { id, citizenId, category, clientId, revision, deliverBy } = notification;
  const delivery: NewDelivery = {
    id: createId('delivery'),
    channel: 'letter',
    reminder: false,
    priority: category === 'urgent' ? 0 : 1,
    lane: `${clientId} ${category}`,
    initialState: { status: 'queued', runAt: now },
  };
  const event = {
    type: 'notification.letter-requested',
    id: createId('event'),
    at: now,
    actor,
    citizenId,
    notification: id,
    reason,
  } as const;
  const extend = {
    sql: 'update notification set deliver_by = $1, revision = revision + 1 where id = $2 and revision = $3 returning id',
    args: [Math.max(deliverBy, now + letterMs), id, revision],
    rows: 1,
  };
  return contact === undefined
    ? { fault: noAddress }
    : { event, statements: [extend, insertDelivery(id, delivery)], queues: queuesOf([delivery]) };
}

const noAddress = 'The register has no postal address of the citizen.';

function letterFault({ notification, deliveries, contact }: LetterRequest): string | undefined {
  if (notification.status === 'cancelled') return 'The sender cancelled the message.';
  if (notification.status === 'read') return 'The citizen has read the message.';
  if (contact?.deceased === true) return 'The register says that the citizen has died.';
  if (contact?.postalLines === undefined || contact.postalLines.length === 0) return noAddress;
  const letters = deliveries.filter(({ channel }) => channel === 'letter').map(({ state }) => state.status);
  if (letters.some((status) => status === 'queued' || status === 'sending'))
    return 'A letter with this message is already waiting to be printed.';
  if (letters.some((status) => status === 'sent' || status === 'delivered'))
    return 'A letter with this message was already sent. If it came back, record that first.';
  return undefined;
}
