import type { OperationCall, RequestShape } from '../api/operation.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { StaffPorts } from './ports.ts';
import { type EntryLimit, findOldestEntry } from './staff-entry-store.ts';

const hourMs = 3_600_000;

type LimitCall = Pick<OperationCall<RequestShape, StaffPorts>, 'read' | 'ports' | 'now'>;

/** The limit of entries of one person and operation in an hour (STAFF_LOOK_UPS_PER_HOUR). */
export function hourlyLimit({ ports, now }: LimitCall): EntryLimit {
  return { count: ports.lookUpsPerHour, since: now - hourMs };
}

/** The refusal of a person who has reached the limit, with the time until the next request. */
export async function refuseOverLimit(
  { read, ports, now }: LimitCall,
  { subject, operation }: { readonly subject: string; readonly operation: string },
): Promise<Refusal> {
  const oldest = await findOldestEntry({ read, root: ports.root }, { subject, operation, since: now - hourMs });
  const seconds = Math.max(Math.ceil(((oldest ?? now) + hourMs - now) / 1_000), 1);
  return refuse('look-ups-exceeded', undefined, { headers: { 'retry-after': String(seconds) } });
}
