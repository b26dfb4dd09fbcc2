import type { Statement } from '../../db/database.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { IdGenerator, NotificationId } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { CitizenEvent } from '../../ledger/ledger-event.ts';
import type { PlannedStep } from '../cascade/cascade.ts';
import { generateSalt, type MessageContent, sealMessageContent } from '../notification/message-content.ts';
import { foldStatus } from '../notification/notification.ts';
import { insertNotification, type NewDelivery } from '../notification/notification-store.ts';

/** The sender id of messages from the server itself. No client can have it. */
export const systemClient = 'citizen-services';

type SystemMessageContext = {
  readonly now: number;
  readonly mint: IdGenerator;
  readonly ports: { readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>; readonly random: RandomBytes };
};

/** A message of the server and its steps. Without a step for the inbox there is no copy in the inbox. */
type SystemMessageInput = {
  readonly citizenId: string;
  readonly content: MessageContent;
  readonly language: string;
  readonly steps: readonly PlannedStep[];
  readonly deliverBy: number;
};

/** The parts of a unit that send a message, and the id of the message. */
type SystemMessageWrite = {
  readonly id: NotificationId;
  readonly event: CitizenEvent;
  readonly statements: readonly Statement[];
};

/** Creates a message about a change that the same unit makes. It is urgent, so quiet hours do not delay it. */
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
