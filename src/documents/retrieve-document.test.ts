import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import {
  type DocumentApp,
  type DocumentResult,
  depositDocumentOf,
  issuer,
  makePdf,
  openDocumentApp,
  testCitizenId,
} from '../../test/support/document-app.ts';
import type { DocumentId } from '../kernel/id.ts';
import { BlobsUnavailable } from './blobs/blob-store.ts';
import { insertGrant } from './document-store.ts';

/** The answer of a request that was not refused. */
function given(result: DocumentResult) {
  assert.ok('status' in result, 'refusal' in result ? result.refusal.slug : '');
  return result;
}

/** The problem name of a refused request. */
function slugOf(result: DocumentResult): string {
  assert.ok('refusal' in result);
  return result.refusal.slug;
}

/** The events about a citizen's documents since the deposit, as type and actor. */
async function usesOf(app: DocumentApp): Promise<string[]> {
  const events = await app.eventsAbout(testCitizenId);
  return events
    .filter(({ type }) => type !== 'document.deposited')
    .map(({ type, actor, purpose, reason }) => {
      const { client } = actor as { client: string };
      return [type, client, purpose ?? reason].filter((part) => part !== undefined).join(' ');
    });
}

async function grant(app: DocumentApp, documentId: DocumentId, clientId: string, endsAt: number | null) {
  await app.db.write(insertGrant({ documentId, clientId, purpose: 'housing', grantedAt: app.time.now, endsAt }));
}

