import { boundTo } from '../access/signing-key-store.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import type { Mint } from '../kernel/id.ts';
import type { RootKey } from '../keys/root-key.ts';
import { rootIdOf } from '../keys/root-key.ts';
import { beginRotation, endRotation, readRootSecrets } from '../keys/root-key-file.ts';
import { drawnAtOnce, rewrapKey, wrapNonceBytes } from '../keys/wrap.ts';
import type { Commit } from '../ledger/commit.ts';
import type { Db, Read, Row, Statement } from '../store/db.ts';
import { createMultiRow } from '../store/multi-row.ts';
import { rootRetirement } from '../store/root-key-store.ts';

/** What a rotation works on; `root` is that of the house, which takes the new file over. */
export type RotationRoom = {
  readonly read: Read;
  readonly write: Db['write'];
  readonly commit: Commit;
  readonly clock: Clock;
  readonly random: Random;
  readonly mint: Mint;
  readonly root: RootKey;
  readonly rootKeyPath: string;
  readonly operator: string;
};

export type Rotated = {
  readonly from: string;
  readonly to: string;
  readonly citizenKeys: number;
  readonly signingKeys: number;
};

type Ends = { readonly from: string; readonly to: string };

/**
 * Keys read, wrapped anew and written in one unit. What a server answers waits behind such a unit, and behind its wrapping: they are
 * small, and one is written before the next is read.
 */
const pageSize = 512;

/** Whether a rotation was begun and not finished. */
export function rotationUnderWay(path: string): boolean {
  return readRootSecrets(path).previous !== undefined;
}

/** Puts a new root into the file, beside the old one, which still opens everything; recorded before anything is wrapped by it. */
export async function prepareRotation(room: RotationRoom): Promise<Ends> {
  beginRotation(room.rootKeyPath, room.random);
  const ends = endsOf(room);
  await record(room, ends, { stage: 'begun', citizenKeys: 0, signingKeys: 0 });
  return ends;
}

/**
 * Wraps every citizen key and signing key anew that the old root has wrapped, while the server goes on: what it reads
 * opens under either. Stopped anywhere and begun again it goes on, since each row says which root has wrapped it. From now on the
 * old root wraps nothing more: a key that it has wrapped is stored before, and found here, or not at all.
 */
export async function rewrapAll(room: RotationRoom, onProgress: (citizenKeys: number) => void): Promise<Rotated> {
  const ends = endsOf(room);
  await room.write([rootRetirement(ends.from)]);
  const signingKeys = await rewrapSigningKeys(room, ends);
  let done = 0;
  const keys = wrapping(room, 'wrap-citizen-keys', ends);
  for (let after = ''; ; ) {
    const rows = await room.read(
      'select citizen_id, wrapped, root_key_id from citizen_key where citizen_id > $1 order by citizen_id limit $2',
      [after, pageSize],
    );
    const old = rows.filter((row) => row['root_key_id'] === ends.from);
    const drawn = drawnAtOnce(room.random, old.length * wrapNonceBytes);
    const unit = updatesOf(
      old.map((row) => citizenRow(drawn, row, keys)),
      ends,
    );
    if (unit.length > 0) await room.write(unit);
    done += old.length;
    onProgress(done);
    const last = rows.at(-1)?.['citizen_id'];
    if (last === undefined || rows.length < pageSize) break;
    after = String(last);
  }
  await record(room, ends, { stage: 'wrapped', citizenKeys: done, signingKeys });
  return { ...ends, citizenKeys: done, signingKeys };
}

/** Takes the old root out of the file; refuses while it still wraps anything. */
export async function finishRotation(room: RotationRoom): Promise<Ends | { readonly left: number }> {
  const ends = endsOf(room);
  await room.write([rootRetirement(ends.from)]);
  const old = await room.read('select kid from signing_key where root_key_id <> $1', [ends.to]);
  const left = old.length + (await countOld(room, ends.to));
  if (left > 0) return { left };
  await record(room, ends, { stage: 'finished', citizenKeys: 0, signingKeys: 0 });
  endRotation(room.rootKeyPath);
  room.root.refresh();
  return ends;
}

