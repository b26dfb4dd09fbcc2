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
