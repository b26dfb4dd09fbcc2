import { Type } from 'typebox';
import { WriteRefused } from '../../db/database.ts';
import { batchChangedEvent, type NotificationBatch, startFault } from '../../notifications/batches/batch.ts';
import { changeState, findOwnBatch } from '../../notifications/batches/batch-store.ts';
import { findOwnTemplate } from '../../notifications/templates/template-shape.ts';
import { type CheckContext, defineProposable } from './proposable-operation.ts';

/** Starts a batch of the proposer's service that is over the limit of one person. */
export const proposableBatchStart = defineProposable({
  name: 'startBatch',
  proposers: ['staff:send'],
  summary: 'Start a batch of messages',
  // These counts depend on the contact data and preferences of citizens.
  estimates: ['textMessages', 'letters'],
  input: Type.Object({ batch: Type.String({ maxLength: 64 }) }, { additionalProperties: false }),
  check: async ({ batch: id }, context) => {
    const { read, ports } = context;
    const batch = await findReadyBatch(id, context);
    if ('fault' in batch) return batch;
    const { name, state, rowCount, refused, options, clientId } = batch;
    const { templateId } = options.defaults;
    const template = templateId === undefined ? undefined : await findOwnTemplate(read, templateId, clientId);
    const { textMessages = null, letters = null } = (await ports.previewBatch(batch))?.estimate ?? {};
    const counts = { rows: rowCount, refused, messages: rowsToSend(batch), textMessages, letters };
    return { before: { name, template: template?.name ?? null, state, ...counts } };
  },
  apply: async ({ batch: id }, context) => {
    const batch = await findReadyBatch(id, context);
    if ('fault' in batch) return batch;
    const { clock, createId, actor, commitWith } = context;
    const at = clock.now();
    const event = batchChangedEvent({ id: createId('event'), at, actor }, batch.id, 'sending');
    try {
      await commitWith({ state: 'sending' })({
        events: [event],
        statements: [changeState(batch, { from: 'ready', to: 'sending', at })],
      });
      return undefined;
    } catch (fault) {
      if (fault instanceof WriteRefused && fault.kind === 'rows')
        return { fault: 'Another person started or cancelled the batch at the same time.' };
      throw fault;
    }
  },
});

/** The number of messages that a checked batch would send. */
export function rowsToSend({ rowCount, refused }: Pick<NotificationBatch, 'rowCount' | 'refused'>): number {
  return (rowCount ?? 0) - refused;
}

async function findReadyBatch(
  id: string,
  { read, service, now }: Pick<CheckContext, 'read' | 'service' | 'now'>,
): Promise<NotificationBatch | { readonly fault: string }> {
  const batch = service === null ? undefined : await findOwnBatch(read, id, service);
  if (batch === undefined) return { fault: 'Your service has no batch with this id.' };
  const fault = startFault(batch, now);
  return fault === undefined ? batch : { fault };
}
