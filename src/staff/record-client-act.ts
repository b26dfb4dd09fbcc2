import type { DispatchContext } from '../api/dispatch.ts';
import type { IdGenerator } from '../kernel/id.ts';
import { createNotificationBatch } from '../notifications/create-notification-batch.ts';
import { startNotificationBatch } from '../notifications/start-notification-batch.ts';
import { insertStaffEntry, type StaffKeys } from './staff-entry-store.ts';

type RecordDeps = StaffKeys & {
  readonly createId: IdGenerator;
  readonly organisationOf: (clientId: string) => string;
};

/** A person needs a proposal for a large batch. A client does not, so its batches of every size are recorded. */
const recorded: ReadonlySet<string> = new Set([createNotificationBatch.name, startNotificationBatch.name]);

/**
 * Creates the function that records what clients do without the second person that staff would need: concealed accesses, and batches. The
 * entry of the staff log names the client as `client:ID`. No token of staff can have such a subject (src/auth/staff-token.ts).
 */
export function createClientActRecord(deps: RecordDeps): NonNullable<DispatchContext['clientActStatements']> {
  return ({ clientId, operation, concealment, now, events }) => {
    if (concealment === undefined && !recorded.has(operation)) return [];
    const member = { subject: `client:${clientId}`, name: deps.organisationOf(clientId), service: clientId };
    return insertStaffEntry(deps, {
      id: deps.createId('staffEntry'),
      at: now,
      member,
      operation,
      reason: concealment?.hiddenReason,
      after: concealment === undefined ? undefined : { hiddenUntil: concealment.hiddenUntil },
      events,
    });
  };
}
