import type { Read, Row, Statement } from '../db/database.ts';
import { createMultiRowBuilder, splitByRowCounts, textByRowCount } from '../db/multi-row-statement.ts';
import { bytesField, idField, integerField, textField, textOrNull } from '../db/row-fields.ts';
import type { EventId } from '../kernel/id.ts';
import { hashBytes, leafHash } from './tlog/merkle.ts';
import { tileWidth } from './tlog/tile.ts';
import { type ReadTile, TileMissing } from './tlog/tiled-tree.ts';
import type { ChangedTile } from './tlog/tree-edge.ts';

/** An event that is durable and has no number yet. */
export type PendingEvent = {
  readonly id: EventId;
  readonly at: number;
  readonly type: string;
  readonly clientId: string | null;
  readonly citizenId: string | null;
  readonly tag: Uint8Array | null;
  readonly content: Uint8Array;
};

/** The events with an id above `afterId` that wait for a number, the oldest first. */
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

/** What the tree is now. `fence` is the lease of the sequencer that moved it last. */
export type TreeHead = {
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

/** The statement that begins a log; harmless where there is one. */
export function insertTreeHead({ origin, size, root, fence }: TreeHead): Statement {
  return {
    sql: "insert into ledger_head (log, origin, size, root, fence) values ('main', $1, $2, $3, $4) on conflict (log) do nothing",
    args: [origin, size, root, fence],
  };
}

/**
 * The statement that moves the head from one tree to the next, by compare and swap: the unit is refused (`rows`) where the
 * head is not that tree, or where a later sequencer has moved it.
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

/** An entry on its way into the log. */
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
 * The names of those who were erased while their entries were on their way go, also where that waited for this unit: it
 * stands behind the taking of the events, of which $2 is the oldest. Hardly ever does an erasure reach so far: then no entry is
 * looked at. Counted, since PostgreSQL may join `exists` with all erasures.
 */
const clearErasedCitizenIdsSql = `update ledger_entry set citizen_id = null where $2 <= (select max(up_to) from citizen_erasure)
  and leaf_index >= $1 and citizen_id is not null
  and 0 < (select count(*) from citizen_erasure e where e.chain = ledger_entry.chain and e.up_to >= ledger_entry.event_id)`;

/** The statements that take events out of the inbox and into the log, the oldest first. */
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

/** The last entry of a chain. */
export type ChainEnd = { readonly number: number; readonly leafHash: Uint8Array };

// Each end is looked up by itself, so that it costs the same in a chain of any length, and however PostgreSQL sees the table. The
// chains are rows of one small table: as many selects, put together, cost half as much again. Its first row, of none, says
// that they are bytes.
const lastEntryColumn = (column: string) =>
  `(select ${column} from ledger_entry e where e.chain = wanted.chain order by number desc limit 1) as ${column}`;
const selectEnds = textByRowCount((count) => {
  const rows = Array.from({ length: count }, (_, at) => `($${at + 1}, ${at})`);
  return `with wanted (chain, place) as (
      values ((select root from ledger_head where log = ''), -1), ${rows.join(', ')})
    select place, ${lastEntryColumn('number')}, ${lastEntryColumn('entry')} from wanted where place >= 0`;
});

/** The ends of these chains, each at the place of its chain, undefined where the chain has no entry yet. */
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

/** The statement that stores a tile, or what it grew to. */
export function storeTile({ level, index, hashes }: ChangedTile): Statement {
  return {
    sql: `insert into ledger_tile (level, tile, hashes) values ($1, $2, $3)
      on conflict (level, tile) do update set hashes = excluded.hashes`,
    args: [level, index, hashes],
  };
}

/** Reads tiles of the database. What a tile was at a smaller size is the beginning of what it is now. */
export function createTileReader(read: Read): ReadTile {
  return async (level, index, width) => {
    const [row] = await read('select hashes from ledger_tile where level = $1 and tile = $2', [level, index]);
    if (row === undefined) throw new TileMissing(level, index);
    const hashes = bytesField(row, 'hashes').subarray(0, width * hashBytes);
    if (hashes.length !== width * hashBytes) throw new TileMissing(level, index);
    return hashes;
  };
}

/** The leaves of a bundle, in their order. */
export async function readBundleEntries(read: Read, index: number, width: number): Promise<Uint8Array[]> {
  const first = index * tileWidth;
  const rows = await read(
    'select entry from ledger_entry where leaf_index >= $1 and leaf_index < $2 order by leaf_index',
    [first, first + width],
  );
  if (rows.length !== width) throw new TileMissing('entries', index);
  return rows.map((row) => bytesField(row, 'entry'));
}

/** A checkpoint that was signed: what it says, the note with its signatures, and when. */
export type StoredCheckpoint = {
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string;
  readonly at: number;
};
export type CheckpointKind = 'signed' | 'cosigned';

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

/** What a log with witnesses publishes; undefined before they were asked for the first time. */
export async function readWitnessedCheckpoint(read: Read): Promise<StoredCheckpoint | undefined> {
  const [row] = await read(
    `select size, root, note, at from (
        select size, root, note, at, 1 as rank from ledger_checkpoint where kind = 'cosigned'
        union all select size, root, note, at, 0 from ledger_unwitnessed where log = 'main') published
      order by size desc, rank desc limit 1`,
  );
  return row === undefined ? undefined : checkpointFromRow(row);
}

/** The statement to be stored before the first witness is asked: what is published by then stays so until they have answered. */
export function storeUnwitnessedCheckpoint(): Statement {
  return {
    sql: `insert into ledger_unwitnessed (log, size, root, note, at)
      select 'main', size, root, note, at from ledger_checkpoint where kind = 'signed' on conflict (log) do nothing`,
  };
}

/** The statements for a log without witnesses: should it have some again, what they cosigned once is not published anew. */
export function deleteWitnessedCheckpoints(): Statement[] {
  return [
    { sql: "delete from ledger_checkpoint where kind = 'cosigned'" },
    { sql: "delete from ledger_unwitnessed where log = 'main'" },
  ];
}

/** The statement that makes a checkpoint the newest; it changes nothing where a larger one, or another of its size, is. */
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
