import { localeFor } from '../../locales/locale.ts';
import { planSteps } from '../cascade/cascade.ts';
import type { CitizenContact } from '../notification/contact.ts';
import { type NoticeContext, systemMessage } from './system-message.ts';

const deliverWithinMs = 14 * 86_400_000;

/** The citizen whose verification limit was reached, and the earliest time of the message, in epoch milliseconds. */
type ReachedLimit = {
  readonly citizenId: string;
  readonly contact: CitizenContact | undefined;
  readonly notBefore?: number | undefined;
};

/**
 * The message that somebody failed too often to verify data about the citizen, for the unit that counts the last failure. It
 * is sent as information: it respects the citizen's preferences and quiet hours.
 */
export async function notifyLimitReached(call: NoticeContext, { citizenId, contact, notBefore }: ReachedLimit) {
  const { language, systemMessage: texts } = localeFor(contact?.language);
  const { subject, paragraphs } = texts.failedVerifications;
  const begin = notBefore ?? call.now;
  const deliverBy = begin + deliverWithinMs;
  return await systemMessage(call, {
    citizenId,
    content: { subject, message: paragraphs.join('\n\n') },
    language,
    steps: planSteps(call.ports.cascade, { wanted: undefined, begin, deliverBy, urgent: false, preferences: contact }),
    deliverBy,
    category: 'information',
    sendAt: notBefore ?? null,
    isInInbox: contact !== undefined && contact.deceased !== true && notBefore === undefined,
  });
}
