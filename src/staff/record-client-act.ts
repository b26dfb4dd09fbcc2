import type { DispatchContext } from '../api/dispatch.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { batchSummaryOf } from '../notifications/batches/batch-shape.ts';
import { createNotificationBatch } from '../notifications/create-notification-batch.ts';
import { startNotificationBatch } from '../notifications/start-notification-batch.ts';
import { insertStaffEntry, type StaffKeys } from './staff-entry-store.ts';

type RecordDeps = StaffKeys & {
  readonly createId: IdGenerator;
  readonly organisationOf: (clientId: string) => string;
};

type BatchSummary = ReturnType<typeof batchSummaryOf>;

/** A person needs a proposal for a large batch. A client does not, so its batches of every size are recorded. */
const recorded: ReadonlySet<string> = new Set([createNotificationBatch.name, startNotificationBatch.name]);

/**
 * Creates the function that records what clients do without the second person that staff would need: concealed accesses, and batches. The
 * entry of the staff log names the client as `client:ID`. No token of staff can have such a subject (src/auth/staff-token.ts).
 */
export function createClientActRecord(deps: RecordDeps): NonNullable<DispatchContext['clientActStatements']> {
  return ({ clientId, operation, concealment, now, events, json }) => {
    const isBatch = recorded.has(operation);
    if (concealment === undefined && !isBatch) return [];
    const { id, state, rows }: Partial<BatchSummary> = isBatch ? Object(json) : {};
    const member = { subject: `client:${clientId}`, name: deps.organisationOf(clientId), service: clientId };
    return insertStaffEntry(deps, {
      id: deps.createId('staffEntry'),
      at: now,
      member,
      operation,
      reason: concealment?.hiddenReason,
      reference: id,
      after: {
        ...(concealment === undefined ? {} : { hiddenUntil: concealment.hiddenUntil }),
        ...(isBatch ? { state, rows } : {}),
      },
      events,
    });
  };
}
