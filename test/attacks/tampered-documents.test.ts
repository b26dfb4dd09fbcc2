import assert from 'node:assert/strict';
import { readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { SealBroken } from '../../src/crypto/chunked-encryption.ts';
import { verifyDocuments } from '../../src/documents/verify-documents.ts';
import { engines } from '../support/database-engines.ts';
import {
  type DocumentApp,
  type DocumentRequest,
  depositDocumentOf,
  makePdf,
  openDocumentApp,
  otherCitizenId,
  testCitizenId,
} from '../support/document-app.ts';

/** The path and the bytes of the blob of the only document. */
async function blobOf(app: DocumentApp) {
  const [file] = await app.files();
  assert.ok(file !== undefined);
  return { path: join(app.folder, file.path), bytes: file.bytes };
}

/** The name of the problem with which the document is refused. */
async function slugOf(app: DocumentApp, id: string, asked: DocumentRequest = {}) {
  const got = await app.retrieve(id, asked);
  return 'refusal' in got ? got.refusal.slug : undefined;
}

const flipped = (bytes: Buffer, at: number) => {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at);
  return changed;
};

for (const engine of engines) {
  test(`${engine.name}: after a flipped bit in the blob no wrong byte is sent, and the fault is logged`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const plain = makePdf(2_200_000);
    const id = await depositDocumentOf(app, plain);
    const { path, bytes } = await blobOf(app);
    const places = [
      0,
      23,
      24,
      55,
      56,
      16_455,
      16_456,
      700_000,
      1_049_700,
      2_000_000,
      bytes.length - 17,
      bytes.length - 1,
    ];
    for (const [count, at] of places.entries()) {
      await writeFile(path, flipped(bytes, at));
      const got = await app.retrieve(id);
      // A fault in the first chunk gives a refusal. A later fault ends the response after a correct prefix of the document.
      if ('refusal' in got) assert.equal(got.refusal.slug, 'document-unreadable', `byte ${at}`);
      else {
        assert.ok('broke' in got && got.broke instanceof SealBroken, `byte ${at}`);
        assert.ok(at > 1_048_576 && got.bytes.equals(plain.subarray(0, got.bytes.length)), `byte ${at}`);
      }
      assert.deepEqual(app.alarms, Array(count + 1).fill('document-bytes-broken'));
    }
    await writeFile(path, bytes);
    const whole = await app.retrieve(id);
    assert.ok('status' in whole && whole.bytes.equals(plain));
  });

  test(`${engine.name}: a truncated, extended, exchanged or missing blob is refused before the first byte`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(40_000));
    const { path, bytes } = await blobOf(app);
    const other = await depositDocumentOf(app, makePdf(40_000));
    const otherPath = join(app.folder, (await app.files()).find(({ path }) => path.endsWith(other))?.path ?? '');
    const damages = [
      () => truncate(path, bytes.length - 1),
      () => truncate(path, 16_456),
      () => writeFile(path, Buffer.concat([bytes, Buffer.alloc(1)])),
      () => rename(otherPath, path),
      () => rm(path),
    ];
    for (const [count, damage] of damages.entries()) {
      await writeFile(path, bytes);
      await damage();
      for (const asked of [{}, { headers: { range: 'bytes=20000-20001' } }, { method: 'HEAD' }]) {
        assert.equal(await slugOf(app, id, asked), 'document-unreadable', `${count}`);
      }
      assert.equal(app.alarms.length, 3 * count + 3);
    }
  });

  test(`${engine.name}: a document with an edited row is refused and logged, and opens again after the row is restored`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const bytes = makePdf(1_000);
    const id = await depositDocumentOf(app, bytes);
    const other = await depositDocumentOf(app, makePdf(1_000));
    const [row] = await app.db.read(
      'select citizen_id, issuer, created_at, sealed_record from document where id = $1',
      [id],
    );
    const [foreign] = await app.db.read('select sealed_record from document where id = $1', [other]);
    assert.ok(row !== undefined && foreign !== undefined && row['sealed_record'] instanceof Uint8Array);
    const record = Buffer.from(row['sealed_record']);
    const edits = [
      { ...row, citizen_id: otherCitizenId },
      { ...row, created_at: Number(row['created_at']) + 1 },
      { ...row, sealed_record: foreign['sealed_record'] ?? null },
      ...[0, 24, 60, record.length - 1].map((at) => ({ ...row, sealed_record: flipped(record, at) })),
    ];
    const write = (values: typeof row) =>
      app.db.write([
        {
          sql: 'update document set citizen_id = $2, issuer = $3, created_at = $4, sealed_record = $5 where id = $1',
          args: [id, ...['citizen_id', 'issuer', 'created_at', 'sealed_record'].map((name) => values[name] ?? null)],
        },
      ]);
    for (const [count, edit] of edits.entries()) {
      await write(edit);
      assert.equal(await slugOf(app, id), 'document-unreadable');
      assert.deepEqual(app.alarms, Array(count + 1).fill('document-record-broken'));
    }
    await write({ ...row, issuer: 'thief' });
    assert.equal(await slugOf(app, id, { client: 'thief' }), 'document-unreadable');
    await write(row);
    const events = (await app.eventsAbout(testCitizenId)).filter(({ type }) => type === 'document.refused');
    assert.equal(events.length, edits.length);
    const whole = await app.retrieve(id);
    assert.ok('status' in whole && whole.bytes.equals(bytes));
  });

  test(`${engine.name}: without the citizen's key neither record nor document opens`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(1_000));
    await app.db.write([{ sql: 'delete from citizen_key' }]);
    app.forgetKeys();
    assert.equal(await slugOf(app, id), 'document-unreadable');
    const record = await app.readRecord(id);
    assert.equal('refusal' in record && record.refusal.slug, 'document-unreadable');
  });

  test(`${engine.name}: documents verify reports each damaged blob and record, and changes nothing`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) ids.push(await depositDocumentOf(app, makePdf(40_000)));
    const [flippedId, cutId, goneId, editedId, movedId, stuckId, whole] = ids;
    const paths = new Map((await app.files()).map(({ path }) => [path.slice(-30), join(app.folder, path)]));
    const pathOf = (id: string | undefined) => paths.get(id ?? '') ?? '';
    await writeFile(pathOf(flippedId), flipped(await readFile(pathOf(flippedId)), 20_000));
    await truncate(pathOf(cutId), 30_000);
    await rm(pathOf(goneId));
    await writeFile(join(pathOf(whole), '..', app.createId('document')), 'stray');
    await app.db.write([
      { sql: 'update document set created_at = 1 where id = $1', args: [editedId ?? ''] },
      { sql: 'update document set citizen_id = $2 where id = $1', args: [movedId ?? '', otherCitizenId] },
      { sql: "update document set status = 'scanning' where id = $1", args: [stuckId ?? ''] },
    ]);
    const before = [await app.files(), await app.db.read('select * from document order by id')];
    for (const readBytes of [true, false]) {
      const found: string[] = [];
      await verifyDocuments({
        ...app.deletionDeps,
        readBytes,
        before: Number.MAX_SAFE_INTEGER,
        onFinding: ({ id, fault }) => found.push(`${ids.indexOf(id)} ${fault}`),
        onProgress: () => undefined,
      });
      const bytes = readBytes ? ['0 bytes-broken'] : [];
      const rest = ['1 blob-missing', '2 blob-missing', '3 record-broken', '4 record-broken'];
      assert.deepEqual(found, [...bytes, ...rest, '5 waits-for-no-scan', '-1 orphan-blob']);
    }
    assert.deepEqual([await app.files(), await app.db.read('select * from document order by id')], before);
  });
}
