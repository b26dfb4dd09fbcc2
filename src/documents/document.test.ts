import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { accessOf, type DocumentGrant, type StoredDocument } from './document.ts';

const now = 1_000;
const id = createIdGenerator({ now: () => now }, systemRandom)('document');
const document: StoredDocument = {
  id,
  citizenId: 'CZ-1',
  issuer: 'tax-office',
  createdAt: 10,
  retainUntil: null,
  retentionClass: null,
  eraseAt: null,
  held: false,
  scan: null,
  status: 'available',
  sealedRecord: new Uint8Array(1),
};
const grant: DocumentGrant = { documentId: id, clientId: 'city', purpose: 'housing', grantedAt: 500, endsAt: 2_000 };

test('the issuer and the citizen have access, and no other client or citizen has', () => {
  assert.deepEqual(accessOf(document, [], { client: 'tax-office' }, now), { by: 'issuer', purpose: undefined });
  assert.deepEqual(accessOf(document, [], { citizen: 'CZ-1' }, now), { by: 'citizen' });
  assert.equal(accessOf(document, [], { client: 'city' }, now), undefined);
  assert.equal(accessOf(document, [], { client: 'CZ-1' }, now), undefined);
  assert.equal(accessOf(document, [grant], { citizen: 'city' }, now), undefined);
});

test('a grant gives access from its start until its end, and an expired grant opens nothing', () => {
  const at = (instant: number) => accessOf(document, [grant], { client: 'city' }, instant);
  assert.deepEqual(at(500), { by: 'grant', grant });
  assert.deepEqual(at(1_999), { by: 'grant', grant });
  assert.deepEqual([at(499), at(2_000), at(9_999)], [undefined, undefined, undefined]);
  const endless = { ...grant, endsAt: null };
  assert.deepEqual(accessOf(document, [endless], { client: 'city' }, 9_999), { by: 'grant', grant: endless });
});

test('a grant gives access for its own purpose, client and document only', () => {
  const other = createIdGenerator({ now: () => now }, systemRandom)('document');
  assert.equal(accessOf(document, [grant], { client: 'city', purpose: 'schooling' }, now), undefined);
  assert.deepEqual(accessOf(document, [grant], { client: 'city', purpose: 'housing' }, now), { by: 'grant', grant });
  assert.equal(accessOf(document, [grant], { client: 'county' }, now), undefined);
  assert.equal(accessOf(document, [{ ...grant, documentId: other }], { client: 'city' }, now), undefined);
});