/** How many citizen keys that root has not wrapped. Page by page: a server would answer nobody while all are counted at once. */
async function countOld({ read }: RotationRoom, to: string): Promise<number> {
  let old = 0;
  for (let after = ''; ; ) {
    const rows = await read(
      'select citizen_id, root_key_id from citizen_key where citizen_id > $1 order by citizen_id limit $2',
      [after, pageSize],
    );
    old += rows.filter((row) => row['root_key_id'] !== to).length;
    const last = rows.at(-1)?.['citizen_id'];
    if (last === undefined || rows.length < pageSize) return old;
    after = String(last);
  }
}

function endsOf(room: RotationRoom): Ends {
  const { current, previous } = readRootSecrets(room.rootKeyPath);
  if (previous === undefined)
    throw new Error('no rotation is under way; begin one with: citizen-services keys rotate-root');
  room.root.refresh();
  return { from: rootIdOf(previous), to: rootIdOf(current) };
}

function wrapping(room: RotationRoom, purpose: 'wrap-citizen-keys' | 'wrap-signing-keys', { from }: Ends) {
  return { from: room.root.ofRoot(from, purpose), to: room.root.derive(purpose) };
}

type Pair = { readonly from: Uint8Array; readonly to: Uint8Array };

/** An id, and its key wrapped anew. */
type FreshRow = readonly [string, Uint8Array];

function citizenRow(random: Random, row: Row, keys: Pair): FreshRow {
  const { citizen_id: citizenId, wrapped } = row;
  if (typeof citizenId !== 'string' || !(wrapped instanceof Uint8Array)) throw new TypeError('a citizen key is a row');
  return [citizenId, rewrapKey(keys, wrapped, `citizen ${citizenId}`, random)];
}

const insertFresh = createMultiRow('insert into citizen_key_rewrap (citizen_id, wrapped) values', 2, '');

/**
 * For rows in the order of their ids. Changes what the old root has wrapped, and nothing else: a key that was destroyed in the meantime
 * does not come back, also where the citizen has. All at once, for a statement for each row costs more than its wrapping.
 */
function updatesOf(rows: readonly FreshRow[], { from, to }: Ends): Statement[] {
  const [first, last] = [rows[0]?.[0], rows.at(-1)?.[0]];
  if (first === undefined || last === undefined) return [];
  return [
    ...insertFresh(rows),
    {
      // The bounds are for the planners: without them the whole table would be gone through for each page.
      sql: 'update citizen_key set wrapped = fresh.wrapped, root_key_id = $1 from citizen_key_rewrap fresh where fresh.citizen_id = citizen_key.citizen_id and citizen_key.root_key_id = $2 and citizen_key.citizen_id between $3 and $4',
      args: [to, from, first, last],
    },
    { sql: 'delete from citizen_key_rewrap' },
  ];
}

async function rewrapSigningKeys(room: RotationRoom, ends: Ends): Promise<number> {
  const keys = wrapping(room, 'wrap-signing-keys', ends);
  const rows = await room.read('select kid, use, sealed_private from signing_key where root_key_id = $1', [ends.from]);
  const unit = rows.map((row): Statement => {
    const { kid, use, sealed_private: sealed } = row;
    if (typeof kid !== 'string' || !(sealed instanceof Uint8Array)) throw new TypeError('a signing key is a row');
    const wrapped = rewrapKey(keys, sealed, boundTo(String(use), kid), room.random);
    return {
      sql: 'update signing_key set sealed_private = $2, root_key_id = $3 where kid = $1 and root_key_id = $4',
      args: [kid, wrapped, ends.to, ends.from],
    };
  });
  if (unit.length > 0) await room.write(unit);
  return rows.length;
}

type Stage = {
  readonly stage: 'begun' | 'wrapped' | 'finished';
  readonly citizenKeys: number;
  readonly signingKeys: number;
};

async function record(room: RotationRoom, ends: Ends, stage: Stage): Promise<void> {
  const head = { type: 'root-key.rotated', id: room.mint('event'), at: room.clock.now() } as const;
  await room.commit({ events: [{ ...head, actor: { operator: room.operator }, ...ends, ...stage }], statements: [] });
}
