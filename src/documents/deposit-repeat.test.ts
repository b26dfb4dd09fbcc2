import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import {
  type DocumentApp,
  depositHeadersOf,
  makePdf,
  openDocumentApp,
  otherCitizenId,
  testCitizenId,
} from '../../test/support/document-app.ts';

const bytes = makePdf(40_000);
const key = { 'idempotency-key': 'a-1' };

const deposit = (app: DocumentApp, others: Record<string, string> = key, body = bytes) =>
  app.deposit({ headers: depositHeadersOf(body, others), body: [body] });

type Part = { readonly name: string; readonly value: string | Buffer; readonly head?: string };

/** A form as browsers send it (RFC 7578); `cut` removes the end. */
function formOf(parts: readonly Part[], cut = 0) {
  const boundary = '----form4711';
  const pieces = parts.flatMap(({ name, value, head = '' }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${head}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  const whole = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  const body = whole.subarray(0, whole.length - cut);
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(body.length),
  };
  // Cut at arbitrary positions, as a network does.
  const cuts = Array.from({ length: Math.ceil(body.length / 9_973) }, (_, at) =>
    body.subarray(at * 9_973, (at + 1) * 9_973),
  );
  return { headers, body: cuts };
}

const file = { name: 'document', value: bytes, head: '; filename="b.pdf"\r\nContent-Type: application/pdf' };
const fields: readonly Part[] = [
  { name: 'citizenId', value: testCitizenId },
  { name: 'title', value: 'Bescheid über 100 %' },
  { name: 'kind', value: 'tax-assessment' },
  { name: 'digest', value: depositHeadersOf(bytes)['repr-digest'] },
];

/** A lone surrogate between two letters. */
const halved = {
  name: 'title',
  value: Buffer.from([0x41, 0, 0, 0xd8, 0x42, 0]),
  head: '\r\nContent-Type: text/plain; charset=utf-16le',
};

for (const engine of engines) {
  test(`${engine.name}: a deposit that is repeated with its key returns the same document and response, and is stored once`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const [first, again] = [await deposit(app), await deposit(app)];
    assert.ok('status' in first && 'status' in again);
    assert.deepEqual([again.status, again.json], [201, first.json]);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal((await app.files()).length, 1);
    assert.equal((await app.eventsAbout(testCitizenId)).length, 1);
    for (const others of [
      ['document-title', 'Other'],
      ['citizen-id', otherCitizenId],
    ]) {
      const reused = await deposit(app, { ...key, ...Object.fromEntries([others]) });
      assert.ok('refusal' in reused && reused.refusal.slug === 'idempotency-key-reused');
    }
    const other = await deposit(app, key, makePdf(40_001));
    assert.ok('refusal' in other && other.refusal.slug === 'idempotency-key-reused');
  });

  test(`${engine.name}: the idempotency key of another client or another operation returns no stored response`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const replayed: unknown[] = [];
    const repeat = async (client: string) => {
      const result = await app.deposit({ client, headers: depositHeadersOf(bytes, key), body: [bytes] });
      assert.ok('status' in result);
      replayed.push(result.headers['idempotent-replayed']);
    };
    await repeat('tax-office');
    await repeat('city');
    await app.db.write([{ sql: "update idempotency set operation = 'sendNotification'" }]);
    await repeat('city');
    await repeat('city');
    assert.deepEqual(replayed, [undefined, undefined, undefined, 'true']);
    assert.equal((await app.files()).length, 3);
  });

  test(`${engine.name}: the stored answer is encrypted under the citizen's key, and erased with it`, async (t) => {
    const app = await openDocumentApp(t, engine);
    await deposit(app);
    const [row] = await app.db.read('select headers, body from idempotency');
    for (const text of [String(row?.['headers']), String(row?.['body'])]) {
      assert.ok(!/Bescheid|CZ-1001|CZ%2D/.test(text), text);
      assert.ok(!/Bescheid|CZ-1001/.test(Buffer.from(text, 'base64').toString('latin1')));
    }
    await app.db.write([{ sql: 'delete from citizen_key' }]);
    app.forgetKeys();
    const erased = await deposit(app);
    assert.ok('refusal' in erased && erased.refusal.slug === 'citizen-not-found');
    await app.db.write(app.citizenKeys.creationStatements([testCitizenId]));
    app.forgetKeys();
    const repeated = await deposit(app);
    assert.ok('refusal' in repeated && repeated.refusal.slug === 'idempotency-key-reused');
    assert.match(repeated.refusal.detail, /erased/);
    assert.ok('status' in (await deposit(app, { 'idempotency-key': 'a-2' })));
    app.ports.citizensHaveKeys = false;
    const elsewhere = await deposit(app);
    assert.ok('refusal' in elsewhere && elsewhere.refusal.slug === 'idempotency-key-reused');
  });

  test(`${engine.name}: a reused idempotency key does not reveal who is in the register`, async (t) => {
    const app = await openDocumentApp(t, engine);
    await deposit(app);
    const digest = { 'repr-digest': `sha-256=:${'A'.repeat(43)}=:` };
    for (const whom of [otherCitizenId, 'CZ-9999']) {
      const probed = await deposit(app, { ...key, ...digest, 'citizen-id': whom });
      assert.ok('refusal' in probed && probed.refusal.slug === 'idempotency-key-reused', whom);
    }
  });

  test(`${engine.name}: an idempotency key requires a digest, and a refused deposit can be repeated with the same key`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const { 'repr-digest': _digest, ...without } = depositHeadersOf(bytes, key);
    const bare = await app.deposit({ headers: without, body: [bytes] });
    assert.ok('refusal' in bare && bare.refusal.issues?.[0]?.name === 'repr-digest');
    const broken = await app.deposit({ headers: depositHeadersOf(bytes, key), body: [bytes.subarray(0, 100)] });
    assert.ok('refusal' in broken && broken.refusal.slug === 'content-mismatch');
    assert.deepEqual(await app.files(), []);
    assert.ok('status' in (await deposit(app)));
  });

  test(`${engine.name}: two concurrent deposits with one key store one document`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const results = await Promise.all([deposit(app), deposit(app), deposit(app)]);
    const slugs = results.map((result) => ('refusal' in result ? result.refusal.slug : result.status));
    assert.deepEqual(slugs.sort(), [201, 'idempotency-key-in-progress', 'idempotency-key-in-progress']);
    assert.equal((await app.files()).length, 1);
  });

  test(`${engine.name}: a form deposits the same document as headers and body`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const made = await app.deposit(formOf([...fields, file]));
    assert.ok('status' in made && made.status === 201);
    const { id, title, kind, mediaType, size } = made.json as Record<string, string>;
    assert.deepEqual(
      [title, kind, mediaType, size],
      ['Bescheid über 100 %', 'tax-assessment', 'application/pdf', 40_000],
    );
    const whole = await app.retrieve(String(id));
    assert.ok('status' in whole && whole.bytes.equals(bytes));
  });

  test(`${engine.name}: each fault of a form is refused and leaves nothing`, async (t) => {
    const app = await openDocumentApp(t, engine);
    const wrongDigest = fields.with(3, { name: 'digest', value: depositHeadersOf(makePdf(1))['repr-digest'] });
    const cases: readonly [string, ReturnType<typeof formOf>][] = [
      ['content-mismatch', formOf([...wrongDigest, file])],
      ['bad-request /citizenId', formOf([...fields.slice(1), file])],
      ['bad-request /kind', formOf([...fields.with(2, { name: 'kind', value: 'Not So' }), file])],
      [
        'bad-request /title',
        formOf([...fields.with(1, { name: 'title', value: Buffer.from('über', 'latin1') }), file]),
      ],
      ['bad-request /title', formOf([...fields.with(1, halved), file])],
      ['bad-request /issuedAt', formOf([...fields, { name: 'issuedAt', value: '2025-02-31T08:00:00Z' }, file])],
      ['bad-request /colour', formOf([...fields, { name: 'colour', value: 'red' }, file])],
      ['bad-request /document', formOf([...fields, file, { name: 'purpose', value: 'late' }])],
      ['bad-request /document', formOf([...fields, file, file])],
      ['bad-request /title', formOf([...fields, { name: 'title', value: 'twice' }, file])],
      ['bad-request /document', formOf(fields)],
      ['bad-request /document', formOf([...fields, file], 10)],
      ['bad-request /document', formOf([...fields, file], 30_000)],
      ['bad-request /title', formOf([{ name: 'title', value: 'x'.repeat(5_000) }, file])],
      ['unsupported-media-type', formOf([...fields, { ...file, head: '\r\nContent-Type: text/x-php' }])],
      ['content-mismatch', formOf([...fields, { ...file, head: '\r\nContent-Type: image/png' }])],
      [
        'bad-request ',
        { headers: { 'content-type': 'multipart/form-data; bound', 'content-length': '2' }, body: [Buffer.from('--')] },
      ],
    ];
    for (const [count, [expected, asked]] of cases.entries()) {
      const got = await app.deposit(asked);
      assert.ok('refusal' in got, `case ${count}`);
      const { slug, issues, detail } = got.refusal;
      if (slug !== 'bad-request') assert.match(detail, /^Part 'document': /);
      assert.equal(slug === 'bad-request' ? `${slug} ${issues?.[0]?.pointer ?? '-'}` : slug, expected, `case ${count}`);
    }
    const sent = formOf([...fields, file]);
    const large = await app.deposit({ ...sent, headers: { ...sent.headers, 'content-length': '104923137' } });
    // The bytes that a form may have around its document do not count for the document.
    const sizeLimit = { detail: 'The limit is 104857600 bytes.', members: { limit: 104_857_600 } };
    assert.partialDeepStrictEqual(large, { refusal: { slug: 'payload-too-large', ...sizeLimit } });
    const cut = await app.deposit({ ...sent, body: [...sent.body.slice(0, 2), new Error('the line is down')] });
    assert.ok('refusal' in cut);
    assert.deepEqual([await app.files(), await app.eventsAbout(testCitizenId)], [[], []]);
  });
}
