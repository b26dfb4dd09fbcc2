import type { DeliveryId } from '../../kernel/id.ts';
import { at } from '../callbacks/json-pointer.ts';
import type { LateWord } from '../callbacks/learn-late.ts';
import { attemptIn, endedIn, referenceAt, type SmsMapping } from './sms-mapping.ts';

/**
 * What a call-back of the gateway says of messages of ours, one receipt or a list of them. A message is named by our id or
 * by the gateway's own, which `find` looks up. `not-yet`: no message has that id of the gateway's, perhaps because the
 * receipt overtook the answer that names it.
 */
export async function receiptWords(
  mapping: SmsMapping,
  body: unknown,
  find: (reference: string) => Promise<readonly DeliveryId[]>,
): Promise<Array<LateWord | 'not-yet'>> {
  const { receipt } = mapping;
  if (receipt === undefined) return [];
  const found = receipt.events === undefined ? body : at(body, receipt.events);
  const receipts: readonly unknown[] = Array.isArray(found) ? found : [found];
  const words: Array<LateWord | 'not-yet'> = [];
  for (const one of receipts) {
    const ended = endedIn(receipt, one);
    if (ended === undefined) continue;
    const own = attemptIn(receipt, one);
    const reference =
      own === undefined && receipt.reference !== undefined ? referenceAt(one, receipt.reference) : undefined;
    if (own !== undefined) words.push({ ...own, ...ended });
    if (reference === undefined) continue;
    const [delivery, other] = await find(reference);
    if (delivery === undefined) words.push('not-yet');
    else if (other === undefined) words.push({ delivery, ...ended });
  }
  return words;
}
