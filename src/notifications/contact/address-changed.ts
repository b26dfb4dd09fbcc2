import type { Mint } from '../../kernel/id.ts';
import { planOf } from '../delivery/cascade.ts';
import { houseMessage } from '../house-message.ts';
import { phrasesOf } from '../phrases-by-language.ts';
import type { Contact, NotificationPorts } from '../ports.ts';
import { type CodeChannel, contactAddressOf } from './contact-code.ts';

const dayMs = 86_400_000;
const toldForMs = 14 * dayMs;

type Changing = { readonly now: number; readonly mint: Mint; readonly ports: NotificationPorts };

/** Whose address of which channel changes, from what it is in `contact`. */
type Change = { readonly citizenId: string; readonly contact: Contact; readonly channel: CodeChannel };

/**
 * The message that an address was changed, for the unit that changes it. It goes to the address of before, so that a citizen hears
 * of what somebody else does in the own name, at whatever hour and whatever that one has declined; where there was none, by the
 * whole cascade. It lies in the inbox too.
 */
export async function tellOfChange(call: Changing, { citizenId, contact, channel }: Change) {
  const { now, ports } = call;
  const { language, addressChanged } = phrasesOf(contact.language);
  const { subject, text } = addressChanged[channel];
  const before = contactAddressOf(contact, channel);
  const deliverBy = now + toldForMs;
  const wanted = before === undefined ? undefined : [channel];
  return await houseMessage(call, {
    citizenId,
    content: { subject, message: `${text}\n\n${addressChanged.doubt}`, address: before },
    language,
    steps: planOf(ports.cascade, { wanted, begin: now, deliverBy, urgent: true }),
    deliverBy,
  });
}
