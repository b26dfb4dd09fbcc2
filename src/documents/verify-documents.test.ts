import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { depositDocumentOf, makePdf, openDocumentApp } from '../../test/support/document-app.ts';
import type { SqlValue, Statement } from '../db/database.ts';
import { BlobBroken } from './blobs/blob-store.ts';
import { type DocumentFinding, verifyDocuments } from './verify-documents.ts';

/** Two full pages and one row more. */
const rows = 401;
/** The first and the last of each page. */
const edges = [0, 199, 200, 399, 400];

const faults: readonly (readonly [fault: DocumentFinding['fault'], make: (id: string) => Statement])[] = [
  ['grant-on-erased', (id) => put('document_grant', { document_id: id, client_id: 'c', purpose: 'p', granted_at: 1 })],
  ['waits-for-no-scan', (id) => setStatus(id, { status: 'scanning', holds: 1 })],
  ['holds-miscounted', (id) => setStatus(id, { status: 'available', holds: 0 })],
];

function put(table: string, row: Readonly<Record<string, SqlValue>>): Statement {
  const places = Object.keys(row).map((_, at) => `$${at + 1}`);
  return {
    sql: `insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')})`,
    args: Object.values(row),
  };
}

function setStatus(id: string, { status, holds }: { readonly status: string; readonly holds: number }): Statement {
  const sql = 'update document set status = $2, holds = $3, sealed_record = $4 where id = $1';
  return { sql, args: [id, status, holds, new Uint8Array(8)] };
}

for (const engine of engines) {
  test(`${engine.name}: inconsistent rows are reported on each page of a verification, from its first row to its last`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const ids = Array.from({ length: rows }, () => app.deletionDeps.createId('document')).sort();
    const erased = {
      citizen_id: 'CZ-1',
      issuer: 'c',
      status: 'erased',
      created_at: 1,
      erased_at: 1,
      erasure_event: 'e',
    };
    await app.db.write(ids.map((id) => put('document', { id, ...erased })));
    // One active hold, and a released one, which does not count.
    const hold = (document_id: string, at: number) => [
      put('document_hold', { id: `hld_${at}`, citizen_id: 'CZ-1', document_id, placed_at: 1 }),
      put('document_hold', { id: `hld_${at}_ended`, citizen_id: 'CZ-1', document_id, placed_at: 1, released_at: 2 }),
    ];
    const some = edges.map((at) => ids[at] ?? assert.fail());
    await app.db.write(some.flatMap(hold));
    for (const [fault, make] of faults) {
      await app.db.write(some.map(make));
      const found: DocumentFinding[] = [];
      const done = await verifyDocuments({
        ...app.deletionDeps,
        readBytes: false,
        before: 0,
        onProgress: () => undefined,
        onFinding: (finding) => found.push(finding),
      });
      assert.equal(done.documents, rows);
      // The records of these rows are not valid.
      const relevant = found.filter((finding) => finding.fault !== 'record-broken');
      assert.deepEqual(
        relevant.map((finding) => [finding.id, finding.fault]),
        some.map((id) => [id, fault]),
      );
    }
  });
}

test('documents are read concurrently and reported in the order of their ids', async (t) => {
  const app = await openDocumentApp(t, engines[0] ?? assert.fail());
  const ids: string[] = [];
  for (let at = 0; at < 10; at += 1) ids.push(await depositDocumentOf(app, makePdf(100)));
  const { promise: eight, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const blobs = {
    ...app.ports.blobs,
    // The first one ends after the others.
    read: async function* () {
      begun += 1;
      if (begun === 8) resolve();
      await eight;
      yield* [];
      throw new BlobBroken('gone');
    },
  };
  const found: DocumentFinding[] = [];
  const done = await verifyDocuments({
    ...app.deletionDeps,
    ports: { ...app.ports, blobs },
    readBytes: true,
    before: 0,
    onProgress: () => undefined,
    onFinding: (finding) => found.push(finding),
  });
  assert.deepEqual(
    found.map(({ id, fault }) => [id, fault]),
    ids.sort().map((id) => [id, 'blob-missing']),
  );
  assert.deepEqual(done, { documents: 10, bytes: 0, findings: 10 });
});

test('a verification that fails waits until no document is being read', async (t) => {
  const app = await openDocumentApp(t, engines[0] ?? assert.fail());
  for (let at = 0; at < 8; at += 1) await depositDocumentOf(app, makePdf(100));
  const { promise: late, resolve } = Promise.withResolvers<void>();
  let [begun, ended] = [0, 0];
  const blobs = {
    ...app.ports.blobs,
    read: async function* () {
      begun += 1;
      const isFirst = begun === 1;
      // The first one fails at once, the others long after its fault could have ended the run.
      if (begun === 8) setImmediate(() => setImmediate(resolve));
      if (!isFirst) await late;
      ended += 1;
      yield* [];
      throw new Error('the store is gone');
    },
  };
  const verifying = verifyDocuments({
    ...app.deletionDeps,
    ports: { ...app.ports, blobs },
    readBytes: true,
    before: 0,
    onProgress: () => undefined,
    onFinding: () => undefined,
  });
  await assert.rejects(verifying, /the store is gone/);
  assert.deepEqual([begun, ended], [8, 8]);
});
