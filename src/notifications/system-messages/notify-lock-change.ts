import { localeFor } from '../../locales/locale.ts';
import { formatMessage } from '../../locales/message-format.ts';
import { planSteps } from '../cascade/cascade.ts';
import { type CodeChannel, contactAddressOf } from '../contact/contact-code.ts';
import type { CitizenContact } from '../notification/contact.ts';
import { declinableChannelNames } from '../notification/notification.ts';
import { type NoticeContext, systemMessage } from './system-message.ts';

const deliverWithinMs = 14 * 86_400_000;

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
  const channel = declinableChannelNames.find((one) => canSend(one) && contactAddressOf(contact, one) !== undefined);
  const address = channel && contactAddressOf(contact, channel);
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
