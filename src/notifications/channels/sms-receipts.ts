import type { DeliveryId } from '../../kernel/id.ts';
import { valueAtPointer } from '../../kernel/json-pointer.ts';
import type { LateReport } from '../delivery/apply-late-report.ts';
import { attemptInReceipt, outcomeInReceipt, referenceAtPointer, type SmsMapping } from './sms-mapping.ts';

/**
 * What a call-back of the gateway says of messages of ours, one receipt or a list of them. A message is named by our id or
 * by the gateway's own, which `find` looks up. `not-yet`: no message has that id of the gateway's, perhaps because the
 * receipt overtook the answer that names it.
 */
export async function lateReportsInReceipt(
  mapping: SmsMapping,
  body: unknown,
  find: (reference: string) => Promise<readonly DeliveryId[]>,
): Promise<Array<LateReport | 'not-yet'>> {
  const { receipt } = mapping;
  if (receipt === undefined) return [];
  const found = receipt.events === undefined ? body : valueAtPointer(body, receipt.events);
  const receipts: readonly unknown[] = Array.isArray(found) ? found : [found];
  const reports: Array<LateReport | 'not-yet'> = [];
  for (const one of receipts) {
    const ended = outcomeInReceipt(receipt, one);
    if (ended === undefined) continue;
    const own = attemptInReceipt(receipt, one);
    const reference =
      own === undefined && receipt.reference !== undefined ? referenceAtPointer(one, receipt.reference) : undefined;
    if (own !== undefined) reports.push({ ...own, ...ended });
    if (reference === undefined) continue;
    const [delivery, other] = await find(reference);
    if (delivery === undefined) reports.push('not-yet');
    else if (other === undefined) reports.push({ delivery, ...ended });
  }
  return reports;
}
