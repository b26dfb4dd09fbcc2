import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { planSteps } from '../cascade/cascade.ts';
import { type CodeChannel, contactAddressOf } from '../contact/contact-code.ts';
import type { CitizenContact } from '../notification/contact.ts';
import { declinableChannelNames } from '../notification/notification.ts';
import { type NoticeContext, systemMessage } from './system-message.ts';

const dayMs = 86_400_000;
const deliverWithinMs = 14 * dayMs;

/** A change of a citizen lock; `reason` is present when staff lifted it. */
type LockChange = {
  readonly citizenId: string;
  readonly contact: CitizenContact | undefined;
  readonly locked: boolean;
  readonly reason?: string | undefined;
};

/**
 * The notice that the citizen lock was changed, for the unit that changes it. It goes by mail, else by text message, and ignores quiet
 * hours and declined channels: an attacker with the citizen's sign-in could lift the lock and decline messages. Without both it goes
 * through the whole cascade. A copy is in the inbox.
 */
export async function notifyLockChange(call: NoticeContext, { citizenId, contact, locked, reason }: LockChange) {
  const { language, systemMessage: texts } = localeFor(contact?.language);
  const { citizenLock } = texts;
  const { subject, text } = locked ? citizenLock.set : citizenLock.lifted;
  const { cascade } = call.ports;
  const deliverBy = call.now + deliverWithinMs;
  const canSend = (channel: CodeChannel) =>
    cascade.providers.has(channel) || cascade.steps.some((step) => step.channel === channel);
  const channel = declinableChannelNames.find((one) => canSend(one) && addressOf(contact, one) !== undefined);
  const address = channel && addressOf(contact, channel);
  const wanted = channel && [channel];
  const closingText =
    reason === undefined ? citizenLock.warning : formatMessage(language, citizenLock.liftedByStaff, { reason });
  return await systemMessage(call, {
    citizenId,
    content: { subject, message: `${text}\n\n${closingText}`, address },
    language,
    steps: planSteps(cascade, { wanted, begin: call.now, deliverBy, urgent: true }),
    deliverBy,
  });
}

function addressOf(contact: CitizenContact | undefined, channel: CodeChannel): string | undefined {
  return contact && contactAddressOf(contact, channel);
}
