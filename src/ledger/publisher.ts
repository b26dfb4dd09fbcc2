import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Anchor } from './anchor.ts';
import { readCheckpoint, type StoredCheckpoint, storeCheckpoint } from './ledger-store.ts';
import { LedgerBroken, type OpenTree } from './open-tree.ts';
import { formatCheckpoint, isSameTree } from './tlog/checkpoint.ts';
import { type NoteSigner, parseNote, signNote } from './tlog/note.ts';

export type PublisherDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly anchor: Anchor;
  readonly clock: Clock;
  /** The keys that sign for a log of that name: Ed25519, and ML-DSA-44 where the operator wants it. */
  readonly signers: (origin: string) => readonly NoteSigner[];
};

/** Signs trees that are stored, and makes them known. */
export type Publisher = {
  /** Signs that tree, unless it is signed already. The tree must have come from the sequencer: it is durable. */
  publish(tree: OpenTree): Promise<void>;
};

/** Whether exactly these keys have signed the note. */
function isSignedBy(note: string, keys: readonly NoteSigner[]): boolean {
  const ids = parseNote(note)?.signatures.map(({ keyId }) => keyId) ?? [];
  return ids.length === keys.length && keys.every(({ keyId }) => ids.includes(keyId));
}

/** The publisher of this process: first the anchor, then the database, from which every process serves it. */
export function createPublisher({ db, anchor, clock, signers }: PublisherDeps): Publisher {
  let last: Pick<StoredCheckpoint, 'size' | 'root' | 'note'> | undefined;
  return {
    publish: async ({ origin, root, edge: { size } }) => {
      last ??= await readCheckpoint(db.read, 'signed');
      const keys = signers(origin);
      // The same tree is signed again where the keys are others: the new one of a rotation does not wait for an event.
      if (last !== undefined && isSameTree(last, { size, root }) && isSignedBy(last.note, keys)) return;
      // Where another process leads meanwhile its checkpoints are larger; ours is true as well, and no longer needed.
      const note = signNote(formatCheckpoint({ origin, size, root }), keys, clock.now());
      await anchor.advance(note);
      const [rows] = await db.write([storeCheckpoint('signed', { size, root, note, at: clock.now() })]);
      last = { size, root, note };
      if (rows?.length === 0) await refuseConflictingTree(last);
    },
  };

  async function refuseConflictingTree(ours: Pick<StoredCheckpoint, 'size' | 'root'>): Promise<void> {
    const newest = await readCheckpoint(db.read, 'signed');
    last = undefined;
    if (newest !== undefined && newest.size === ours.size) {
      throw new LedgerBroken(`two trees of size ${ours.size} were signed`);
    }
  }
}
