import type { DeliveryId } from '../../kernel/id.ts';
import { valueAtPointer } from '../../kernel/json-pointer.ts';
import type { LateReport } from '../delivery/apply-late-report.ts';
import { finalReportsIn, parseReportedAttempt } from '../provider-webhooks/report-mapping.ts';
import { referenceAtPointer, type SmsMapping } from './sms-mapping.ts';

const ownId = /^dlv_(\w{26})\.(\d{1,6})$/;

/**
 * The reports in a receipt of the SMS gateway. A receipt names the message by our id or by the gateway's own, which
 * `find` looks up. `not-yet`: no message has that id of the gateway, perhaps because the receipt overtook the response
 * that names it. An id that the gateway gave to two messages identifies neither. Undefined where a part is no JSON.
 */
export async function lateReportsInReceipt(
  { receipt }: SmsMapping,
  body: unknown,
  find: (reference: string) => Promise<readonly DeliveryId[]>,
): Promise<Array<LateReport | 'not-yet'> | undefined> {
  if (receipt === undefined) return [];
  const reports: Array<LateReport | 'not-yet'> = [];
  const found = finalReportsIn(receipt, body);
  for (const { event, outcome } of found ?? []) {
    const id = receipt.id === undefined ? undefined : valueAtPointer(event, receipt.id);
    const attempt = parseReportedAttempt(ownId, id);
    if (attempt !== undefined) {
      reports.push({ ...attempt, ...outcome });
      continue;
    }
    const reference = receipt.reference === undefined ? undefined : referenceAtPointer(event, receipt.reference);
    if (reference === undefined) continue;
    const [delivery, other] = await find(reference);
    if (delivery === undefined) reports.push('not-yet');
    else if (other === undefined) reports.push({ delivery, ...outcome });
  }
  return found === undefined ? undefined : reports;
}
