import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { startedStream } from './open-document.ts';

/** Pieces that note whether what they come from was closed. */
function source(...given: readonly (string | Error)[]) {
  const seen = { taken: 0, closed: false };
  async function* pieces() {
    try {
      for (const piece of given) {
        if (piece instanceof Error) throw piece;
        seen.taken += 1;
        yield Buffer.from(piece);
      }
    } finally {
      seen.closed = true;
    }
  }
  return { seen, pieces: pieces() };
}

test('a started stream gives all pieces in order, and closes their source', async () => {
  const { seen, pieces } = source('one ', 'two ', 'three');
  const stream = await startedStream(pieces);
  assert.equal(seen.taken, 1);
  assert.equal(Buffer.concat(await stream.toArray()).toString(), 'one two three');
  assert.equal(seen.closed, true);
});

test('a stream without pieces ends at once', async () => {
  const stream = await startedStream(source().pieces);
  assert.deepEqual(await stream.toArray(), []);
});

test('a fault in the first piece is thrown before there is a stream, a later one breaks the stream off', async () => {
  await assert.rejects(startedStream(source(new Error('at once')).pieces), /at once/);
  const { seen, pieces } = source('one', new Error('later'));
  const stream = await startedStream(pieces);
  await assert.rejects(stream.toArray(), /later/);
  assert.equal(seen.closed, true);
});

test('a stream that nobody reads, or that is dropped half way, closes its source', async () => {
  for (const read of [0, 1]) {
    const { seen, pieces } = source('one', 'two', 'three', 'four', 'five');
    const stream = await startedStream(pieces);
    for (let count = 0; count < read; count += 1) {
      await once(stream, 'readable');
      stream.read();
    }
    stream.destroy();
    await once(stream, 'close');
    assert.equal(seen.closed, true);
    assert.ok(seen.taken < 5, `${seen.taken} of 5 pieces were taken`);
  }
});
