import { bindOperation } from '../api/operation.ts';
import type { Slice, SliceDeps } from '../api/slice.ts';
import { readStaffMember } from './read-staff-member.ts';

/** Creates the slice of staff. */
export function createStaff(_deps: SliceDeps): Slice {
  return {
    operations: [bindOperation(readStaffMember, undefined)],
    jobs: [],
    registerMetrics: () => undefined,
    checks: [],
  };
}
