import type { Read } from '../../db/database.ts';
import { type DeliveryId, parseId } from '../../kernel/id.ts';
import { findDeliveries } from '../notification/delivery-store.ts';
import { applyLateReport, type LateReportDeps } from './apply-late-report.ts';

/** Whether a text is the id on a letter, or the name of its files. */
export function isLetterName(text: string): boolean {
  return parseId('notification', text) !== undefined || parseDeliveryName(text) !== undefined;
}

/**
 * Records that the postal service returned a letter. `text` is the id on the letter (ntf_…), or the name of its files (dlv_….1).
 * False if no letter with this id was sent, or if its return or arrival is already recorded.
 */
export async function recordReturnedLetter(deps: LateReportDeps, text: string): Promise<boolean> {
  const delivery = parseDeliveryName(text) ?? (await findSentLetter(deps.read, text));
  if (delivery === undefined || !(await isSentLetter(deps.read, delivery))) return false;
  return await applyLateReport(deps, { delivery, ended: 'failed', reason: 'letter-returned' });
}

/** The delivery id in the file name of a letter, with or without the number of the attempt. */
function parseDeliveryName(text: string): DeliveryId | undefined {
  return parseId('delivery', text.replace(/(?:\.\d{1,6})?(?:\.pdf|\.json)?$/, ''));
}

/** The newest letter of a notification. */
async function findSentLetter(read: Read, text: string): Promise<DeliveryId | undefined> {
  const id = parseId('notification', text);
  const deliveries = id === undefined ? [] : await findDeliveries(read, id);
  return deliveries.findLast(({ channel, state }) => channel === 'letter' && state.status === 'sent')?.id;
}

async function isSentLetter(read: Read, delivery: DeliveryId): Promise<boolean> {
  const rows = await read("select 1 as found from delivery where id = $1 and channel = 'letter' and status = 'sent'", [
    delivery,
  ]);
  return rows.length > 0;
}
