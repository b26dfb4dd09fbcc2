import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { computeChainLink, encodeEntry, noPreviousHash, parseEntry } from './ledger-entry.ts';

const at = Date.UTC(2026, 0, 1);
const createId = createIdGenerator({ now: () => at }, systemRandom);
const id = createId('event');

test('a link changes with its key, entry, chain, number and previous hash', () => {
  const key = Buffer.alloc(32, 1);
  const place = { chain: Buffer.alloc(16, 2), number: 1, previous: noPreviousHash };
  const links = [
    computeChainLink(key, id, place),
    computeChainLink(Buffer.alloc(32, 9), id, place),
    computeChainLink(key, createId('event'), place),
    computeChainLink(key, id, { ...place, chain: Buffer.alloc(16, 9) }),
    computeChainLink(key, id, { ...place, number: 2 }),
    computeChainLink(key, id, { ...place, number: 1 + 2 ** 32 }),
    computeChainLink(key, id, { ...place, previous: Buffer.alloc(32, 9) }),
  ].map((link) => link.toString('hex'));
  assert.equal(new Set(links).size, links.length);
  assert.equal(computeChainLink(key, id, place).toString('hex'), links[0]);
  for (const wrong of [{ chain: Buffer.alloc(15) }, { chain: Buffer.alloc(17) }, { previous: Buffer.alloc(31) }]) {
    assert.throws(() => computeChainLink(key, id, { ...place, ...wrong }), TypeError);
  }
});

test('an entry parses to what was encoded, and other bytes are rejected', () => {
  const entry = { kind: 'system' as const, at, id, link: Buffer.alloc(32, 3), content: Buffer.from('sealed') };
  const bytes = encodeEntry(entry);
  assert.deepEqual(parseEntry(bytes), entry);
  assert.deepEqual(parseEntry(bytes.subarray(0, -6)), { ...entry, content: Buffer.alloc(0) });
  const changed = (place: number, byte: number) => bytes.map((one, index) => (index === place ? byte : one));
  const wrong = [
    changed(0, 2),
    changed(1, 0),
    changed(1, 3),
    // A time that is no safe integer.
    changed(2, 1),
    changed(12, 0x21),
    bytes.subarray(0, -7),
    Buffer.alloc(0),
  ];
  for (const one of wrong) assert.equal(parseEntry(one), undefined);
});
