import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { WriteBusy, WriteRefused, WriteUnknown } from '../../src/db/database.ts';
import type { BlobStore } from '../../src/documents/blobs/blob-store.ts';
import { sweepBlobs } from '../../src/documents/blobs/sweep-blobs.ts';
import { engines } from '../support/database-engines.ts';
import {
  depositDocumentOf,
  depositHeadersOf,
  makePdf,
  openDocumentApp,
  testCitizenId,
} from '../support/document-app.ts';

const bytes = makePdf(30_000);
const asked = { headers: depositHeadersOf(bytes), body: [bytes] };
const endOfTime = Number.MAX_SAFE_INTEGER;
const whenever = { before: endOfTime, rowless: endOfTime };

for (const engine of engines) {
  test(`${engine.name}: a deposit whose write unit is refused leaves no blob`, async (t) => {
    const app = await openDocumentApp(t, engine);
    app.wires.write = () => Promise.reject(new WriteRefused('unique', 1, 'there already'));
    await assert.rejects(app.deposit(asked), /row of a deposit was refused/);
    assert.deepEqual(await app.files(), []);
    app.wires.write = () => Promise.reject(new WriteRefused('rows', 0, 'another key'));
    const changed = await app.deposit(asked);
    assert.ok('refusal' in changed && changed.refusal.slug === 'changed-meanwhile');
    assert.deepEqual(await app.files(), []);
    app.wires.write = () => Promise.reject(new WriteBusy('three times'));
    const busy = await app.deposit(asked);
    assert.ok('refusal' in busy && busy.refusal.slug === 'capacity-reduced');
    assert.deepEqual(await app.files(), []);
  });

  test(`${engine.name}: a refused deposit whose blob cannot be removed gets the same answer, and the sweep removes the blob later`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const { blobs: real, write } = app.wires;
    app.wires.blobs = { ...real, remove: () => Promise.reject(new Error('no answer')) };
    for (const [fault, slug] of [
      [new WriteBusy('three times'), 'capacity-reduced'],
      [new WriteRefused('rows', 0, 'another key'), 'changed-meanwhile'],
    ] as const) {
      app.wires.write = () => Promise.reject(fault);
      const result = await app.deposit(asked);
      assert.equal('refusal' in result && result.refusal.slug, slug);
    }
    assert.deepEqual(app.alarms, ['document-blob-left', 'document-blob-left']);
    app.wires.write = write;
    await Promise.all([depositDocumentOf(app, bytes), depositDocumentOf(app, bytes)]);
    const swept = await sweepBlobs({ blobs: real, read: app.db.read }, whenever);
    assert.deepEqual(swept, { broken: 0, orphans: 2, strays: 0 });
  });

  test(`${engine.name}: after an unknown outcome the sweep removes a blob whose row was not written`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, bytes);
    app.wires.write = () => Promise.reject(new WriteUnknown('the line was lost before'));
    const result = await app.deposit(asked);
    assert.ok('refusal' in result && result.refusal.slug === 'outcome-unknown');
    assert.equal((await app.files()).length, 2);
    const parts = { blobs: app.wires.blobs, read: app.db.read };
    assert.deepEqual(await sweepBlobs(parts, { before: 0, rowless: 0 }), { broken: 0, orphans: 0, strays: 0 });
    assert.deepEqual(await sweepBlobs(parts, whenever), { broken: 0, orphans: 1, strays: 0 });
    assert.deepEqual(
      (await app.files()).map(({ path }) => path.slice(-30)),
      [id],
    );
  });

  test(`${engine.name}: after an unknown outcome the sweep keeps a blob whose row was written`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const write = app.wires.write;
    app.wires.write = async (unit) => {
      await write(unit);
      throw new WriteUnknown('the connection was lost');
    };
    const result = await app.deposit(asked);
    assert.ok('refusal' in result && result.refusal.slug === 'outcome-unknown');
    app.wires.write = write;
    const swept = await sweepBlobs({ blobs: app.wires.blobs, read: app.db.read }, whenever);
    assert.deepEqual(swept, { broken: 0, orphans: 0, strays: 0 });
    const [row] = await app.db.read('select id from document');
    const whole = await app.retrieve(String(row?.['id']));
    assert.ok('status' in whole && whole.bytes.equals(bytes));
  });

  test(`${engine.name}: a blob store that fails, before or after it saved, leaves no row and no event`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const real = app.wires.blobs;
    const failing = (put: BlobStore['put']): BlobStore => ({ ...real, put });
    app.wires.blobs = failing(() => Promise.reject(new Error('disk full')));
    await assert.rejects(app.deposit(asked), /disk full/);
    app.wires.blobs = failing(async (name, pieces) => {
      await real.put(name, pieces);
      throw new Error('no answer');
    });
    await assert.rejects(app.deposit(asked), /no answer/);
    assert.deepEqual(await app.db.read('select id from document'), []);
    assert.deepEqual(await app.eventsAbout(testCitizenId), []);
    app.wires.blobs = real;
    await depositDocumentOf(app, bytes);
    const swept = await sweepBlobs({ blobs: real, read: app.db.read }, whenever);
    assert.deepEqual(swept, { broken: 0, orphans: 1, strays: 0 });
    assert.equal((await app.files()).length, 1);
  });

  test(`${engine.name}: the sweep removes no blob if the database has none of the documents`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const ids = [
      await depositDocumentOf(app, bytes),
      await depositDocumentOf(app, bytes),
      await depositDocumentOf(app, bytes),
    ];
    const parts = { blobs: app.wires.blobs, read: app.db.read };
    await app.db.write([{ sql: 'delete from document where id <> $1', args: [ids[0] ?? ''] }]);
    assert.deepEqual(await sweepBlobs(parts, whenever), { broken: 0, orphans: 0, strays: 2 });
    await app.db.write([{ sql: 'delete from document' }]);
    assert.deepEqual(await sweepBlobs(parts, whenever), { broken: 0, orphans: 0, strays: 3 });
    assert.equal((await app.files()).length, 3);
  });

  test(`${engine.name}: the sweep keeps a blob without a row for a time, and removes the blob of an erased document`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const ids = [
      await depositDocumentOf(app, bytes),
      await depositDocumentOf(app, bytes),
      await depositDocumentOf(app, bytes),
    ];
    const parts = { blobs: app.wires.blobs, read: app.db.read };
    await app.db.write([{ sql: 'delete from document where id = $1', args: [ids[0] ?? ''] }]);
    assert.deepEqual(await sweepBlobs(parts, { ...whenever, rowless: 0 }), { broken: 0, orphans: 0, strays: 0 });
    assert.equal((await app.files()).length, 3);
    await app.db.write([
      {
        sql: `insert into document (id, citizen_id, issuer, created_at, status, erased_at, erasure_event)
          values ($1, $2, 'tax', 1, 'erased', 5, 'evt_1')`,
        args: [ids[0] ?? '', testCitizenId],
      },
    ]);
    assert.deepEqual(await sweepBlobs(parts, { ...whenever, rowless: 0 }), { broken: 0, orphans: 1, strays: 0 });
    assert.equal((await app.files()).length, 2);
  });

  test(`${engine.name}: no byte of a document is sent if its event cannot be stored, and no reader stays open`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, bytes);
    const reads = { begun: 0, ended: 0 };
    const real = app.wires.blobs;
    app.wires.blobs = {
      ...real,
      read: async function* (name, part) {
        reads.begun += 1;
        try {
          yield* real.read(name, part);
        } finally {
          reads.ended += 1;
        }
      },
    };
    for (const fault of [new WriteUnknown('the line was lost'), new WriteBusy('three times')]) {
      app.wires.write = () => Promise.reject(fault);
      const result = await app.retrieve(id);
      assert.ok('refusal' in result && ['outcome-unknown', 'capacity-reduced'].includes(result.refusal.slug));
    }
    app.wires.write = () => Promise.reject(new Error('a bug'));
    await assert.rejects(app.retrieve(id, { headers: { range: 'bytes=0-4,9-12' } }), /a bug/);
    assert.deepEqual(reads, { begun: 3, ended: 3 });
  });
}

test('the sweep removes the incomplete upload of a crash, and no complete document', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const app = await openDocumentApp(t, engine);
  await app.deposit(asked);
  await writeFile(join(app.folder, 'documents', 'incoming', app.createId('document')), 'half of a sealed message');
  const swept = await sweepBlobs({ blobs: app.wires.blobs, read: app.db.read }, whenever);
  assert.deepEqual(swept, { broken: 1, orphans: 0, strays: 0 });
  assert.equal((await app.files()).length, 1);
});
