import type { IdGenerator } from '../../kernel/id.ts';
import type { LedgerEvent } from '../../ledger/ledger-event.ts';
import type { BatchRowResult } from './row-store.ts';

type ReadContext = { readonly createId: IdGenerator; readonly now: number };

/** The events of a client that reads these rows: one for the list, and one for each citizen whose notification it shows. */
export function rowReadEvents(
  { createId, now }: ReadContext,
  clientId: string,
  rows: readonly BatchRowResult[],
): [LedgerEvent, ...LedgerEvent[]] {
  const head = () => ({ id: createId('event'), at: now, actor: { client: clientId } });
  const sent = rows.flatMap((row) => (row.state === 'refused' ? [] : [row]));
  return [
    { type: 'notifications.listed', ...head(), shown: sent.length },
    ...sent.map(({ citizenId, notification }): LedgerEvent => {
      return { type: 'notification.status-read', ...head(), citizenId, notification };
    }),
  ];
}
