import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePartCheck } from '../api/validate-request.ts';
import { instantRequirement } from '../kernel/clock.ts';
import { depositHeaders, readDepositHeaders } from './deposit-headers.ts';
import { parseReprDigest, reprDigest } from './http/repr-digest.ts';

const now = Date.UTC(2026, 5, 1);
const plain = { 'content-type': 'application/pdf', 'citizen-id': 'CZ-1', 'document-title': 'Notice' };
const digest = Buffer.alloc(32, 7);

test('the valid headers of a deposit are decoded and parsed', () => {
  const read = readDepositHeaders(
    {
      'content-type': 'text/plain',
      'content-length': '12',
      'content-encoding': 'Identity',
      'repr-digest': `sha-512=:AA==:, ${reprDigest(digest)}`,
      'citizen-id': 'CZ%2F1',
      'document-title': 'Bescheid u%CC%88ber 100%25',
      'document-kind': 'tax-assessment',
      'document-issued-at': '2026-02-28T10:00:00+02:00',
      'document-retain-until': '2036-01-01T00:00:00.000Z',
      purpose: 'Steuer%20%26%20Recht',
      'legal-basis': '§ 155 AO'.replace('§', '%C2%A7'),
    },
    now,
  );
  assert.ok('terms' in read);
  const { media, sha256, ...terms } = read.terms;
  assert.equal(media.name, 'text/plain; charset=utf-8');
  assert.deepEqual(Buffer.from(sha256 ?? []), digest);
  assert.deepEqual(terms, {
    citizenId: 'CZ/1',
    title: 'Bescheid über 100%',
    kind: 'tax-assessment',
    issuedAt: Date.UTC(2026, 1, 28, 8),
    retainUntil: Date.UTC(2036, 0, 1),
    retentionClass: null,
    processingBasis: { purpose: 'Steuer & Recht', legalBasis: '§ 155 AO' },
    length: 12,
  });
});

test('a citizen id is kept unchanged, while texts are normalised to NFC', () => {
  const [id, title] = ['Ge\u0301za-1', 'Ge\u0301za'];
  const encoded = { 'citizen-id': encodeURIComponent(` ${id} `), 'document-title': encodeURIComponent(title) };
  const read = readDepositHeaders({ ...plain, ...encoded }, now);
  assert.ok('terms' in read);
  assert.deepEqual([read.terms.citizenId, read.terms.title], [id, 'G\u00e9za']);
});

test('a citizen id of more than one line or with control characters is refused', () => {
  for (const [id, isOne] of [
    ['A B', true],
    ['\u202eA\u202c', true],
    ['A\tB', false],
    ['A\u0085B', false],
    ['A\u2028B', false],
    ['\n', false],
  ] as const) {
    const read = readDepositHeaders({ ...plain, 'citizen-id': encodeURIComponent(id) }, now);
    assert.equal('terms' in read ? read.terms.citizenId === id : false, isOne, encodeURIComponent(id));
  }
});

test('a citizen id and a text are refused above their own maximum lengths', () => {
  const longest = '字'.repeat(200);
  const encoded = encodeURIComponent(longest);
  const given = {
    ...plain,
    'citizen-id': encoded,
    'document-title': encoded,
    purpose: encoded,
    'legal-basis': encoded,
  };
  assert.deepEqual(compilePartCheck('header', depositHeaders)(given), []);
  const read = readDepositHeaders(given, now);
  assert.ok('terms' in read);
  const { citizenId, title, processingBasis } = read.terms;
  assert.deepEqual([citizenId, title, processingBasis], [longest, longest, { purpose: longest, legalBasis: longest }]);
  for (const name of ['citizen-id', 'document-title', 'purpose', 'legal-basis'])
    assert.ok('refusal' in readDepositHeaders({ ...plain, [name]: `${encoded}x` }, now), name);
});

test('all faults of the headers are reported at once, without any value', () => {
  const read = readDepositHeaders(
    {
      ...plain,
      'citizen-id': '%ff',
      'document-title': 'line%0Abreak',
      'document-issued-at': '2026-02-30T10:00:00Z',
      'document-retain-until': '2026-05-31T23:59:59Z',
      'repr-digest': 'sha-512=:AA==:',
      purpose: '%E2%80%AEbackwards',
    },
    now,
  );
  assert.ok('refusal' in read);
  assert.deepEqual(
    read.refusal.issues?.map(({ name }) => name),
    ['citizen-id', 'document-title', 'document-issued-at', 'purpose', 'repr-digest', 'document-retain-until'],
  );
  assert.doesNotMatch(JSON.stringify(read.refusal), /break|backwards|02-30|AA==/);
});

test('a malformed instant and a day that does not exist are refused with the same text', () => {
  const check = compilePartCheck('header', depositHeaders);
  for (const name of ['document-issued-at', 'document-retain-until']) {
    const [form] = check({ ...plain, [name]: '2026-02-30' });
    const read = readDepositHeaders({ ...plain, [name]: '2026-02-30T10:00:00Z' }, now);
    const [day] = 'refusal' in read ? (read.refusal.issues ?? []) : [];
    assert.deepEqual([form?.code, form?.detail.split('. ')[0]], ['malformed', instantRequirement]);
    assert.deepEqual(day, { in: 'header', name, code: 'malformed', detail: instantRequirement });
  }
});

test('a media type that is not allowed, or a content coding, gets 415 with the accepted ones', () => {
  for (const others of [{ 'content-type': 'application/x-sh' }, { 'content-encoding': 'gzip' }]) {
    const read = readDepositHeaders({ ...plain, ...others }, now);
    assert.ok('refusal' in read);
    assert.equal(read.refusal.slug, 'unsupported-media-type');
    assert.match(String(read.refusal.headers?.['accept']), /^application\/pdf, image\/png/);
  }
});

test('a Repr-Digest without a complete SHA-256 is refused', () => {
  assert.deepEqual(parseReprDigest(reprDigest(digest)), digest);
  for (const other of [
    '',
    'sha-256=AAAA',
    'sha-256=:AAAA:',
    'xsha-256=:'.padEnd(60, 'A'),
    `md5${reprDigest(digest)}`,
  ]) {
    assert.equal(parseReprDigest(other), undefined, other);
  }
});
