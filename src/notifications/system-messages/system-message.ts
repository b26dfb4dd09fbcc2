import type { Statement } from '../../db/database.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { IdGenerator, NotificationId } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { CitizenEvent } from '../../ledger/ledger-event.ts';
import type { CascadePolicy, PlannedStep } from '../cascade/cascade.ts';
import { acceptNotification } from '../notification/accept-notification.ts';
import { generateSalt, type MessageContent } from '../notification/message-content.ts';
import { systemClient } from '../notification/sending-service.ts';

type SystemMessageContext = {
  readonly now: number;
  readonly mint: IdGenerator;
  readonly ports: { readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>; readonly random: RandomBytes };
};

/** What a notice of the server needs of the operation whose effect it joins. */
export type NoticeContext = Omit<SystemMessageContext, 'ports'> & {
  readonly ports: SystemMessageContext['ports'] & { readonly cascade: CascadePolicy };
};

/** A message of the server. Without an inbox step it is never in the inbox. Left out: urgent, sent now, in the inbox at once. */
type SystemMessageInput = {
  readonly citizenId: string;
  readonly content: MessageContent;
  readonly language: string;
  readonly steps: readonly PlannedStep[];
  readonly deliverBy: number;
  readonly category?: 'urgent' | 'information';
  readonly sendAt?: number | null;
  readonly isInInbox?: boolean;
};

/** A message as parts of the effect that it is about, and its id. */
type SystemMessageWrite = {
  readonly id: NotificationId;
  readonly event: CitizenEvent;
  readonly statements: readonly Statement[];
};

/** Makes a message of the server itself. An urgent one ignores quiet hours. */
export async function systemMessage(
  context: SystemMessageContext,
  { content, category = 'urgent', sendAt = null, isInInbox = true, ...message }: SystemMessageInput,
): Promise<SystemMessageWrite> {
  const salted = { ...content, salt: generateSalt(context.ports.random) };
  const { notification, event, statements } = await acceptNotification(context, {
    ...message,
    content: salted,
    category,
    sendAt,
    isInInbox,
    clientId: systemClient,
    reference: null,
    legalEffect: null,
  });
  return { id: notification.id, event, statements };
}
