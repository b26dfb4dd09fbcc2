import { type NotificationDetails, timelineOf } from '../notification/notification-shape.ts';
import type { LegalFacts } from './legal-effect.ts';

/**
 * The facts for the rules. Returned letters do not count. The message is available from its acceptance, or from the attempt that placed it
 * at `sendAt`.
 */
export function legalFactsOf(found: NotificationDetails): LegalFacts {
  const { notification, deliveries, attempts } = found;
  const inbox = deliveries.find(({ channel }) => channel === 'inbox');
  const placed = attempts.find(({ delivery, outcome }) => delivery === inbox?.id && outcome === 'sent');
  const isInInbox = inbox?.state.status === 'sent' || inbox?.state.status === 'delivered';
  const timeline = timelineOf(found);
  const wasReturned = (subjectId: string) =>
    timeline.some((entry) => entry.subjectId === subjectId && entry.reason === 'letter-returned');
  const confirmation = timeline.find(({ event }) => event === 'confirmed');
  const letter = timeline.find(
    ({ channel, event, subjectId }) => channel === 'letter' && event === 'sent' && !wasReturned(subjectId),
  );
  return {
    availableAt: placed?.endedAt ?? (isInInbox ? notification.createdAt : undefined),
    openedAt: notification.status === 'read' ? notification.statusAt : undefined,
    confirmedAt: confirmation?.at,
    letterAt: letter?.at,
  };
}
