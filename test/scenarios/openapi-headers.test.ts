import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openApiPath } from '../support/openapi-linters.ts';

type Answers = Readonly<Record<string, { readonly headers: Readonly<Record<string, unknown>> }>>;
type Operations = Readonly<Record<string, { readonly operationId?: string; readonly responses: Answers }>>;

const { paths } = JSON.parse(readFileSync(openApiPath, 'utf8')) as {
  readonly paths: Readonly<Record<string, Operations>>;
};
const operations = Object.values(paths).flatMap((path) => Object.values(path));

/** Headers that clients read, besides those of every response. */
const read: readonly (readonly [operation: string, status: string, headers: readonly string[]])[] = [
  ['sendNotification', '202', ['Location', 'Idempotent-Replayed']],
  ['sendNotification', '409', ['Retry-After']],
  ['depositDocument', '201', ['Location', 'Idempotent-Replayed']],
  ['depositDocument', '409', ['Retry-After']],
  ['retrieveDocument', '200', ['ETag', 'Repr-Digest', 'Accept-Ranges', 'Content-Disposition', 'Link']],
  ['retrieveDocument', '206', ['ETag', 'Repr-Digest', 'Content-Range', 'Content-Disposition', 'Link']],
  ['retrieveDocument', '304', ['ETag', 'Link']],
  ['retrieveDocument', '401', ['WWW-Authenticate', 'DPoP-Nonce']],
  ['retrieveDocument', '409', ['Retry-After']],
  ['retrieveDocument', '410', ['Link']],
  ['retrieveDocument', '416', ['Content-Range']],
  ['retrieveDocument', '429', ['Retry-After']],
  ['withdrawDocument', '410', ['Link']],
  ['readReceipt', '409', ['Retry-After']],
  ['readReceiptProof', '409', ['Retry-After']],
  ['readReceiptProof', '200', ['Content-Disposition']],
  ['readDocumentRecord', '200', ['Link']],
  ['readDocumentRecord', '410', ['Link']],
  ['readEvidence', '200', ['Content-Disposition']],
];

for (const [operation, status, headers] of read) {
  test(`the document declares ${headers.join(', ')} for ${status} of ${operation}`, () => {
    const answer = operations.find(({ operationId }) => operationId === operation)?.responses[status];
    const declared = Object.keys(answer?.headers ?? {});
    assert.deepEqual(
      headers.filter((header) => !declared.includes(header)),
      [],
    );
  });
}

test('the document declares Allow for refusals without an operation, and no Retry-After for permanent conflicts', () => {
  for (const { responses } of operations) assert.ok('Allow' in (responses['default']?.headers ?? {}));
  const cancel = operations.find(({ operationId }) => operationId === 'cancelNotification');
  assert.ok(!('Retry-After' in (cancel?.responses['409']?.headers ?? {})));
});
