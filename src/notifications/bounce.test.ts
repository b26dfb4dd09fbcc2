import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMint } from '../kernel/id.ts';
import { bounceBaseFault, createBounceAddresses } from './bounce.ts';

const mint = createMint({ now: () => Date.UTC(2026, 0, 15, 9) }, (bytes) => new Uint8Array(bytes));
const delivery = mint('delivery');

test('the longest base that is taken leaves an address that relays take, and a longer one is refused with the limit', () => {
  const base = `${'b'.repeat(16)}@tax.example`;
  assert.equal(bounceBaseFault(base), undefined);
  const marked = createBounceAddresses(base, new Uint8Array(32)).of({ delivery, attempt: 999 });
  assert.equal(marked.indexOf('@'), 64);
  assert.match(bounceBaseFault(`b${base}`) ?? '', /^expected at most 16 characters before the @/);
});
