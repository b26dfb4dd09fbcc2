import type { StaffMember } from '../../auth/caller.ts';
import { proposablePolicy } from './add-policy.ts';
import { proposableClientChange } from './change-client.ts';
import { proposableClient } from './create-client.ts';
import { proposableErasure } from './erase-citizen.ts';
import { proposableUnlock } from './lift-citizen-lock.ts';
import type { AnyProposable } from './proposable-operation.ts';
import { proposableRelease } from './release-hold.ts';
import { proposableBatchStart } from './start-batch.ts';

/** All operations that another person must approve. To add one, write a file of this folder and name it here. */
export const proposableOperations: readonly AnyProposable[] = [
  proposableErasure,
  proposableRelease,
  proposableUnlock,
  proposableClient,
  proposableClientChange,
  proposablePolicy,
  proposableBatchStart,
];

/** The operation with this name; undefined if this version of the program does not have it. */
export function findProposable(operation: string): AnyProposable | undefined {
  return proposableOperations.find(({ name }) => name === operation);
}

/** Whether only a person who works for all services can approve this operation, and this person belongs to one service. */
export function needsOtherApprover(operation: string, { service }: Pick<StaffMember, 'service'>): boolean {
  return service !== null && findProposable(operation)?.affectsAllServices === true;
}
