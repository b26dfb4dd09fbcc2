import type { EventId } from '../kernel/id.ts';
import type { Read, Row } from '../store/db.ts';
import { bytesField, idField, textField, textOrNull, wholeField } from '../store/row-fields.ts';
import type { CitizenKeys } from './citizen-keys.ts';
import { contentKeyOf } from './event-content.ts';
import type { HouseKeys } from './house-keys.ts';
import { bundleEntries, readCheckpoint, readWitnessed, type StoredCheckpoint, tileReader } from './ledger-store.ts';
import { contentOf, openingBytes } from './opening.ts';
import { formatProof } from './proof.ts';
import { bundleOf, type TileName, widthIn } from './tile.ts';
import { consistencyProof, inclusionProver } from './tree.ts';

/** An entry of the log with its place in the chain of its owner. */
export type LoggedEntry = {
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
  signed(): Promise<StoredCheckpoint | undefined>;
  /**
   * What the log publishes: the newest checkpoint that a quorum cosigned where there are witnesses, else the signed one. It
   * never becomes smaller.
   */
  published(): Promise<StoredCheckpoint | undefined>;
  /** The bytes of a tile or bundle; undefined where the signed tree has it not, or not so wide. */
  tile(name: TileName): Promise<Uint8Array | undefined>;
  entryOf(eventId: EventId): Promise<LoggedEntry | undefined>;
  /** A part of a chain, by its numbers after `after`. */
  chain(chain: Uint8Array, after: number, limit: number): Promise<LoggedEntry[]>;
  /** The last entry of a chain in a tree of that size. */
  lastOf(chain: Uint8Array, size: number): Promise<LoggedEntry | undefined>;
  /** The key that opens the content of an entry; undefined where it was destroyed. */
  contentKey(entry: LoggedEntry): Promise<Uint8Array | undefined>;
  /** The checkpoint that covers an entry, the best witnessed one first; undefined while none does. */
  checkpointFor(index: number): Promise<StoredCheckpoint | undefined>;
  /** The proof that the entry is in the tree of that checkpoint, with the entry and, if given, the key of its content. */
  prove(entry: LoggedEntry, checkpoint: StoredCheckpoint, contentKey: Uint8Array | undefined): Promise<string>;
  /** Makes such proofs for a page of entries, which share what they read. */
  prover(checkpoint: StoredCheckpoint): (entry: LoggedEntry, contentKey: Uint8Array | undefined) => Promise<string>;
  /** The hashes that show that the tree of `size` begins with that of `oldSize`. */
  growth(oldSize: number, size: number): Promise<Uint8Array[]>;
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
  citizenKeys: Pick<CitizenKeys, 'keyOf' | 'strangerKeyOf'>,
  houseKeys: Pick<HouseKeys, 'key'>,
  { witnessed }: { readonly witnessed: boolean },
): LogView {
  const readTile = tileReader(read);
  const signed = () => readCheckpoint(read, 'signed');
  const cosigned = async () => (witnessed ? await readCheckpoint(read, 'cosigned') : undefined);
  const prover: LogView['prover'] = ({ size, note }) => {
    const hashesOf = inclusionProver({ size, readTile });
    return async ({ index, entry }, contentKey) => {
      const hashes = await hashesOf(index);
      return formatProof({ extra: openingBytes({ entry, contentKey }), index, hashes, checkpoint: note });
    };
  };
  return {
    signed,
    published: async () => (witnessed ? await readWitnessed(read) : undefined) ?? (await signed()),
    tile: async ({ level, index, width }) => {
      const size = (await signed())?.size ?? 0;
      if (width > widthIn(size, level, index)) return undefined;
      return level === 'entries'
        ? bundleOf(await bundleEntries(read, index, width))
        : await readTile(level, index, width);
    },
    entryOf: async (eventId) => {
      const [row] = await read(`select ${columns} from ledger_entry where event_id = $1`, [eventId]);
      return row === undefined ? undefined : entryIn(row);
    },
    chain: async (chain, after, limit) => {
      const sql = `select ${columns} from ledger_entry where chain = $1 and number > $2 order by number limit $3`;
      return (await read(sql, [chain, after, limit])).map(entryIn);
    },
    lastOf: async (chain, size) => {
      const sql = `select ${columns} from ledger_entry where chain = $1 and leaf_index < $2 order by number desc limit 1`;
      return (await read(sql, [chain, size])).map(entryIn)[0];
    },
    contentKey: async ({ entry, eventId, citizenId }) => {
      // An erased person's chain has no name left; the key of the house opens none of its entries. What happened before
      // the register had a citizen is sealed under the key of strangers.
      const owners =
        citizenId === null
          ? [houseKeys.key]
          : [await citizenKeys.keyOf(citizenId), citizenKeys.strangerKeyOf(citizenId)];
      const keys = owners.map((ownerKey) => contentKeyOf(ownerKey, eventId));
      return keys.find((contentKey) => contentOf({ entry, contentKey }) !== undefined);
    },
    checkpointFor: async (index) => {
      const best = await cosigned();
      if (best !== undefined && best.size > index) return best;
      const newest = await signed();
      return newest !== undefined && newest.size > index ? newest : undefined;
    },
    prove: (entry, checkpoint, contentKey) => prover(checkpoint)(entry, contentKey),
    prover,
    growth: (oldSize, size) => consistencyProof({ size, readTile }, oldSize),
  };
}

function entryIn(row: Row): LoggedEntry {
  return {
    index: wholeField(row, 'leaf_index'),
    eventId: idField(row, 'event_id', 'event'),
    at: wholeField(row, 'at'),
    type: textField(row, 'type'),
    clientId: textOrNull(row, 'client_id'),
    number: wholeField(row, 'number'),
    entry: bytesField(row, 'entry'),
    citizenId: textOrNull(row, 'citizen_id'),
  };
}
