import type { Random } from '../kernel/clock.ts';
import type { Mint, NotificationId } from '../kernel/id.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import type { CitizenEvent } from '../ledger/event.ts';
import type { Statement } from '../store/db.ts';
import type { PlannedStep } from './delivery/cascade.ts';
import { foldStatus } from './notification.ts';
import { insertion, type NewDelivery } from './notification-store.ts';
import { type Content, drawSalt, sealContent } from './sealed-content.ts';

/** By this id, which no client has, the server itself writes to citizens, about their record in the register. */
export const houseClient = 'citizen-services';

type HouseMessageParts = {
  readonly now: number;
  readonly mint: Mint;
  readonly ports: { readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>; readonly random: Random };
};

/** What the server tells a citizen, and by which way. Without a step for the inbox it never lies there. */
type HouseMessage = {
  readonly citizenId: string;
  readonly content: Content;
  readonly language: string;
  readonly steps: readonly PlannedStep[];
  readonly deliverBy: number;
};

/** What has a message sent, as parts of the unit that it is about; and its id. */
type Sending = {
  readonly id: NotificationId;
  readonly event: CitizenEvent;
  readonly statements: readonly Statement[];
};

/** A message of the server itself, about what was done in the same unit. It is urgent: it waits for no hours. */
export async function houseMessage({ now, mint, ports }: HouseMessageParts, message: HouseMessage): Promise<Sending> {
  const { citizenId, content, language, steps, deliverBy } = message;
  const [id, event] = [mint('notification'), mint('event')];
  const category = 'urgent' as const;
  const deliveries = steps.map(
    ({ channel, runAt, reminder }): NewDelivery => ({
      ...{ id: mint('delivery'), channel, reminder, priority: 0, lane: `${houseClient} ${category}` },
      start: channel === 'inbox' ? { status: 'sent', at: now } : { status: 'queued', runAt },
    }),
  );
  const outlines = deliveries.map(({ channel, start }) => ({ channel, attempts: 0, status: start.status }));
  const salted = { ...content, salt: drawSalt(ports.random) };
  const { contentDigest, ...sealed } = sealContent(await ports.citizenKeys.keyOf(citizenId), id, salted, ports.random);
  const notification = {
    ...sealed,
    ...{ id, clientId: houseClient, citizenId, reference: null, category, legalEffect: null, language },
    status: foldStatus('accepted', outlines, false),
    ...{ createdAt: now, sendAt: null, deliverBy, acceptedEvent: event },
  } as const;
  return {
    id,
    event: {
      ...{ type: 'notification.accepted', id: event, at: now, actor: { client: houseClient } },
      ...{ citizenId, notification: id, contentDigest },
    },
    statements: insertion(notification, deliveries),
  };
}
