import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createIdGenerator, idPatternSource, minIdAt, parseId, randomUuid } from './id.ts';

const zeros = (bytes: number) => new Uint8Array(bytes);

test('an id is its prefix and a UUIDv7 in Crockford base32', () => {
  const newId = createIdGenerator({ now: () => 0x017f22e279b0 }, zeros);
  // RFC 9562, appendix A.6 has the same instant; 26 digits hold the 128 bits.
  assert.equal(newId('notification'), 'ntf_01FWHE4YDGE008000000000000');
});

test('ids of one process sort in order of creation, within a millisecond and when the clock steps back', () => {
  let now = 1_000_000;
  const newId = createIdGenerator({ now: () => now }, zeros);
  const made: string[] = [];
  for (let round = 0; round < 10_000; round += 1) {
    if (round === 5_000) now -= 500;
    made.push(newId('event'));
  }
  assert.deepEqual([...made].sort(), made);
  assert.equal(new Set(made).size, made.length);
});

test('ids follow the clock again after it was set back by more than a minute', () => {
  let now = 1_000_000_000;
  const newId = createIdGenerator({ now: () => now }, zeros);
  newId('event');
  now -= 60_001;
  assert.equal(newId('event'), createIdGenerator({ now: () => now }, zeros)('event'));
});

test('only a text in the form of a generated id is parsed', () => {
  const id = createIdGenerator({ now: () => 1_700_000_000_000 }, zeros)('document');
  assert.equal(parseId('document', id), id);
  for (const wrong of [
    '',
    id.toLowerCase(),
    id.slice(0, -1),
    `${id}0`,
    id.replace('doc_', 'ntf_'),
    `${id}\n`,
    id.replace('0', 'O'),
  ]) {
    assert.equal(parseId('document', wrong), undefined, wrong);
  }
  fc.assert(
    fc.property(
      fc.string(),
      (text) => parseId('document', text) === undefined || new RegExp(idPatternSource('document')).test(text),
    ),
  );
});

test('a problem instance is a random UUID with the version and variant of RFC 9562', () => {
  assert.equal(randomUuid(zeros), '00000000-0000-4000-8000-000000000000');
});

test('the smallest id of an instant sorts after earlier ids and before other ids of that instant', () => {
  for (const now of [1, 31, 32, Date.UTC(2026, 10, 20), Date.UTC(2100, 0, 1)]) {
    const id = createIdGenerator({ now: () => now }, zeros)('verification');
    assert.ok(minIdAt('verification', now) < id && id < minIdAt('verification', now + 1), id);
  }
});
