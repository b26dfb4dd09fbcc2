import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSignatureError, isBodySigned } from '../support/strict-s3-server.ts';

// The examples of "Signature Calculations for the Authorization Header" in the reference of Amazon S3.
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const now = Date.UTC(2013, 4, 24);
const nothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function signed(method: string, target: string, others: Record<string, string>, signature: string) {
  const headers = {
    host: 'examplebucket.s3.amazonaws.com',
    'x-amz-date': '20130524T000000Z',
    'x-amz-content-sha256': nothing,
    ...others,
  };
  const names = Object.keys(headers).sort().join(';');
  const credential = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${names},Signature=${signature}`;
  return { method, target, headers: { ...headers, authorization } };
}

const content = '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072';
const put = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-content-sha256': content };
const examples = [
  signed(
    'GET',
    '/test.txt',
    { range: 'bytes=0-9' },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ),
  signed(
    'PUT',
    '/test%24file.text',
    { ...put, 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ),
  signed('GET', '/?lifecycle', {}, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'),
  signed('GET', '/?max-keys=2&prefix=J', {}, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'),
];

test('the published examples of Signature Version 4 verify, and a changed example does not', () => {
  for (const example of examples) {
    assert.equal(findSignatureError(example, secret, now), undefined, example.target);
    assert.equal(findSignatureError(example, `${secret}x`, now), 'the signature is another');
    assert.equal(findSignatureError({ ...example, method: 'DELETE' }, secret, now), 'the signature is another');
    assert.equal(findSignatureError({ ...example, target: '/other' }, secret, now), 'the signature is another');
    assert.equal(findSignatureError(example, secret, now + 1_000_000), 'the time is not now');
    const added = { ...example, headers: { ...example.headers, 'x-amz-acl': 'public-read' } };
    assert.equal(findSignatureError(added, secret, now), 'not signed: x-amz-acl');
    const { authorization: _, ...bare } = example.headers;
    assert.equal(findSignatureError({ ...example, headers: bare }, secret, now), 'no signature of version 4');
  }
  const [get, putting] = examples;
  assert.ok(get !== undefined && isBodySigned(get, new Uint8Array()) && !isBodySigned(get, Buffer.from('x')));
  assert.ok(putting !== undefined && isBodySigned(putting, Buffer.from('Welcome to Amazon S3.')));
});
