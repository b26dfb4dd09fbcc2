import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import {
  depositDocumentOf,
  depositHeadersOf,
  issuer,
  makePdf,
  openDocumentApp,
  otherCitizenId,
  testCitizenId,
} from '../../test/support/document-app.ts';

for (const engine of engines) {
  test(`${engine.name}: a deposit returns its record after blob, row and event are stored`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const bytes = makePdf(40_000);
    const headers = { 'document-kind': 'tax-assessment', purpose: 'income%20tax' };
    const result = await app.deposit({ headers: depositHeadersOf(bytes, headers), body: [bytes] });
    assert.ok('status' in result);
    const json = result.json as Record<string, unknown>;
    const { id, receipt } = json;
    assert.deepEqual([result.status, result.headers['location']], [201, `/v1/documents/${id}`]);
    assert.deepEqual(json, {
      id,
      citizenId: testCitizenId,
      title: 'Bescheid über 2025',
      kind: 'tax-assessment',
      mediaType: 'application/pdf',
      size: 40_000,
      digest: `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
      issuer,
      issuedAt: '2026-06-01T12:00:00.000Z',
      depositedAt: '2026-06-01T12:00:00.000Z',
      status: 'available',
      retainUntil: null,
      retentionClass: null,
      eraseAt: null,
      scan: { verdict: 'not-scanned', at: '2026-06-01T12:00:00.000Z', engine: null, finding: null },
      access: [],
      receipt,
    });
    const events = await app.eventsAbout(testCitizenId);
    assert.deepEqual(events, [
      {
        type: 'document.deposited',
        id: String(receipt).slice('/v1/receipts/'.length),
        at: '2026-06-01T12:00:00.000Z',
        actor: { client: issuer },
        citizenId: testCitizenId,
        document: id,
        digest: `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
        purpose: 'income tax',
      },
    ]);
  });

  test(`${engine.name}: a header with 200 characters of text in any script is accepted, and returned by the record`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const text = '\u{20000}'.repeat(200);
    const encoded = encodeURIComponent(text);
    const headers = { 'document-title': encoded, purpose: encoded, 'legal-basis': encoded };
    const id = await depositDocumentOf(app, makePdf(2_000), headers);
    const got = await app.readRecord(id, { headers: { purpose: encoded } });
    assert.ok('json' in got);
    assert.partialDeepStrictEqual(got.json, { title: text });
    assert.deepEqual(
      (await app.eventsAbout(testCitizenId)).map((event) => 'purpose' in event && event.purpose),
      [text, text],
    );
  });

  test(`${engine.name}: neither the bytes nor the title of a document are stored in clear`, async (t) => {
    const app = await openDocumentApp(t, engine);
    await depositDocumentOf(app, makePdf(100_000));
    const rows = await app.db.read('select sealed_record from document');
    const events = await app.db.read('select content from ledger_event');
    const stored = [...rows, ...events]
      .flatMap((row) => Object.values(row))
      .map((value) => Buffer.from(value as Uint8Array));
    const files = await app.files();
    assert.equal(files.length, 1);
    // No shorter texts: a hundred thousand random bytes contain any four bytes now and then.
    const clears = ['MARKER-4711', '4711-PLAIN', 'PLAIN MARKER', '%PDF-1.7', 'Bescheid'];
    for (const bytes of [...stored, ...files.map((file) => file.bytes)]) {
      for (const clear of clears) assert.equal(bytes.includes(clear), false, clear);
    }
  });

  test(`${engine.name}: a document that does not match its headers is refused and leaves nothing`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const bytes = makePdf(50_000);
    const refusedWith = async (others: Record<string, string>, body: readonly (Buffer | Error)[] = [bytes]) => {
      const result = await app.deposit({ headers: depositHeadersOf(bytes, others), body });
      assert.ok('refusal' in result, JSON.stringify(others));
      return result.refusal.slug;
    };
    assert.equal(await refusedWith({ 'repr-digest': `sha-256=:${'A'.repeat(43)}=:` }), 'content-mismatch');
    assert.equal(await refusedWith({ 'content-length': '49999' }), 'content-mismatch');
    assert.equal(await refusedWith({ 'content-type': 'image/png' }), 'content-mismatch');
    assert.equal(await refusedWith({ 'content-type': 'application/x-sh' }), 'unsupported-media-type');
    assert.equal(await refusedWith({ 'citizen-id': 'CZ-9999' }), 'citizen-not-found');
    assert.equal(await refusedWith({ 'document-title': '%ff' }), 'bad-request');
    const brokenOff = [bytes.subarray(0, 30_000), new Error('aborted')];
    assert.equal(await refusedWith({}, brokenOff), 'content-mismatch');
    // Malformed headers are refused before the citizen is looked up, so these leave no event.
    const nobody = { 'citizen-id': 'CZ-9999' };
    assert.equal(await refusedWith({ ...nobody, 'repr-digest': `sha-256=:${'A'.repeat(43)}=:` }), 'content-mismatch');
    assert.equal(await refusedWith({ ...nobody, 'content-type': 'image/png' }), 'content-mismatch');
    assert.equal(await refusedWith(nobody, brokenOff), 'content-mismatch');
    assert.deepEqual(await app.files(), []);
    assert.deepEqual(await app.db.read('select id from document'), []);
    assert.deepEqual([await app.eventsAbout(testCitizenId), await app.eventsAbout('CZ-9999')], [[], []]);
  });

  test(`${engine.name}: two deposits of the same bytes are two documents whose blobs share no byte`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const bytes = makePdf(20_000);
    const ids = [
      await depositDocumentOf(app, bytes),
      await depositDocumentOf(app, bytes, { 'citizen-id': otherCitizenId }),
    ];
    assert.notEqual(ids[0], ids[1]);
    const [one, other] = (await app.files()).map((file) => file.bytes);
    assert.ok(one !== undefined && other !== undefined && one.length === other.length);
    assert.equal(one.subarray(0, 24).equals(other.subarray(0, 24)), false);
    const same = one.filter((byte, at) => byte === other[at]).length;
    assert.ok(same < one.length / 100, `${same} of ${one.length} bytes are alike by chance`);
  });
}

test('a body that exceeds the limit is refused while it arrives, and leaves nothing', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const app = await openDocumentApp(t, engine);
  const { 'content-length': _, 'repr-digest': __, ...headers } = depositHeadersOf(makePdf(10));
  const piece = makePdf(1_048_576);
  const pieces = Array.from({ length: app.ports.limit / piece.length }, () => piece);
  const result = await app.deposit({ headers, body: [...pieces, Buffer.of(1)] });
  assert.ok('refusal' in result);
  assert.deepEqual([result.refusal.slug, result.refusal.members], ['payload-too-large', { limit: app.ports.limit }]);
  assert.deepEqual(await app.files(), []);
});

test('all faults of the headers are reported at once by the schema of the operation', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const app = await openDocumentApp(t, engine);
  const result = await app.deposit({ headers: { 'document-kind': 'Not A Token', 'document-title': 'ü' }, body: [] });
  assert.ok('refusal' in result);
  const names = result.refusal.issues?.map(({ name, code }) => `${name} ${code}`).sort();
  assert.deepEqual(names, ['content-type required', 'document-kind malformed', 'document-title malformed']);
  // Members that a form can carry elsewhere are checked next.
  const bare = await app.deposit({ headers: { 'content-type': 'text/plain' }, body: [] });
  assert.ok('refusal' in bare);
  assert.deepEqual(
    bare.refusal.issues?.map(({ name, code }) => `${name} ${code}`),
    ['citizen-id required', 'document-title required'],
  );
});
