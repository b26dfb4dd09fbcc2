import assert from 'node:assert/strict';
import { createHash, verify } from 'node:crypto';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import {
  type DocumentResult,
  depositDocumentOf,
  makePdf,
  openDocumentApp,
} from '../../../test/support/document-app.ts';
import { newSigningSeed, signBytes, signingKeyFromSeed } from '../../crypto/signing-key.ts';
import { systemRandom } from '../../kernel/system-clock.ts';

const key = signingKeyFromSeed('evidence', newSigningSeed('evidence', systemRandom));
const signer = () => ({ keyId: key.kid, sign: (base: string) => signBytes(key, Buffer.from(base)) });
const sha256 = (bytes: Uint8Array) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

/** Verifies like a client, from the response alone: the signature base is built from the members of Signature-Input. */
function verifies({ status, headers }: Exclude<DocumentResult, { refusal: unknown }>): boolean {
  const [, parameters = '', list = ''] = /^document=(\(([^)]*)\).*)$/.exec(headers['signature-input'] ?? '') ?? [];
  const lines = list.split(' ').map((quoted) => {
    const name = quoted.slice(1, -1);
    return `${quoted}: ${name === '@status' ? status : headers[name]}`;
  });
  const base = Buffer.from([...lines, `"@signature-params": ${parameters}`].join('\n'));
  const signature = Buffer.from(/^document=:(.*):$/.exec(headers['signature'] ?? '')?.[1] ?? '', 'base64');
  return verify('sha256', base, { key: key.publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}

const [engine] = engines;
assert.ok(engine !== undefined);

test('a signed response verifies with the published key, whole or in part, and not after a change', async (t) => {
  const app = await openDocumentApp(t, engine);
  const bytes = makePdf(40_000);
  const id = await depositDocumentOf(app, bytes);
  app.ports.signer = signer;
  const asks = [{}, { method: 'HEAD' }, { headers: { range: 'bytes=5-9' } }, { headers: { range: 'bytes=1-2,9-' } }];
  for (const asked of asks) {
    const got = await app.retrieve(id, asked);
    assert.ok('status' in got && verifies(got), JSON.stringify(asked));
    const { headers } = got;
    assert.match(
      headers['signature-input'] ?? '',
      /"@status" "content-type" "content-length".*"etag" "repr-digest".*"date"/,
    );
    assert.ok(!verifies({ ...got, headers: { ...headers, 'repr-digest': sha256(Buffer.from('x')) } }));
    assert.ok(!verifies({ ...got, status: 299 }));
  }
  app.ports.signer = undefined;
  const plain = await app.retrieve(id);
  assert.ok('status' in plain && !('signature' in plain.headers));
});

test('a response has the digests that the request asks for: of the whole document and of the sent bytes', async (t) => {
  const app = await openDocumentApp(t, engine);
  const bytes = makePdf(2_000_000);
  const id = await depositDocumentOf(app, bytes);
  const digests = async (headers: Record<string, string>) => {
    const got = await app.retrieve(id, { headers });
    assert.ok('status' in got);
    return [got.headers['repr-digest'], got.headers['content-digest'], got.bytes.length];
  };
  const whole = sha256(bytes);
  const want = { 'want-content-digest': 'sha-512=1, sha-256=5' };
  assert.deepEqual(await digests({}), [whole, undefined, 2_000_000]);
  assert.deepEqual(await digests({ 'want-repr-digest': 'sha-256=0' }), [undefined, undefined, 2_000_000]);
  assert.deepEqual(await digests({ 'want-repr-digest': 'sha-512=9' }), [whole, undefined, 2_000_000]);
  assert.deepEqual(await digests(want), [whole, whole, 2_000_000]);
  const part = bytes.subarray(16_000, 17_000);
  assert.deepEqual(await digests({ ...want, range: 'bytes=16000-16999' }), [whole, sha256(part), 1_000]);
  assert.deepEqual(await digests({ ...want, range: 'bytes=0-1499999' }), [whole, undefined, 1_500_000]);
});
