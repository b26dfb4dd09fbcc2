import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Anchor } from './anchor.ts';
import { readCheckpoint, type StoredCheckpoint, storeCheckpoint } from './ledger-store.ts';
import { LedgerBroken, type OpenTree } from './open-tree.ts';
import { formatCheckpoint, isSameTree } from './tlog/checkpoint.ts';
import { type NoteSigner, parseNote, signNote } from './tlog/note.ts';

type PublisherDeps = {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly anchor: Anchor;
  readonly clock: Clock;
  /** The signers of the log with that origin: Ed25519, and ML-DSA-44 if the operator enabled it. */
  readonly signers: (origin: string) => readonly NoteSigner[];
};

/** Signs and publishes trees. It promises never to sign a tree that is not stored, and never two trees of one size. */
export type Publisher = ReturnType<typeof createPublisher>;

function isSignedByAll(note: string, keys: readonly NoteSigner[]): boolean {
  const ids = parseNote(note)?.signatures.map(({ keyId }) => keyId) ?? [];
  return ids.length === keys.length && keys.every(({ keyId }) => ids.includes(keyId));
}

/**
 * Creates the publisher of this process. It never signs a tree that is not stored, and never two trees of one size. It writes the
 * checkpoint file first, then the database, from which all processes serve. A
 * crash in between leaves an unpublished checkpoint; the next start signs that tree or a larger one.
 */
export function createPublisher({ db, anchor, clock, signers }: PublisherDeps) {
  let last: Pick<StoredCheckpoint, 'size' | 'root' | 'note'> | undefined;
  return {
    /** Signs a tree, unless it is already signed. Pass only trees that the sequencer returned: they are stored. */
    publish: async ({ origin, root, edge: { size } }: OpenTree) => {
      last ??= await readCheckpoint(db.read, 'signed');
      const keys = signers(origin);
      // Signs the same tree again when the keys have changed, so that a rotation does not wait for an event.
      if (last !== undefined && isSameTree(last, { size, root }) && isSignedByAll(last.note, keys)) return;
      // If another process leads by now, its checkpoints are larger. This one is still true, and no longer needed.
      const note = signNote(formatCheckpoint({ origin, size, root }), keys, clock.now());
      await anchor.advance(note);
      const [rows] = await db.write([storeCheckpoint('signed', { size, root, note, at: clock.now() })]);
      last = rows?.length === 0 ? undefined : { size, root, note };
      if (last !== undefined) return;
      const newest = await readCheckpoint(db.read, 'signed');
      if (newest?.size === size) throw new LedgerBroken(`two trees of size ${size} were signed`);
    },
  };
}
