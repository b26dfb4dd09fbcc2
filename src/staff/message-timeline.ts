import { formatInstant } from '../kernel/clock.ts';
import { foldStatus } from '../notifications/notification/notification.ts';
import type { NotificationDetails } from '../notifications/notification/notification-shape.ts';
import { notificationView } from '../notifications/notification/notification-shape.ts';

type NextStep = {
  readonly step: 'send' | 'try-channel' | 'wait-for-proof';
  readonly at: string;
  readonly channel?: string;
};

/** Staff may learn whether a citizen exists and can be reached. */
const staffView = { scopes: new Set(['citizens:known']) };

/** A message as staff see it: what happened, why, and what happens next. It has no content. */
export function messageTimeline(found: NotificationDetails, organisationOf: (clientId: string) => string) {
  const { notification, deliveries } = found;
  const status = foldStatus(notification.status, deliveries, false);
  const {
    citizenId: _citizenId,
    receipt: _receipt,
    ...view
  } = notificationView({ ...found, notification: { ...notification, status } }, staffView);
  const { clientId } = notification;
  return { ...view, service: { id: clientId, name: organisationOf(clientId) }, next: nextStepOf(found) ?? null };
}

/** The next step of the server with the message, and its time; undefined if no step is planned. */
function nextStepOf({ notification, deliveries }: NotificationDetails): NextStep | undefined {
  const { status, sendAt, deliverBy } = notification;
  if (status === 'scheduled' && sendAt !== null) return { step: 'send', at: formatInstant(sendAt) };
  const queued = deliveries.flatMap(({ channel, state }) =>
    state.status === 'queued' ? [{ channel, runAt: state.runAt }] : [],
  );
  const [first] = queued.sort((left, right) => left.runAt - right.runAt);
  const isEnded = status === 'read' || status === 'cancelled';
  if (first !== undefined && !isEnded)
    return { step: 'try-channel', channel: first.channel, at: formatInstant(first.runAt) };
  return status === 'accepted' || status === 'sending'
    ? { step: 'wait-for-proof', at: formatInstant(deliverBy) }
    : undefined;
}
