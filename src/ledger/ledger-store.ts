import type { Read, Row, Statement } from '../db/database.ts';
import { createMultiRowBuilder, splitByRowCounts, textByRowCount } from '../db/multi-row-statement.ts';
import { bytesField, idField, integerField, textField, textOrNull } from '../db/row-fields.ts';
import type { EventId } from '../kernel/id.ts';
import { hashBytes, leafHash } from './tlog/merkle.ts';
import { tileWidth } from './tlog/tile.ts';
import { type ReadTile, TileMissing } from './tlog/tiled-tree.ts';
import type { ChangedTile } from './tlog/tree-edge.ts';

/** An event that is stored and not yet numbered. `tag` is the pseudonym of its citizen. */
export type PendingEvent = {
  readonly id: EventId;
  readonly at: number;
  readonly type: string;
  readonly clientId: string | null;
  readonly citizenId: string | null;
  readonly tag: Uint8Array | null;
  readonly content: Uint8Array;
};

/** The pending events with an id above `afterId`, oldest first. */
export async function readPendingEvents(read: Read, afterId: string, limit: number): Promise<PendingEvent[]> {
  const rows = await read(
    'select id, at, type, client_id, citizen_id, citizen_tag, content from ledger_event where id > $1 order by id limit $2',
    [afterId, limit],
  );
  return rows.map((row) => ({
    id: idField(row, 'id', 'event'),
    at: integerField(row, 'at'),
    type: textField(row, 'type'),
    clientId: textOrNull(row, 'client_id'),
    citizenId: textOrNull(row, 'citizen_id'),
    tag: row['citizen_tag'] instanceof Uint8Array ? row['citizen_tag'] : null,
    content: bytesField(row, 'content'),
  }));
}

/** The current tree in the database. `fence` is the fencing token of the sequencer that stored it. */
type TreeHead = {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  readonly fence: number;
};

/** The head of the log; undefined before its first start. */
export async function readTreeHead(read: Read): Promise<TreeHead | undefined> {
  const [row] = await read("select origin, size, root, fence from ledger_head where log = 'main'");
  if (row === undefined) return undefined;
  return {
    origin: textField(row, 'origin'),
    size: integerField(row, 'size'),
    root: bytesField(row, 'root'),
    fence: integerField(row, 'fence'),
  };
}

/** Creates the head of a new log; no effect if it exists. */
export function insertTreeHead({ origin, size, root, fence }: TreeHead): Statement {
  return {
    sql: "insert into ledger_head (log, origin, size, root, fence) values ('main', $1, $2, $3, $4) on conflict (log) do nothing",
    args: [origin, size, root, fence],
  };
}

/**
 * Moves the head to the next tree by compare and swap. The unit is refused (`rows`) if the head is another tree, or if a later
 * sequencer has moved it.
 */
export function advanceTreeHead(
  from: Pick<TreeHead, 'size' | 'root'>,
  to: Pick<TreeHead, 'size' | 'root' | 'fence'>,
): Statement {
  return {
    sql: "update ledger_head set size = $3, root = $4, fence = $5 where log = 'main' and size = $1 and root = $2 and fence <= $5 returning size",
    args: [from.size, from.root, to.size, to.root, to.fence],
    rows: 1,
  };
}

/** A numbered entry before it is stored. */
export type NumberedEntry = {
  readonly index: number;
  readonly event: PendingEvent;
  readonly chain: Uint8Array;
  readonly number: number;
  readonly entry: Uint8Array;
};

const insertEntries = createMultiRowBuilder(
  'insert into ledger_entry (leaf_index, event_id, at, type, client_id, citizen_id, chain, number, entry) values',
  9,
  '',
);
const deleteEvents = createMultiRowBuilder('delete from ledger_event where id in (', 1, ')');

/**
 * Clears the citizen ids of citizens who were erased while their entries were being numbered, also if the erasure waited for
 * this unit. It runs after the deletion of the events; $2 is the oldest of them. Usually no erasure is that recent, and no
 * entry is read. It counts, because PostgreSQL may join `exists` with all erasures.
 */
const clearErasedCitizenIdsSql = `update ledger_entry set citizen_id = null where $2 <= (select max(up_to) from citizen_erasure)
  and leaf_index >= $1 and citizen_id is not null
  and 0 < (select count(*) from citizen_erasure e where e.chain = ledger_entry.chain and e.up_to >= ledger_entry.event_id)`;

/** The statements that move events from the inbox to the log, oldest first. */
export function storeEntries(entries: readonly NumberedEntry[]): Statement[] {
  return [
    ...insertEntries(
      entries.map(({ index, event, chain, number, entry }) => {
        return [index, event.id, event.at, event.type, event.clientId, event.citizenId, chain, number, entry];
      }),
    ),
    ...deleteEvents(entries.map(({ event }) => [event.id])),
    ...entries.slice(0, 1).map(({ index, event }) => ({ sql: clearErasedCitizenIdsSql, args: [index, event.id] })),
  ];
}

type ChainEnd = { readonly number: number; readonly leafHash: Uint8Array };

// Each end is looked up by itself, so that the cost does not depend on the length of a chain or on PostgreSQL's statistics. The
// chains are rows of one `values` table: as separate selects they cost half as much again. Its first row selects nothing, and
// gives the column its type.
const lastEntryColumn = (column: string) =>
  `(select ${column} from ledger_entry e where e.chain = wanted.chain order by number desc limit 1) as ${column}`;
