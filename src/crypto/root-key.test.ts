import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rootKeyFromBytes } from './root-key.ts';

test('a root key gives a different subkey for each purpose, the same after a restart, and never the root key itself', () => {
  const root = Uint8Array.from({ length: 32 }, (_, index) => index);
  const [one, two] = [rootKeyFromBytes(root), rootKeyFromBytes(root)];
  const purposes = [
    'wrap-citizen-keys',
    'wrap-signing-keys',
    'backup-manifest',
    'citizen-pseudonym',
    'stranger-content',
    'client-secrets',
    'guess-budget',
    'document-etag',
    'page-cursor',
  ] as const;
  const keys = purposes.map((purpose) => Buffer.from(one.derive(purpose)).toString('hex'));
  assert.equal(new Set([...keys, Buffer.from(root).toString('hex')]).size, purposes.length + 1);
  assert.deepEqual(
    purposes.map((purpose) => Buffer.from(two.derive(purpose)).toString('hex')),
    keys,
  );
  assert.equal(one.id, two.id);
  assert.match(one.id, /^[0-9a-f]{16}$/);
  // Computed by another program: HKDF-SHA-256 over the bytes 0 to 31, no salt, that purpose as info.
  assert.equal(keys[0], '25b421fcee1b00847d0a79a8023e4ef6d2e3f15012acf8091d0c08709036f44c');
});

test('a root key of another size is rejected, and changing its bytes afterwards changes no subkey', () => {
  assert.throws(() => rootKeyFromBytes(new Uint8Array(31)), TypeError);
  const root = new Uint8Array(32);
  const keys = rootKeyFromBytes(root);
  root.fill(9);
  assert.deepEqual(keys.derive('document-etag'), rootKeyFromBytes(new Uint8Array(32)).derive('document-etag'));
});
