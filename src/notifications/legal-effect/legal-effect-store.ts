import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Statement } from '../../db/database.ts';
import { textField } from '../../db/row-fields.ts';
import type { NotificationId } from '../../kernel/id.ts';
import type { LegalEffect } from './legal-effect.ts';

const findEffectRow = lookupByKey('stated_effect', 'notification_id', 'notification_id, effect');

/** The legal effect that earlier evidence of the notification contains; undefined when there is none. */
export async function findLegalEffect(read: Read, id: NotificationId): Promise<LegalEffect | undefined> {
  const [row] = await findEffectRow(read, id);
  // `saveLegalEffect` has written it.
  return row === undefined ? undefined : (JSON.parse(textField(row, 'effect')) as LegalEffect);
}

/** Stores the legal effect in the unit of the first evidence that contains it. If two are stored at the same time, the first stays. */
export function saveLegalEffect(id: NotificationId, effect: LegalEffect, now: number): Statement {
  return {
    sql: 'insert into stated_effect (notification_id, effect, at) values ($1, $2, $3) on conflict (notification_id) do nothing',
    args: [id, JSON.stringify(effect), now],
  };
}