const selectEnds = textByRowCount((count) => {
  const rows = Array.from({ length: count }, (_, at) => `($${at + 1}, ${at})`);
  return `with wanted (chain, place) as (
      values ((select root from ledger_head where log = ''), -1), ${rows.join(', ')})
    select place, ${lastEntryColumn('number')}, ${lastEntryColumn('entry')} from wanted where place >= 0`;
});

/** The ends of these chains, in their order; undefined for a chain without entries. */
export async function readChainEnds(read: Read, chains: readonly Uint8Array[]): Promise<(ChainEnd | undefined)[]> {
  const ends: (ChainEnd | undefined)[] = [];
  for (const part of splitByRowCounts(chains)) {
    const found: (ChainEnd | undefined)[] = part.map(() => undefined);
    for (const row of await read(selectEnds(part.length), part)) {
      if (row['number'] === null) continue;
      const entry = bytesField(row, 'entry');
      found[integerField(row, 'place')] = { number: integerField(row, 'number'), leafHash: leafHash(entry) };
    }
    ends.push(...found);
  }
  return ends;
}

/** Stores a new or longer tile. */
export function storeTile({ level, index, hashes }: ChangedTile): Statement {
  return {
    sql: `insert into ledger_tile (level, tile, hashes) values ($1, $2, $3)
      on conflict (level, tile) do update set hashes = excluded.hashes`,
    args: [level, index, hashes],
  };
}

/** Reads tiles from the database. A tile of a smaller tree is a prefix of the present tile. */
export function createTileReader(read: Read): ReadTile {
  return async (level, index, width) => {
    const [row] = await read('select hashes from ledger_tile where level = $1 and tile = $2', [level, index]);
    if (row === undefined) throw new TileMissing(level, index);
    const hashes = bytesField(row, 'hashes').subarray(0, width * hashBytes);
    if (hashes.length !== width * hashBytes) throw new TileMissing(level, index);
    return hashes;
  };
}

/** The leaves of a bundle, in order. */
export async function readBundleEntries(read: Read, index: number, width: number): Promise<Uint8Array[]> {
  const first = index * tileWidth;
  const rows = await read(
    'select entry from ledger_entry where leaf_index >= $1 and leaf_index < $2 order by leaf_index',
    [first, first + width],
  );
  if (rows.length !== width) throw new TileMissing('entries', index);
  return rows.map((row) => bytesField(row, 'entry'));
}

/** A signed checkpoint: its tree, the note with signatures, and its time (epoch ms). */
export type StoredCheckpoint = {
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string;
  readonly at: number;
};
/** Signed by the log alone, or cosigned by a quorum of witnesses. */
type CheckpointKind = 'signed' | 'cosigned';

/** The newest checkpoint of that kind. */
export async function readCheckpoint(read: Read, kind: CheckpointKind): Promise<StoredCheckpoint | undefined> {
  const [row] = await read('select size, root, note, at from ledger_checkpoint where kind = $1', [kind]);
  return row === undefined ? undefined : checkpointFromRow(row);
}

function checkpointFromRow(row: Row): StoredCheckpoint {
  return {
    size: integerField(row, 'size'),
    root: bytesField(row, 'root'),
    note: textField(row, 'note'),
    at: integerField(row, 'at'),
  };
}

/** The published checkpoint of a log with witnesses; undefined before the first request to them. */
export async function readWitnessedCheckpoint(read: Read): Promise<StoredCheckpoint | undefined> {
  const [row] = await read(
    `select size, root, note, at from (
        select size, root, note, at, 1 as rank from ledger_checkpoint where kind = 'cosigned'
        union all select size, root, note, at, 0 from ledger_unwitnessed where log = 'main') published
      order by size desc, rank desc limit 1`,
  );
  return row === undefined ? undefined : checkpointFromRow(row);
}

/**
 * Store it before the first request to witnesses: the checkpoint that is published by then stays published until they respond.
 */
export function storeUnwitnessedCheckpoint(): Statement {
  return {
    sql: `insert into ledger_unwitnessed (log, size, root, note, at)
      select 'main', size, root, note, at from ledger_checkpoint where kind = 'signed' on conflict (log) do nothing`,
  };
}

/** For a log without witnesses: if it gets witnesses again, old cosigned checkpoints must not be published. */
export function deleteWitnessedCheckpoints(): Statement[] {
  return [
    { sql: "delete from ledger_checkpoint where kind = 'cosigned'" },
    { sql: "delete from ledger_unwitnessed where log = 'main'" },
  ];
}

/** Makes a checkpoint the newest one. No effect if a larger one, or a different one of its size, is stored. */
export function storeCheckpoint(kind: CheckpointKind, { size, root, note, at }: StoredCheckpoint): Statement {
  return {
    sql: `insert into ledger_checkpoint (kind, size, root, note, at) values ($1, $2, $3, $4, $5)
      on conflict (kind) do update set size = excluded.size, root = excluded.root, note = excluded.note, at = excluded.at
      where ledger_checkpoint.size < excluded.size
        or (ledger_checkpoint.size = excluded.size and ledger_checkpoint.root = excluded.root)
      returning size`,
    args: [kind, size, root, note, at],
  };
}
