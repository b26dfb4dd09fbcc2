import { signingKeyWrapContext } from '../auth/signing-key-store.ts';
import { rewrapKey } from '../crypto/key-wrapping.ts';
import { type RootKey, rootKeyIdOf } from '../crypto/root-key.ts';
import { beginRotation, endRotation, readRootSecrets } from '../crypto/root-key-file.ts';
import type { Database, Row, Statement } from '../db/database.ts';
import { createMultiRowBuilder } from '../db/multi-row-statement.ts';
import { retireRootKey } from '../db/root-key-store.ts';
import { readRowPages } from '../db/row-pages.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import { CommandFailed } from './command.ts';
import { type CommandContext, eventHead } from './command-context.ts';

/** The dependencies of a rotation; `root` is the root key of the app, which rereads the file on `refresh`. */
export type RotationContext = CommandContext & {
  readonly write: Database['write'];
  readonly root: RootKey;
  readonly rootKeyPath: string;
};

/** The ids of both root keys, and how many keys were wrapped with the new one. */
type RotationResult = {
  readonly from: string;
  readonly to: string;
  readonly citizenKeys: number;
  readonly signingKeys: number;
};

type RootKeyIds = { readonly from: string; readonly to: string };

/** Keys in one write unit. Requests to the same process wait while a unit is wrapped and written, so units are small. */
const pageRows = 512;

/** Whether a rotation has started and is not finished: the file contains two root keys. */
export function isRotationPending(path: string): boolean {
  return readRootSecrets(path).previous !== undefined;
}

/** Adds a new root key to the file. The old one still opens everything. The event is committed before the new key wraps anything. */
export async function prepareRotation(context: RotationContext): Promise<RootKeyIds> {
  beginRotation(context.rootKeyPath, context.random);
  const ids = readRootKeyIds(context);
  await recordStage(context, ids, { stage: 'begun', citizenKeys: 0, signingKeys: 0 });
  return ids;
}

/**
 * Wraps every citizen key and signing key of the old root key with the new one, while the server runs: both root keys open.
 * Each row names its root key, so an interrupted run can be repeated. First the old root key is retired: the database refuses
 * new keys that it has wrapped, so the loop finds all of them.
 */
export async function rewrapAll(
  context: RotationContext,
  onProgress: (citizenKeys: number) => void,
): Promise<RotationResult> {
  const ids = readRootKeyIds(context);
  await context.write([retireRootKey(ids.from)]);
  const signingKeys = await rewrapSigningKeys(context, ids);
  let done = 0;
  const keys = wrappingKeys(context, 'wrap-citizen-keys', ids);
  for await (const rows of citizenKeyPages(context)) {
    const old = rows.filter((row) => row['root_key_id'] === ids.from);
    const unit = rewrapStatements(
      old.map((row) => rewrapCitizenRow(context.random, row, keys)),
      ids,
    );
    if (unit.length > 0) await context.write(unit);
    done += old.length;
    onProgress(done);
  }
  await recordStage(context, ids, { stage: 'wrapped', citizenKeys: done, signingKeys });
  return { ...ids, citizenKeys: done, signingKeys };
}

/** Removes the old root key from the file. Returns the number of keys that it still wraps, if any, and then removes nothing. */
export async function finishRotation(context: RotationContext): Promise<RootKeyIds | { readonly left: number }> {
  const ids = readRootKeyIds(context);
  await context.write([retireRootKey(ids.from)]);
  const old = await context.read('select kid from signing_key where root_key_id <> $1', [ids.to]);
  let left = old.length;
  for await (const rows of citizenKeyPages(context)) left += rows.filter((row) => row['root_key_id'] !== ids.to).length;
  if (left > 0) return { left };
  await recordStage(context, ids, { stage: 'finished', citizenKeys: 0, signingKeys: 0 });
  endRotation(context.rootKeyPath);
  context.root.refresh();
  return ids;
}

