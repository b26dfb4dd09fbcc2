import type { Caller, StaffMember, StaffScope } from '../auth/caller.ts';
import type { Actor } from '../ledger/ledger-event.ts';

/** The caller of an operation was no member of staff, although dispatch lets nobody else through. */
class StaffMissing extends Error {
  override readonly name = 'StaffMissing';
}

/** The member of staff who calls an operation for staff alone. */
export function staffOf({ staff }: Pick<Caller, 'staff'>): StaffMember {
  if (staff === undefined) throw new StaffMissing('the caller is no member of staff');
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
