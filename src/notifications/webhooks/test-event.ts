import type { IdGenerator } from '../../kernel/id.ts';
import type { ChannelName, NotificationStatus } from '../notification/notification.ts';
import type { ReasonCode } from '../notification/reason.ts';
import type {
  batchEventTypes,
  FeedEventType,
  feedOutcomes,
  PresentationFeedStatus,
  statusEventTypes,
} from './feed-store.ts';

type TestFacts = {
  readonly status: NotificationStatus | PresentationFeedStatus;
  readonly channel?: ChannelName;
  readonly outcome?: (typeof feedOutcomes)[number];
  readonly reason?: ReasonCode;
};

/** The facts of a test event of each type, as a real event of that type could have them. */
const testFacts: Readonly<Record<(typeof statusEventTypes)[number], TestFacts>> = {
  'notification.delivery-ended': { status: 'delivered', channel: 'email', outcome: 'delivered' },
  'notification.sent': { status: 'sent', reason: 'no-proof' },
  'notification.unknown': { status: 'unknown', reason: 'outcome-unknown' },
  'notification.undeliverable': { status: 'undeliverable', reason: 'no-contact' },
  'notification.opened': { status: 'read' },
  'notification.confirmed': { status: 'delivered', channel: 'email' },
  'notification.cancelled': { status: 'cancelled' },
  'identity.presentation-fetched': { status: 'fetched' },
  'identity.presentation-answered': { status: 'answered' },
  'identity.presentation-completed': { status: 'completed' },
  'identity.presentation-refused': { status: 'refused' },
  'identity.presentation-failed': { status: 'failed' },
  'identity.presentation-expired': { status: 'expired' },
  'identity.presentation-cancelled': { status: 'cancelled' },
};
const batchTestFacts = {
  'notification-batch.done': { rows: 2, accepted: 1, refused: 1 },
  'notification-batch.refused': { rows: 2, accepted: 0, refused: 1, code: 'rows-refused' },
  'notification-batch.cancelled': {},
} as const satisfies Record<(typeof batchEventTypes)[number], object>;

const isBatchEvent = (type: FeedEventType): type is keyof typeof batchTestFacts => type in batchTestFacts;

/** The data of a test event. The ids are new, and nothing has them. */
export function testEventDataOf(type: FeedEventType, createId: IdGenerator) {
  if (isBatchEvent(type)) return { batch: createId('batch'), ...batchTestFacts[type], test: true };
  if (type.startsWith('identity.presentation-'))
    return { presentation: createId('presentation'), ...testFacts[type], test: true };
  const delivery = type === 'notification.delivery-ended' ? { delivery: createId('delivery') } : {};
  return { notification: createId('notification'), reference: null, ...testFacts[type], ...delivery, test: true };
}