function citizenKeyPages({ read }: RotationContext): AsyncIterable<readonly Row[]> {
  const sql =
    'select citizen_id, wrapped, root_key_id from citizen_key where citizen_id > $1 order by citizen_id limit $2';
  return readRowPages(read, sql, { key: 'citizen_id', pageRows });
}

function readRootKeyIds(context: RotationContext): RootKeyIds {
  const { current, previous } = readRootSecrets(context.rootKeyPath);
  if (previous === undefined)
    throw new CommandFailed(
      'Expected a rotation that is not finished, but the file has one root key. To start one, run "citizen-services keys rotate root".',
    );
  context.root.refresh();
  return { from: rootKeyIdOf(previous), to: rootKeyIdOf(current) };
}

function wrappingKeys(
  context: RotationContext,
  purpose: 'wrap-citizen-keys' | 'wrap-signing-keys',
  { from }: RootKeyIds,
) {
  return { from: context.root.deriveForRoot(from, purpose), to: context.root.derive(purpose) };
}

type WrappingKeys = { readonly from: Uint8Array; readonly to: Uint8Array };

/** A citizen id, and its key wrapped with the new root key. */
type RewrappedRow = readonly [string, Uint8Array];

function rewrapCitizenRow(random: RandomBytes, row: Row, keys: WrappingKeys): RewrappedRow {
  const { citizen_id: citizenId, wrapped } = row;
  if (typeof citizenId !== 'string' || !(wrapped instanceof Uint8Array)) throw new TypeError('a citizen key is a row');
  return [citizenId, rewrapKey(keys, wrapped, `citizen ${citizenId}`, random)];
}

const insertRewrapped = createMultiRowBuilder('insert into citizen_key_rewrap (citizen_id, wrapped) values', 2, '');

/**
 * Statements for rows that are sorted by id. They change only keys that the old root key wraps: a key that was destroyed
 * meanwhile is not restored, even if the citizen has a new key. One update for all rows: single updates cost more than wrapping.
 */
function rewrapStatements(rows: readonly RewrappedRow[], { from, to }: RootKeyIds): Statement[] {
  const [first, last] = [rows[0]?.[0], rows.at(-1)?.[0]];
  if (first === undefined || last === undefined) return [];
  return [
    ...insertRewrapped(rows),
    {
      // Without `between` both query planners scan the whole table for each page.
      sql: 'update citizen_key set wrapped = fresh.wrapped, root_key_id = $1 from citizen_key_rewrap fresh where fresh.citizen_id = citizen_key.citizen_id and citizen_key.root_key_id = $2 and citizen_key.citizen_id between $3 and $4',
      args: [to, from, first, last],
    },
    { sql: 'delete from citizen_key_rewrap' },
  ];
}

async function rewrapSigningKeys(context: RotationContext, ids: RootKeyIds): Promise<number> {
  const keys = wrappingKeys(context, 'wrap-signing-keys', ids);
  const rows = await context.read('select kid, use, sealed_private from signing_key where root_key_id = $1', [
    ids.from,
  ]);
  const unit = rows.map((row): Statement => {
    const { kid, use, sealed_private: sealed } = row;
    if (typeof kid !== 'string' || !(sealed instanceof Uint8Array)) throw new TypeError('a signing key is a row');
    const wrapped = rewrapKey(keys, sealed, signingKeyWrapContext(String(use), kid), context.random);
    return {
      sql: 'update signing_key set sealed_private = $2, root_key_id = $3 where kid = $1 and root_key_id = $4',
      args: [kid, wrapped, ids.to, ids.from],
    };
  });
  if (unit.length > 0) await context.write(unit);
  return rows.length;
}

type RotationStage = {
  readonly stage: 'begun' | 'wrapped' | 'finished';
  readonly citizenKeys: number;
  readonly signingKeys: number;
};

async function recordStage(context: RotationContext, ids: RootKeyIds, stage: RotationStage): Promise<void> {
  await context.commit({
    events: [{ type: 'root-key.rotated', ...eventHead(context), ...ids, ...stage }],
    statements: [],
  });
}
