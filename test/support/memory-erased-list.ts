import type { ErasedList, ListedErasure } from '../../src/ledger/erased-list.ts';

/** A list of erased citizens in memory, for tests that are about other parts of an erasure. */
export function createMemoryErasedList(): Pick<ErasedList, 'add'> & { readonly listed: readonly ListedErasure[] } {
  const listed: ListedErasure[] = [];
  return {
    listed,
    add: async (erasures) => {
      listed.push(...erasures);
    },
  };
}
