import type { Caller, StaffMember, StaffScope } from '../auth/caller.ts';
import type { Actor } from '../ledger/ledger-event.ts';

/** The member of staff who calls an operation for staff alone. Dispatch lets no other caller through. */
export function staffOf({ staff }: Pick<Caller, 'staff'>): StaffMember {
  if (staff === undefined) throw new TypeError('expected a member of staff as the caller');
  return staff;
}

/** The person as the actor of an event. */
export function staffActor({ subject, service }: StaffMember): Extract<Actor, { staff: string }> {
  return { staff: subject, service };
}

/** Whether the person has one of these rights. */
export function hasOneOf({ scopes }: Pick<Caller, 'scopes'>, wanted: readonly StaffScope[]): boolean {
  return wanted.some((scope) => scopes.has(scope));
}
