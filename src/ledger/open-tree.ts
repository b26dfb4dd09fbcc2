import type { Database } from '../db/database.ts';
import type { Anchor } from './anchor.ts';
import { createTileReader, insertTreeHead, readCheckpoint, readTreeHead } from './ledger-store.ts';
import { treeRoot } from './tlog/tiled-tree.ts';
import { emptyTreeEdge, readTreeEdge, type TreeEdge, treeEdgeRoot } from './tlog/tree-edge.ts';

/** The tree in the memory of the sequencer: its right edge only, so memory does not grow with the log. */
export type OpenTree = { readonly origin: string; readonly root: Uint8Array; readonly edge: TreeEdge };

/** The log contradicts itself or an earlier signature. Nothing is signed until a person has examined it. */
export class LedgerBroken extends Error {
  override readonly name = 'LedgerBroken';

  constructor(message: string) {
    super(`${message}. The server signs nothing more. See docs/security/ledger.md#broken`);
  }
}

/**
 * Opens the tree, and creates an empty one if there is none. It checks that the stored tiles give the root of the head, and
 * that the tree begins with the last signed tree, both of the database and of the checkpoint file. The cost of these checks
 * hardly depends on the size of the log. Throws `LedgerBroken` if they differ: the database was rolled back or changed.
 */
export async function openTree(
  db: Pick<Database, 'read' | 'write'>,
  anchor: Anchor,
  { origin, fence }: { readonly origin: string; readonly fence: number },
): Promise<OpenTree> {
  const signed = [await readCheckpoint(db.read, 'signed'), await anchor.read()];
  let head = await readTreeHead(db.read);
  if (head === undefined) {
    refuseRollback(0, signed);
    await db.write([insertTreeHead({ origin, size: 0, root: treeEdgeRoot(emptyTreeEdge), fence })]);
    head = await readTreeHead(db.read);
  }
  if (head === undefined) throw new LedgerBroken('the stored head of the ledger is missing');
  const readTile = createTileReader(db.read);
  const edge = await readTreeEdge(head.size, readTile);
  if (Buffer.compare(treeEdgeRoot(edge), head.root) !== 0) {
    throw new LedgerBroken(`the stored tiles of size ${head.size} do not have the root hash of the head`);
  }
  refuseRollback(head.size, signed);
  for (const checkpoint of signed) {
    if (checkpoint === undefined) continue;
    // The tiles of a smaller tree are prefixes of those of a larger one.
    const root = await treeRoot({ size: checkpoint.size, readTile });
    if (Buffer.compare(root, checkpoint.root) !== 0) {
      throw new LedgerBroken(`the tree does not start with the tree that was signed at size ${checkpoint.size}`);
    }
  }
  return { origin: head.origin, root: head.root, edge };
}

function refuseRollback(size: number, signed: readonly ({ readonly size: number } | undefined)[]): void {
  const largest = Math.max(0, ...signed.map((checkpoint) => checkpoint?.size ?? 0));
  if (largest > size) {
    throw new LedgerBroken(`the ledger has ${size} entries, but ${largest} were signed: was an old backup restored?`);
  }
}
