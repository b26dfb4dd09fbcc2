import type { ErasedList } from '../../src/ledger/erased-list.ts';

/** A list of erased citizens that stores nothing, for tests that are about other parts of an erasure. */
export const emptyErasedList: Pick<ErasedList, 'add'> = { add: async () => undefined };
