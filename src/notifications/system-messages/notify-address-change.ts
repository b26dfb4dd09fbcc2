import { localeFor } from '../../locales/locale.ts';
import { planSteps } from '../cascade/cascade.ts';
import { type CodeChannel, contactAddressOf } from '../contact/contact-code.ts';
import type { CitizenContact } from '../notification/contact.ts';
import { type NoticeContext, systemMessage } from './system-message.ts';

const deliverWithinMs = 14 * 86_400_000;

/** A change of an address; `contact` has the previous address. */
type AddressChange = { readonly citizenId: string; readonly contact: CitizenContact; readonly channel: CodeChannel };

/**
 * The notice that an address was changed, for the unit that changes it. It goes to the previous address, so that the citizen learns when
 * somebody else changes it, and ignores quiet hours and declined channels. Without a previous address it goes through the whole cascade.
 * A copy is in the inbox.
 */
export async function notifyAddressChange(call: NoticeContext, { citizenId, contact, channel }: AddressChange) {
  const { now, ports } = call;
  const { language, systemMessage: texts } = localeFor(contact.language);
  const { subject, text } = texts.addressChanged[channel];
  const previousAddress = contactAddressOf(contact, channel);
  const deliverBy = now + deliverWithinMs;
  const wanted = previousAddress === undefined ? undefined : [channel];
  return await systemMessage(call, {
    citizenId,
    content: { subject, message: `${text}\n\n${texts.addressChanged.warning}`, address: previousAddress },
    language,
    steps: planSteps(ports.cascade, { wanted, begin: now, deliverBy, urgent: true }),
    deliverBy,
  });
}
