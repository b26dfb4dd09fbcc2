import type { Statement } from '../../db/database.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { IdGenerator, NotificationId } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { CitizenEvent } from '../../ledger/ledger-event.ts';
import type { PlannedStep } from '../cascade/cascade.ts';
import { generateSalt, type MessageContent, sealMessageContent } from '../notification/message-content.ts';
import { foldStatus } from '../notification/notification.ts';
import { insertNotification, type NewDelivery } from '../notification/notification-store.ts';

/** By this id, which no client has, the server itself writes to citizens, about their record in the register. */
export const systemClient = 'citizen-services';

type SystemMessageContext = {
  readonly now: number;
  readonly mint: IdGenerator;
  readonly ports: { readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>; readonly random: RandomBytes };
};

/** What the server tells a citizen, and by which way. Without a step for the inbox it never lies there. */
type SystemMessageInput = {
  readonly citizenId: string;
  readonly content: MessageContent;
  readonly language: string;
  readonly steps: readonly PlannedStep[];
  readonly deliverBy: number;
};

/** What has a message sent, as parts of the unit that it is about; and its id. */
type SystemMessageWrite = {
  readonly id: NotificationId;
  readonly event: CitizenEvent;
  readonly statements: readonly Statement[];
};

/** A message of the server itself, about what was done in the same unit. It is urgent: it waits for no hours. */
export async function systemMessage(
  { now, mint, ports }: SystemMessageContext,
  message: SystemMessageInput,
): Promise<SystemMessageWrite> {
  const { citizenId, content, language, steps, deliverBy } = message;
  const [id, event] = [mint('notification'), mint('event')];
  const category = 'urgent' as const;
  const deliveries = steps.map(
    ({ channel, runAt, reminder }): NewDelivery => ({
      ...{ id: mint('delivery'), channel, reminder, priority: 0, lane: `${systemClient} ${category}` },
      initialState: channel === 'inbox' ? { status: 'sent', at: now } : { status: 'queued', runAt },
    }),
  );
  const outlines = deliveries.map(({ channel, initialState }) => ({
    channel,
    attempts: 0,
    status: initialState.status,
  }));
  const salted = { ...content, salt: generateSalt(ports.random) };
  const { contentDigest, ...sealed } = sealMessageContent(
    await ports.citizenKeys.keyOf(citizenId),
    id,
    salted,
    ports.random,
  );
  const notification = {
    ...sealed,
    ...{ id, clientId: systemClient, citizenId, reference: null, category, legalEffect: null, language },
    status: foldStatus('accepted', outlines, false),
    ...{ createdAt: now, sendAt: null, deliverBy, acceptedEvent: event },
  } as const;
  return {
    id,
    event: {
      ...{ type: 'notification.accepted', id: event, at: now, actor: { client: systemClient } },
      ...{ citizenId, notification: id, contentDigest },
    },
    statements: insertNotification(notification, deliveries),
  };
}
