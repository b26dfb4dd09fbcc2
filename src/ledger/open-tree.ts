import type { Db } from '../store/db.ts';
import type { Anchor } from './anchor.ts';
import { type Edge, emptyEdge, readEdge, rootOfEdge } from './edge.ts';
import { beginHead, readCheckpoint, readHead, tileReader } from './ledger-store.ts';
import { rootOf } from './tree.ts';

/** The tree as the sequencer holds it in memory: its right edge, and nothing that grows with the log. */
export type OpenTree = { readonly origin: string; readonly root: Uint8Array; readonly edge: Edge };

/** The log contradicts itself or an earlier signature: nothing may be signed until a person has looked. */
export class LedgerBroken extends Error {
  constructor(message: string) {
    super(`${message}. Nothing more is signed. See docs/ledger.md#broken`);
    this.name = 'LedgerBroken';
  }
}

/**
 * Opens the tree, made when absent, and checks what it costs little to check at every size of the log: that its tiles give
 * the root of its head, and that it begins with the last tree that was signed, by the word of the database and by that of
 * the anchor beside it. Throws `LedgerBroken` where they differ.
 */
export async function openTree(
  db: Pick<Db, 'read' | 'write'>,
  anchor: Anchor,
  { origin, fence }: { readonly origin: string; readonly fence: number },
): Promise<OpenTree> {
  const signed = [await readCheckpoint(db.read, 'signed'), await anchor.read()];
  let head = await readHead(db.read);
  if (head === undefined) {
    refuseShorter(0, signed);
    await db.write([beginHead({ origin, size: 0, root: rootOfEdge(emptyEdge), fence })]);
    head = await readHead(db.read);
  }
  if (head === undefined) throw new LedgerBroken('the head of the ledger was stored and is gone');
  const readTile = tileReader(db.read);
  const edge = await readEdge(head.size, readTile);
  if (Buffer.compare(rootOfEdge(edge), head.root) !== 0) {
    throw new LedgerBroken(`the stored tiles of size ${head.size} do not give the root of the head`);
  }
  refuseShorter(head.size, signed);
  for (const checkpoint of signed) {
    if (checkpoint === undefined) continue;
    // The tiles of a smaller tree are the beginnings of those of the larger one.
    const root = await rootOf({ size: checkpoint.size, readTile });
    if (Buffer.compare(root, checkpoint.root) !== 0) {
      throw new LedgerBroken(`the tree does not begin with the one that was signed at size ${checkpoint.size}`);
    }
  }
  return { origin: head.origin, root: head.root, edge };
}

function refuseShorter(size: number, signed: readonly ({ readonly size: number } | undefined)[]): void {
  const largest = Math.max(0, ...signed.map((checkpoint) => checkpoint?.size ?? 0));
  if (largest > size) {
    throw new LedgerBroken(`the ledger has ${size} entries, and ${largest} were signed: was an old backup restored?`);
  }
}
