import type { Read, Row } from '../db/database.ts';
import { bytesField, idField, integerField, textField, textOrNull } from '../db/row-fields.ts';
import type { EventId } from '../kernel/id.ts';
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
import type { SystemKeys } from './system-keys.ts';
import { encodeBundle, type TileName, tileWidthAt } from './tlog/tile.ts';
import { consistencyProof, createInclusionProver } from './tlog/tiled-tree.ts';
import { formatProof } from './tlog/tlog-proof.ts';

/** An entry of the log with its place in the chain of its owner. */
export type StoredEntry = {
  readonly index: number;
  readonly eventId: EventId;
  readonly at: number;
  readonly type: string;
  readonly clientId: string | null;
  readonly number: number;
  readonly entry: Uint8Array;
  /** Null for the house, and for a person who was erased. */
  readonly citizenId: string | null;
};

/** What is read of the log by those who serve it; it stores nothing. */
export type LogView = {
  /** The newest checkpoint that was signed; undefined before the first. */
  signedCheckpoint(): Promise<StoredCheckpoint | undefined>;
  /**
   * What the log publishes: the newest checkpoint that a quorum cosigned where there are witnesses, else the signed one. It
   * never becomes smaller.
   */
  publishedCheckpoint(): Promise<StoredCheckpoint | undefined>;
  /** The bytes of a tile or bundle; undefined where the signed tree has it not, or not so wide. */
  readTile(name: TileName): Promise<Uint8Array | undefined>;
  findEntry(eventId: EventId): Promise<StoredEntry | undefined>;
  /** A part of a chain, by its numbers after `after`. */
  readChain(readChain: Uint8Array, after: number, limit: number): Promise<StoredEntry[]>;
  /** The last entry of a chain in a tree of that size. */
  findLastEntry(readChain: Uint8Array, size: number): Promise<StoredEntry | undefined>;
  /** The key that opens the content of an entry; undefined where it was destroyed. */
  findContentKey(entry: StoredEntry): Promise<Uint8Array | undefined>;
  /** The checkpoint that covers an entry, the best witnessed one first; undefined while none does. */
  checkpointFor(index: number): Promise<StoredCheckpoint | undefined>;
  /** The proof that the entry is in the tree of that checkpoint, with the entry and, if given, the key of its content. */
  proveEntry(entry: StoredEntry, checkpoint: StoredCheckpoint, findContentKey: Uint8Array | undefined): Promise<string>;
  /** Makes such proofs for a page of entries, which share what they read. */
  createEntryProver(
    checkpoint: StoredCheckpoint,
  ): (entry: StoredEntry, findContentKey: Uint8Array | undefined) => Promise<string>;
  /** The hashes that show that the tree of `size` begins with that of `oldSize`. */
  consistencyProof(oldSize: number, size: number): Promise<Uint8Array[]>;
};

/**
 * An erased person's entries lose the name a page at a time behind the erasure (erase-citizen.ts), and nobody is to have it from
 * those that still do. Counted, since PostgreSQL may join `exists` with all erasures.
 */
const nameColumn = `case when 0 < (select count(*) from citizen_erasure e
  where e.chain = ledger_entry.chain and e.named_up_to >= ledger_entry.number) then null else citizen_id end as citizen_id`;
const columns = `leaf_index, event_id, at, type, client_id, number, entry, ${nameColumn}`;

/** The view of this database. */
export function createLogView(
  read: Read,
  citizenKeys: Pick<CitizenKeys, 'keyOf' | 'decoyKeyOf'>,
  houseKeys: Pick<SystemKeys, 'key'>,
  { witnessed }: { readonly witnessed: boolean },
): LogView {
  const readTile = createTileReader(read);
  const signedCheckpoint = () => readCheckpoint(read, 'signed');
  const cosigned = async () => (witnessed ? await readCheckpoint(read, 'cosigned') : undefined);
  const createEntryProver: LogView['createEntryProver'] = ({ size, note }) => {
    const hashesOf = createInclusionProver({ size, readTile });
    return async ({ index, entry }, contentKey) => {
      const hashes = await hashesOf(index);
      return formatProof({ extra: encodeReceiptExtra({ entry, contentKey }), index, hashes, checkpoint: note });
    };
  };
  return {
    signedCheckpoint,
    publishedCheckpoint: async () =>
      (witnessed ? await readWitnessedCheckpoint(read) : undefined) ?? (await signedCheckpoint()),
    readTile: async ({ level, index, width }) => {
      const size = (await signedCheckpoint())?.size ?? 0;
      if (width > tileWidthAt(size, level, index)) return undefined;
      return level === 'entries'
        ? encodeBundle(await readBundleEntries(read, index, width))
        : await readTile(level, index, width);
    },
    findEntry: async (eventId) => {
      const [row] = await read(`select ${columns} from ledger_entry where event_id = $1`, [eventId]);
      return row === undefined ? undefined : entryFromRow(row);
    },
    readChain: async (chain, after, limit) => {
      const sql = `select ${columns} from ledger_entry where chain = $1 and number > $2 order by number limit $3`;
      return (await read(sql, [chain, after, limit])).map(entryFromRow);
    },
    findLastEntry: async (chain, size) => {
      const sql = `select ${columns} from ledger_entry where chain = $1 and leaf_index < $2 order by number desc limit 1`;
      return (await read(sql, [chain, size])).map(entryFromRow)[0];
    },
    findContentKey: async ({ entry, eventId, citizenId }) => {
      // An erased person's chain has no name left; the key of the house opens none of its entries. What happened before
      // the register had a citizen is sealed under the key of strangers.
      const owners =
        citizenId === null ? [houseKeys.key] : [await citizenKeys.keyOf(citizenId), citizenKeys.decoyKeyOf(citizenId)];
      const keys = owners.map((ownerKey) => deriveContentKey(ownerKey, eventId));
      return keys.find((contentKey) => openEntryContent({ entry, contentKey }) !== undefined);
    },
    checkpointFor: async (index) => {
      const best = await cosigned();
      if (best !== undefined && best.size > index) return best;
      const newest = await signedCheckpoint();
      return newest !== undefined && newest.size > index ? newest : undefined;
    },
    proveEntry: (entry, checkpoint, contentKey) => createEntryProver(checkpoint)(entry, contentKey),
    createEntryProver,
    consistencyProof: (oldSize, size) => consistencyProof({ size, readTile }, oldSize),
  };
}

function entryFromRow(row: Row): StoredEntry {
  return {
    index: integerField(row, 'leaf_index'),
    eventId: idField(row, 'event_id', 'event'),
    at: integerField(row, 'at'),
    type: textField(row, 'type'),
    clientId: textOrNull(row, 'client_id'),
    number: integerField(row, 'number'),
    entry: bytesField(row, 'entry'),
    citizenId: textOrNull(row, 'citizen_id'),
  };
}