for (const engine of engines) {
  test(`${engine.name}: a document is returned byte for byte, with each documented header`, async (t) => {
    const app = await openDocumentApp(t, engine);
    for (const size of [9, 16_384, 16_385, 1_048_576, 3_000_000]) {
      const bytes = makePdf(size);
      const id = await depositDocumentOf(app, bytes);
      const { broke, bytes: got, headers, status } = given(await app.retrieve(id));
      assert.deepEqual([status, broke, got.equals(bytes)], [200, undefined, true], `${size} bytes`);
      const { etag = '', link = '', ...others } = headers;
      assert.match(etag, /^"[A-Za-z0-9_-]{24}"$/);
      assert.match(
        link,
        new RegExp(
          `^</v1/documents/${id}/record>; rel="describedby"; type="application/json", </v1/receipts/evt_\\w{26}>; rel="receipt"$`,
        ),
      );
      assert.deepEqual(others, {
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-store',
        'content-disposition':
          'attachment; filename="Bescheid uber 2025.pdf"; filename*=UTF-8\'\'Bescheid%20%C3%BCber%202025.pdf',
        'content-length': String(size),
        'content-security-policy': "default-src 'none'; sandbox",
        'content-type': 'application/pdf',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'repr-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
        vary: 'accept, authorization',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
      });
    }
    assert.equal((await usesOf(app)).join(), Array(5).fill(`document.retrieved ${issuer}`).join());
  });

  test(`${engine.name}: the document of another client and an unknown id get the same refusal`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const refusals = [
      await app.retrieve(id, { client: 'curious' }),
      await app.retrieve(app.createId('document'), { client: 'curious' }),
      await app.retrieve('not-an-id', { client: 'curious' }),
      await app.retrieve(id, { client: 'curious', headers: { 'if-none-match': '*', accept: 'text/html' } }),
      await app.retrieve(id, { client: 'curious', headers: { range: 'bytes=999999-' } }),
    ];
    for (const refused of refusals) assert.deepEqual(refused, refusals[0]);
    assert.equal(slugOf(refusals[0] ?? assert.fail()), 'document-not-found');
    assert.deepEqual(await usesOf(app), Array(3).fill('document.refused curious not-permitted'));
  });

  test(`${engine.name}: a grant opens the document until its end, and the next range request is refused`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(50_000));
    await grant(app, id, 'city', app.time.now + 60_000);
    const part = () => app.retrieve(id, { client: 'city', headers: { range: 'bytes=0-9' } });
    assert.equal(given(await part()).status, 206);
    assert.equal(
      slugOf(await app.retrieve(id, { client: 'city', headers: { purpose: 'gossip' } })),
      'document-not-found',
    );
    app.time.now += 60_000;
    assert.equal(slugOf(await part()), 'document-not-found');
    assert.deepEqual(await usesOf(app), [
      'document.retrieved city housing',
      'document.refused city not-permitted',
      'document.refused city not-permitted',
    ]);
  });

  test(`${engine.name}: an Accept header without the type of the document is refused, and recorded as a read record`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    for (const accept of ['text/html', 'application/json']) {
      const refused = await app.retrieve(id, { headers: { accept } });
      assert.ok('refusal' in refused);
      assert.equal(refused.refusal.slug, 'not-acceptable');
      assert.match(refused.refusal.detail, new RegExp(`/v1/documents/${id}/record\\.$`));
    }
    assert.deepEqual(await usesOf(app), Array(2).fill(`document.record-read ${issuer}`));
    assert.equal(
      slugOf(await app.retrieve(id, { client: 'curious', headers: { accept: 'text/html' } })),
      'document-not-found',
    );
  });

  test(`${engine.name}: a range, a suffix and several ranges return their bytes, up to the end of the document`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const bytes = makePdf(40_000);
    const id = await depositDocumentOf(app, bytes);
    const range = async (text: string) => given(await app.retrieve(id, { headers: { range: text } }));
    for (const [text, first, last] of [
      ['bytes=0-0', 0, 0],
      ['bytes=16383-16384', 16_383, 16_384],
      ['bytes=-5', 39_995, 39_999],
      ['bytes=39000-99999', 39_000, 39_999],
    ] as const) {
      const { bytes: got, headers, status } = await range(text);
      assert.deepEqual([status, got.equals(bytes.subarray(first, last + 1))], [206, true], text);
      assert.equal(headers['content-range'], `bytes ${first}-${last}/40000`);
      assert.equal(headers['content-length'], String(last - first + 1));
    }
    const several = await range('bytes=0-3,20000-20001');
    const boundary = /^multipart\/byteranges; boundary=([0-9a-f]{36})$/.exec(
      several.headers['content-type'] ?? '',
    )?.[1];
    const part = (first: number, last: number) =>
      `--${boundary}\r\ncontent-type: application/pdf\r\ncontent-range: bytes ${first}-${last}/40000\r\n\r\n${bytes.subarray(first, last + 1)}\r\n`;
    assert.equal(several.bytes.toString(), `${part(0, 3)}${part(20_000, 20_001)}--${boundary}--\r\n`);
    assert.equal(several.headers['content-length'], String(several.bytes.length));
    const beyond = await app.retrieve(id, { headers: { range: 'bytes=40000-' } });
    assert.ok('refusal' in beyond);
    assert.deepEqual(
      [beyond.refusal.slug, beyond.refusal.headers],
      ['range-not-satisfiable', { 'content-range': 'bytes */40000' }],
    );
  });

  test(`${engine.name}: a conditional request compares the ETag, and a response without bytes is recorded as a read record`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(2_000));
    const head = given(await app.retrieve(id, { method: 'HEAD' }));
    assert.deepEqual([head.status, head.bytes.length, head.headers['content-length']], [200, 0, '2000']);
    const { etag = '' } = head.headers;
    const same = given(await app.retrieve(id, { headers: { 'if-none-match': etag } }));
    assert.deepEqual([same.status, same.bytes.length, same.headers['etag']], [304, 0, etag]);
    assert.equal(slugOf(await app.retrieve(id, { headers: { 'if-match': '"other"' } })), 'precondition-failed');
    const part = (validator: string) =>
      app
        .retrieve(id, { headers: { range: 'bytes=0-4', 'if-range': validator } })
        .then((result) => given(result).status);
    assert.deepEqual([await part(etag), await part('"other"')], [206, 200]);
    assert.deepEqual(await usesOf(app), [
      ...Array(3).fill(`document.record-read ${issuer}`),
      ...Array(2).fill(`document.retrieved ${issuer}`),
    ]);
  });

  test(`${engine.name}: a document that is not available is refused to its readers, and unknown to all others`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(100));
    const expected: Record<string, string> = {
      scanning: 'document-not-ready',
      quarantined: 'document-quarantined',
      withdrawn: 'document-withdrawn',
    };
    for (const [status, slug] of Object.entries(expected)) {
      const sql = `update document set status = '${status}', withdrawn_at = 5 where id = $1`;
      await app.db.write([{ sql, args: [id] }]);
      assert.equal(slugOf(await app.retrieve(id)), slug);
      assert.equal(slugOf(await app.retrieve(id, { client: 'curious' })), 'document-not-found');
    }
    assert.equal((await usesOf(app)).at(-2), `document.refused ${issuer} not-available`);
  });

  test(`${engine.name}: an empty document is returned whole and without ranges`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, Buffer.alloc(0), { 'content-type': 'text/plain' });
    const whole = given(await app.retrieve(id));
    assert.deepEqual([whole.status, whole.bytes.length, whole.headers['content-length']], [200, 0, '0']);
    assert.equal(slugOf(await app.retrieve(id, { headers: { range: 'bytes=0-' } })), 'range-not-satisfiable');
  });

  test(`${engine.name}: a document with missing, changed or unreadable bytes gets 503, and a refusal is recorded`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const id = await depositDocumentOf(app, makePdf(2_000));
    const [file = assert.fail()] = await app.files();
    const path = join(app.folder, file.path);
    const { blobs } = app.wires;
    const away = () => {
      throw new BlobsUnavailable('no answer');
    };
    const asked = [
      {},
      { headers: { range: 'bytes=5-9' } },
      { headers: { range: 'bytes=0-1,5-9' } },
      { method: 'HEAD' },
    ];
    const broken = async (count: number) => {
      for (const one of asked) {
        const result = await app.retrieve(id, one);
        assert.ok('refusal' in result);
        assert.deepEqual(
          [result.refusal.slug, result.refusal.headers],
          ['document-unreadable', { 'retry-after': '10' }],
        );
      }
      assert.deepEqual(await usesOf(app), Array(asked.length * count).fill(`document.refused ${issuer} not-available`));
    };
    await rename(path, `${path}x`);
    await broken(1);
    await writeFile(path, Buffer.alloc(file.bytes.length));
    await broken(2);
    assert.deepEqual(app.alarms, Array(8).fill('document-bytes-broken'));
    await rename(`${path}x`, path);
    app.wires.blobs = { ...blobs, read: away };
    await broken(3);
    assert.equal(app.alarms.length, 8);
    app.wires.blobs = blobs;
    assert.equal(given(await app.retrieve(id)).bytes.length, 2_000);
    assert.equal((await usesOf(app)).at(-1), `document.retrieved ${issuer}`);
  });
}
