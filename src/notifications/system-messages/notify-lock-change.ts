import { planSteps } from '../cascade/cascade.ts';
import { type CodeChannel, contactAddressOf } from '../contact/contact-code.ts';
import type { CitizenContact } from '../notification/contact.ts';
import { declinableChannelNames } from '../notification/notification.ts';
import { phrasesFor } from '../rendering/phrases-by-language.ts';
import { type NoticeContext, systemMessage } from './system-message.ts';

const dayMs = 86_400_000;
const deliverWithinMs = 14 * dayMs;

/** Whose own lock was set or lifted, and where that one is reached; with the reason where staff lifted it. */
type LockChange = {
  readonly citizenId: string;
  readonly contact: CitizenContact | undefined;
  readonly locked: boolean;
  readonly reason?: string | undefined;
};

/**
 * The message that the own lock was changed, for the unit that changes it. It goes by mail, or else by text message, at whatever
 * hour and whatever was declined: who has taken over a sign-in could lift the lock, and decline to be told. Where there is
 * neither, by the whole cascade. It lies in the inbox too.
 */
export async function notifyLockChange(call: NoticeContext, { citizenId, contact, locked, reason }: LockChange) {
  const { language, citizenLock } = phrasesFor(contact?.language);
  const { subject, text } = locked ? citizenLock.set : citizenLock.lifted;
  const { cascade } = call.ports;
  const deliverBy = call.now + deliverWithinMs;
  const canSend = (channel: CodeChannel) =>
    cascade.providers.has(channel) || cascade.steps.some((step) => step.channel === channel);
  const channel = declinableChannelNames.find((one) => canSend(one) && addressOf(contact, one) !== undefined);
  const address = channel && addressOf(contact, channel);
  const wanted = channel && [channel];
  const closingText = reason === undefined ? citizenLock.doubt : citizenLock.byStaff(reason);
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
