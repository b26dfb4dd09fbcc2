import type { ClientCache } from '../auth/client-cache.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Commit } from '../ledger/commit.ts';
import type { NotificationBatch } from './batches/batch.ts';
import { openBatchKey } from './batches/sealed-piece.ts';
import type { RowContext } from './check-batch-row.ts';
import type { BatchPorts, NotificationPorts } from './ports.ts';
import { type Template, templateHeadOf } from './templates/template.ts';

/** Dependencies of the check and the sending of batches. */
export type BatchJobDeps = {
  readonly db: Pick<Database, 'read' | 'write' | 'engine'>;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  readonly commit: Commit;
  readonly clients: ClientCache;
  readonly ports: NotificationPorts & Pick<BatchPorts, 'batchKey'>;
};

/** A batch with what its rows share; undefined if its client may not send any more, or its upload was deleted. */
export async function openBatchContext(
  { clients, clock, ports }: BatchJobDeps,
  batch: NotificationBatch,
): Promise<{ readonly rows: RowContext; readonly key: Uint8Array } | undefined> {
  if (!clients.isFresh()) await clients.refresh();
  const client = clients.get(batch.clientId);
  const key = openBatchKey(ports.batchKey, batch);
  if (client === undefined || client.disabledAt !== undefined || !client.scopes.includes('notifications:send'))
    return undefined;
  if (key === undefined || batch.columns === null) return undefined;
  const { defaults } = batch.options;
  const { templateId } = defaults;
  const cached = { ...ports, templateOf: cacheTemplates(ports.templateOf) };
  const template = templateId === undefined ? undefined : await cached.templateOf(templateId, batch.clientId);
  return {
    key,
    rows: {
      caller: { clientId: batch.clientId, scopes: new Set(client.scopes) },
      now: clock.now(),
      isChecked: batch.state !== 'checking',
      ports: cached,
      columns: batch.columns,
      template: template && { placeholders: new Set(templateHeadOf(template).placeholders) },
      defaults,
    },
  };
}

/** Rows of a batch name few templates, so each is read once. */
function cacheTemplates(templateOf: NotificationPorts['templateOf']): NotificationPorts['templateOf'] {
  const found = new Map<string, Promise<Template | undefined>>();
  return (text, clientId) => {
    const known = found.get(text) ?? templateOf(text, clientId);
    found.set(text, known);
    return known;
  };
}
