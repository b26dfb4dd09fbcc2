import type { OperationCall, RequestShape } from '../api/operation.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { StaffPorts } from './ports.ts';
import { type EntryLimit, findRecentEntries } from './staff-entry-store.ts';

const hourMs = 3_600_000;

type LimitCall = Pick<OperationCall<RequestShape, StaffPorts>, 'read' | 'ports' | 'now'>;

/** The limit of entries of one person and operation in an hour (STAFF_LOOK_UPS_PER_HOUR). */
export function hourlyLimit({ ports, now }: LimitCall): EntryLimit {
  return { count: ports.lookUpsPerHour, since: now - hourMs };
}

type CountedAct = { readonly subject: string; readonly operation: string };

/** Whether the person has reached the limit, before an act that is recorded only in some cases. */
export async function isOverLimit({ read, ports, now }: LimitCall, act: CountedAct): Promise<boolean> {
  const { count } = await findRecentEntries({ read, root: ports.root }, { ...act, since: now - hourMs });
  return count >= ports.lookUpsPerHour;
}

/** The refusal of a person who has reached the limit, with the time until the next request. */
export async function refuseOverLimit(
  { read, ports, now }: LimitCall,
  { subject, operation }: CountedAct,
): Promise<Refusal> {
  const { oldest } = await findRecentEntries({ read, root: ports.root }, { subject, operation, since: now - hourMs });
  const seconds = Math.max(Math.ceil(((oldest ?? now) + hourMs - now) / 1_000), 1);
  return refuse('look-ups-exceeded', undefined, { headers: { 'retry-after': String(seconds) } });
}
