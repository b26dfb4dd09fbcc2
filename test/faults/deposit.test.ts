import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BlobStore } from '../../src/documents/blobs/blob-store.ts';
import { sweepBlobs } from '../../src/documents/sweep-blobs.ts';
import { WriteBusy, WriteRefused, WriteUnknown } from '../../src/store/db.ts';
import { citizen, deposited, depositHeadersFor, openDocumentHouse, pdfOf } from '../document-house.ts';
import { engines } from '../engines.ts';

const bytes = pdfOf(30_000);
const asked = { headers: depositHeadersFor(bytes), body: [bytes] };
const endOfTime = Number.MAX_SAFE_INTEGER;
const whenever = { before: endOfTime, rowless: endOfTime };

for (const engine of engines) {
  test(`${engine.name}: a unit that is refused takes its blob along`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    house.wires.write = () => Promise.reject(new WriteRefused('unique', 1, 'there already'));
    await assert.rejects(house.deposit(asked), /row of a deposit was refused/);
    assert.deepEqual(await house.files(), []);
    house.wires.write = () => Promise.reject(new WriteRefused('rows', 0, 'another key'));
    const changed = await house.deposit(asked);
    assert.ok('refusal' in changed && changed.refusal.slug === 'changed-meanwhile');
    assert.deepEqual(await house.files(), []);
    house.wires.write = () => Promise.reject(new WriteBusy('three times'));
    const busy = await house.deposit(asked);
    assert.ok('refusal' in busy && busy.refusal.slug === 'capacity-reduced');
    assert.deepEqual(await house.files(), []);
  });

  test(`${engine.name}: a blob that cannot be taken back is left to the sweep, and the answer is what it would have been`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const { blobs: real, write } = house.wires;
    house.wires.blobs = { ...real, remove: () => Promise.reject(new Error('no answer')) };
    for (const [fault, slug] of [
      [new WriteBusy('three times'), 'capacity-reduced'],
      [new WriteRefused('rows', 0, 'another key'), 'changed-meanwhile'],
    ] as const) {
      house.wires.write = () => Promise.reject(fault);
      const result = await house.deposit(asked);
      assert.equal('refusal' in result && result.refusal.slug, slug);
    }
    assert.deepEqual(house.alarms, ['document-blob-left', 'document-blob-left']);
    house.wires.write = write;
    await Promise.all([deposited(house, bytes), deposited(house, bytes)]);
    const swept = await sweepBlobs({ blobs: real, read: house.db.read }, whenever);
    assert.deepEqual(swept, { broken: 0, orphans: 2, strays: 0 });
  });

  test(`${engine.name}: after an unknown outcome the sweep removes the blob whose row was not written`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, bytes);
    house.wires.write = () => Promise.reject(new WriteUnknown('the line was lost before'));
    const result = await house.deposit(asked);
    assert.ok('refusal' in result && result.refusal.slug === 'outcome-unknown');
    assert.equal((await house.files()).length, 2);
    const parts = { blobs: house.wires.blobs, read: house.db.read };
    assert.deepEqual(await sweepBlobs(parts, { before: 0, rowless: 0 }), { broken: 0, orphans: 0, strays: 0 });
    assert.deepEqual(await sweepBlobs(parts, whenever), { broken: 0, orphans: 1, strays: 0 });
    assert.deepEqual(
      (await house.files()).map(({ path }) => path.slice(-30)),
      [id],
    );
  });

  test(`${engine.name}: after an unknown outcome the sweep keeps the blob whose row was written`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const write = house.wires.write;
    house.wires.write = async (unit) => {
      await write(unit);
      throw new WriteUnknown('the line was lost behind');
    };
    const result = await house.deposit(asked);
    assert.ok('refusal' in result && result.refusal.slug === 'outcome-unknown');
    house.wires.write = write;
    const swept = await sweepBlobs({ blobs: house.wires.blobs, read: house.db.read }, whenever);
    assert.deepEqual(swept, { broken: 0, orphans: 0, strays: 0 });
    const [row] = await house.db.read('select id from document');
    const whole = await house.retrieve(String(row?.['id']));
    assert.ok('status' in whole && whole.bytes.equals(bytes));
  });

  test(`${engine.name}: a blob store that fails, before or behind its own saving, leaves no row and no event`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const real = house.wires.blobs;
    const failing = (put: BlobStore['put']): BlobStore => ({ ...real, put });
    house.wires.blobs = failing(() => Promise.reject(new Error('disk full')));
    await assert.rejects(house.deposit(asked), /disk full/);
    house.wires.blobs = failing(async (name, pieces) => {
      await real.put(name, pieces);
      throw new Error('no answer');
    });
    await assert.rejects(house.deposit(asked), /no answer/);
    assert.deepEqual(await house.db.read('select id from document'), []);
    assert.deepEqual(await house.eventsAbout(citizen), []);
    house.wires.blobs = real;
    await deposited(house, bytes);
    const swept = await sweepBlobs({ blobs: real, read: house.db.read }, whenever);
    assert.deepEqual(swept, { broken: 0, orphans: 1, strays: 0 });
    assert.equal((await house.files()).length, 1);
  });

  test(`${engine.name}: beside a database that knows none of the documents, the sweep removes none of them`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const ids = [await deposited(house, bytes), await deposited(house, bytes), await deposited(house, bytes)];
    const parts = { blobs: house.wires.blobs, read: house.db.read };
    await house.db.write([{ sql: 'delete from document where id <> $1', args: [ids[0] ?? ''] }]);
    assert.deepEqual(await sweepBlobs(parts, whenever), { broken: 0, orphans: 0, strays: 2 });
    await house.db.write([{ sql: 'delete from document' }]);
    assert.deepEqual(await sweepBlobs(parts, whenever), { broken: 0, orphans: 0, strays: 3 });
    assert.equal((await house.files()).length, 3);
  });

  test(`${engine.name}: a blob without a row stays for a time, since the database may have been taken back; that of an erased document goes`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const ids = [await deposited(house, bytes), await deposited(house, bytes), await deposited(house, bytes)];
    const parts = { blobs: house.wires.blobs, read: house.db.read };
    await house.db.write([{ sql: 'delete from document where id = $1', args: [ids[0] ?? ''] }]);
    assert.deepEqual(await sweepBlobs(parts, { ...whenever, rowless: 0 }), { broken: 0, orphans: 0, strays: 0 });
    assert.equal((await house.files()).length, 3);
    await house.db.write([
      {
        sql: `insert into document (id, citizen_id, issuer, created_at, status, erased_at, erasure_event)
          values ($1, $2, 'tax', 1, 'erased', 5, 'evt_1')`,
        args: [ids[0] ?? '', citizen],
      },
    ]);
    assert.deepEqual(await sweepBlobs(parts, { ...whenever, rowless: 0 }), { broken: 0, orphans: 1, strays: 0 });
    assert.equal((await house.files()).length, 2);
  });

  test(`${engine.name}: no byte of a document leaves when its event cannot be stored, and nothing is left open`, async (t) => {
    const house = await openDocumentHouse(t, engine);
    const id = await deposited(house, bytes);
    const reads = { begun: 0, ended: 0 };
    const real = house.wires.blobs;
    house.wires.blobs = {
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
      house.wires.write = () => Promise.reject(fault);
      const result = await house.retrieve(id);
      assert.ok('refusal' in result && ['outcome-unknown', 'capacity-reduced'].includes(result.refusal.slug));
    }
    house.wires.write = () => Promise.reject(new Error('a bug'));
    await assert.rejects(house.retrieve(id, { headers: { range: 'bytes=0-4,9-12' } }), /a bug/);
    assert.deepEqual(reads, { begun: 3, ended: 3 });
  });
}

test('what a crash left of an upload is swept, and a document that is whole is not', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const house = await openDocumentHouse(t, engine);
  await house.deposit(asked);
  await writeFile(join(house.folder, 'documents', 'incoming', house.mint('document')), 'half of a sealed message');
  const swept = await sweepBlobs({ blobs: house.wires.blobs, read: house.db.read }, whenever);
  assert.deepEqual(swept, { broken: 1, orphans: 0, strays: 0 });
  assert.equal((await house.files()).length, 1);
});
