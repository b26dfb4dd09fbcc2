import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Anchor } from './anchor.ts';
import { readCheckpoint, type StoredCheckpoint, storeCheckpoint } from './ledger-store.ts';
import { LedgerBroken, type OpenTree } from './open-tree.ts';
import { formatCheckpoint, isSameTree } from './tlog/checkpoint.ts';
import { type NoteSigner, parseNote, signNote } from './tlog/note.ts';

/** The stores and keys of the publisher. */
export type PublisherDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly anchor: Anchor;
  readonly clock: Clock;
  /** The signers of the log with that origin: Ed25519, and ML-DSA-44 if the operator enabled it. */
  readonly signers: (origin: string) => readonly NoteSigner[];
};

/** Signs and publishes trees. It promises never to sign a tree that is not stored, and never two trees of one size. */
export type Publisher = {
  /** Signs a tree, unless it is already signed. The tree must be stored: pass only what the sequencer returned. */
  publish(tree: OpenTree): Promise<void>;
};

/** Whether exactly these keys have signed the note. */
function isSignedBy(note: string, keys: readonly NoteSigner[]): boolean {
  const ids = parseNote(note)?.signatures.map(({ keyId }) => keyId) ?? [];
  return ids.length === keys.length && keys.every(({ keyId }) => ids.includes(keyId));
}

/**
 * The publisher of this process. It writes the checkpoint file first, then the database, from which all processes serve. A
 * crash in between leaves an unpublished checkpoint; the next start signs that tree or a larger one.
 */
export function createPublisher({ db, anchor, clock, signers }: PublisherDeps): Publisher {
  let last: Pick<StoredCheckpoint, 'size' | 'root' | 'note'> | undefined;
  return {
    publish: async ({ origin, root, edge: { size } }) => {
      last ??= await readCheckpoint(db.read, 'signed');
      const keys = signers(origin);
      // Signs the same tree again when the keys have changed, so that a rotation does not wait for an event.
      if (last !== undefined && isSameTree(last, { size, root }) && isSignedBy(last.note, keys)) return;
      // If another process leads by now, its checkpoints are larger. This one is still true, and no longer needed.
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
