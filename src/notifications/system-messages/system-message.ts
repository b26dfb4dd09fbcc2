import type { RandomBytes } from '../../kernel/clock.ts';
import type { IdGenerator } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { CascadePolicy, PlannedStep } from '../cascade/cascade.ts';
import { acceptNotification } from '../notification/accept-notification.ts';
import { generateSalt, type MessageContent } from '../notification/message-content.ts';
import { systemClient } from '../notification/sending-service.ts';

type SystemMessageContext = {
  readonly now: number;
  readonly createId: IdGenerator;
  readonly ports: { readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>; readonly random: RandomBytes };
};

/** The parts of an operation's call that a notice needs; it joins the operation's effect. */
export type NoticeContext = Omit<SystemMessageContext, 'ports'> & {
  readonly ports: SystemMessageContext['ports'] & { readonly cascade: CascadePolicy };
};

/** A message of the server and its steps. Without a step for the inbox there is no copy in the inbox. */
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

/**
 * Creates a message about a change that the same unit makes: its id, and the event and statements for the unit. By default it is urgent,
 * so quiet hours do not delay it.
 */
export async function systemMessage(
  context: SystemMessageContext,
  { content, category = 'urgent', sendAt = null, isInInbox = true, ...message }: SystemMessageInput,
) {
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
    noticeOnly: false,
  });
  return { id: notification.id, event, statements };
}
