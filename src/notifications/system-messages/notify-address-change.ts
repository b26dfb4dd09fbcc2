import { planSteps } from '../cascade/cascade.ts';
import { type CodeChannel, contactAddressOf } from '../contact/contact-code.ts';
import type { CitizenContact } from '../notification/contact.ts';
import { phrasesFor } from '../rendering/phrases-by-language.ts';
import { type NoticeContext, systemMessage } from './system-message.ts';

const dayMs = 86_400_000;
const deliverWithinMs = 14 * dayMs;

/** Whose address of which channel changes, from what it is in `contact`. */
type AddressChange = { readonly citizenId: string; readonly contact: CitizenContact; readonly channel: CodeChannel };

/**
 * The message that an address was changed, for the unit that changes it. It goes to the address of before, so that a citizen hears
 * of what somebody else does in the own name, at whatever hour and whatever that one has declined; where there was none, by the
 * whole cascade. It lies in the inbox too.
 */
export async function notifyAddressChange(call: NoticeContext, { citizenId, contact, channel }: AddressChange) {
  const { now, ports } = call;
  const { language, addressChanged } = phrasesFor(contact.language);
  const { subject, text } = addressChanged[channel];
  const previousAddress = contactAddressOf(contact, channel);
  const deliverBy = now + deliverWithinMs;
  const wanted = previousAddress === undefined ? undefined : [channel];
  return await systemMessage(call, {
    citizenId,
    content: { subject, message: `${text}\n\n${addressChanged.doubt}`, address: previousAddress },
    language,
    steps: planSteps(ports.cascade, { wanted, begin: now, deliverBy, urgent: true }),
    deliverBy,
  });
}
