import type { Read } from '../../db/database.ts';
import { idField } from '../../db/row-fields.ts';
import type { DeliveryId } from '../../kernel/id.ts';

/** The text messages that a gateway gave that id to, at most two: where it gave an id twice, neither is meant for sure. */
export async function findSmsDeliveriesByReference(read: Read, reference: string): Promise<DeliveryId[]> {
  const rows = await read("select id from delivery where channel = 'sms' and provider_ref = $1 limit 2", [reference]);
  return rows.map((row) => idField(row, 'id', 'delivery'));
}
