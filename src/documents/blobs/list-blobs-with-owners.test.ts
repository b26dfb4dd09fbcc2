import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import type { Read } from '../../db/database.ts';
import { listBlobsWithOwners } from './list-blobs-with-owners.ts';

const blobs = Array.from({ length: 300 }, (_, at) => ({ name: `doc_${at}`, storedAt: at }));
/** The first and the last of each page, and one that is too new. */
const edges = [0, 127, 128, 255, 256, 298, 299];

for (const engine of engines) {
  test(`${engine.name}: each listed blob has its owner, and six statements read three hundred blobs`, async (t) => {
    const db = await engine.open(t);
    const insert = (sql: string) =>
      edges.map((at) => ({
        sql: `insert into document (id, citizen_id, issuer, created_at, ${sql}`,
        args: [`doc_${at}`],
      }));
    await db.write(insert("status, erased_at, erasure_event) values ($1, 'CZ-1', 'tax', 1, 'erased', 5, 'evt_1')"));
    await db.write([
      {
        sql: "update document set status = 'available', sealed_record = $1, erased_at = null, erasure_event = null where id = 'doc_128'",
        args: [new Uint8Array(8)],
      },
    ]);
    let statements = 0;
    const read: Read = (sql, args) => {
      statements += 1;
      return db.read(sql, args);
    };
    async function* list() {
      yield* blobs;
    }
    const owned = await Array.fromAsync(listBlobsWithOwners({ blobs: { list }, read }, 299));
    const known = new Map([...edges.map((at) => [at, 'erased'] as const), [128, 'held'] as const]);
    assert.deepEqual(
      owned,
      blobs.slice(0, 299).map((blob, at) => ({ ...blob, owner: known.get(at) ?? 'none' })),
    );
    // 128, 128, and 32, 8, 2 and 1 of the last page.
    assert.equal(statements, 6);
  });
}
