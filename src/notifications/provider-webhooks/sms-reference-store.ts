import type { Read } from '../../db/database.ts';
import { idField } from '../../db/row-fields.ts';
import type { DeliveryId } from '../../kernel/id.ts';

/** The text messages with this id of the gateway, at most two: an id that was used twice identifies neither. */
export async function findSmsDeliveriesByReference(read: Read, reference: string): Promise<DeliveryId[]> {
  const rows = await read("select id from delivery where channel = 'sms' and provider_ref = $1 limit 2", [reference]);
  return rows.map((row) => idField(row, 'id', 'delivery'));
}
