import type { Read } from '../db/database.ts';
import type { EventId } from '../kernel/id.ts';
import { createChainReader } from './chain-reader.ts';
import type { CitizenKeys } from './citizen-keys.ts';
import { deriveContentKey } from './event-content.ts';
import {
  createTileReader,
  readBundleEntries,
  readCheckpoint,
  readWitnessedCheckpoint,
  type StoredCheckpoint,
} from './ledger-store.ts';
import { encodeReceiptExtra, openEntryContent } from './receipt-extra.ts';
import { entryFromRow, type StoredEntry, storedEntryColumns } from './stored-entry.ts';
import type { SystemKeys } from './system-keys.ts';
import { encodeBundle, type TileName, tileWidthAt } from './tlog/tile.ts';
import { consistencyProof, createInclusionProver, type ReadTile } from './tlog/tiled-tree.ts';
import { formatProof } from './tlog/tlog-proof.ts';

/** See `createLogView`. */
export type LogView = ReturnType<typeof createLogView>;

/** Creates the reading side of the log, from which it is served. With `witnessed`, a quorum cosigns what is published. */
export function createLogView(
  read: Read,
  citizenKeys: Pick<CitizenKeys, 'keyOf' | 'earlierKeyOf'>,
  systemKeys: Pick<SystemKeys, 'key'>,
  { witnessed }: { readonly witnessed: boolean },
) {
  const readTile = createTileReader(read);
  const signedCheckpoint = () => readCheckpoint(read, 'signed');
  return {
    /** The newest signed checkpoint; undefined before the first. */
    signedCheckpoint,
    /** With witnesses the newest checkpoint that a quorum cosigned, otherwise the newest signed one. It never shrinks. */
    publishedCheckpoint: async () =>
      (witnessed ? await readWitnessedCheckpoint(read) : undefined) ?? (await signedCheckpoint()),
    /** The bytes of a tile or bundle; undefined if the signed tree does not have it in that width. */
    readTile: async ({ level, index, width }: TileName) => {
      const size = (await signedCheckpoint())?.size ?? 0;
      if (width > tileWidthAt(size, level, index)) return undefined;
      return level === 'entries'
        ? encodeBundle(await readBundleEntries(read, index, width))
        : await readTile(level, index, width);
    },
    findEntry: async (eventId: EventId) => {
      const rows = await read(`select ${storedEntryColumns} from ledger_entry where event_id = $1`, [eventId]);
      return rows.map(entryFromRow)[0];
    },
    ...createChainReader(read),
    /** The key that opens the content of an entry; undefined if it was destroyed. */
    findContentKey: async ({ entry, eventId, citizenId }: StoredEntry) => {
      const owners = citizenId === null ? [systemKeys.key] : await ownerKeysOf(citizenKeys, citizenId);
      const keys = owners.map((ownerKey) => deriveContentKey(ownerKey, eventId));
      return keys.find((contentKey) => openEntryContent({ entry, contentKey }) !== undefined);
    },
    /** A checkpoint that covers an entry, a cosigned one first; undefined until there is one. */
    checkpointFor: async (index: number) => {
      const best = witnessed ? await readCheckpoint(read, 'cosigned') : undefined;
      return [best, await signedCheckpoint()].find((checkpoint) => checkpoint !== undefined && checkpoint.size > index);
    },
    /** The proof that the tree of a checkpoint contains an entry, with the entry and, if given, the key of its content. */
    proveEntry: (entry: StoredEntry, checkpoint: StoredCheckpoint, contentKey: Uint8Array | undefined) =>
      createProver(readTile, checkpoint)(entry, contentKey),
    /** Creates such proofs for a page of entries, which share their reads. */
    createEntryProver: (checkpoint: StoredCheckpoint) => createProver(readTile, checkpoint),
    /** The consistency proof from a tree of `oldSize` leaves to one of `size`. */
    consistencyProof: (oldSize: number, size: number) => consistencyProof({ size, readTile }, oldSize),
  };
}

function createProver(readTile: ReadTile, { size, note }: StoredCheckpoint) {
  const hashesOf = createInclusionProver({ size, readTile });
  return async ({ index, entry }: StoredEntry, contentKey: Uint8Array | undefined) => {
    const hashes = await hashesOf(index);
    return formatProof({ extra: encodeReceiptExtra({ entry, contentKey }), index, hashes, checkpoint: note });
  };
}

/**
 * The keys that events of a citizen may be encrypted under: those from before the import are under an earlier key. An entry from
 * before an erasure has no citizen id, and the system key does not open it.
 */
async function ownerKeysOf(citizenKeys: Pick<CitizenKeys, 'keyOf' | 'earlierKeyOf'>, citizenId: string) {
  return [await citizenKeys.keyOf(citizenId), await citizenKeys.earlierKeyOf(citizenId)];
}
