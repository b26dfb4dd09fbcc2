import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFirstPiece } from './open-document.ts';

/** Pieces that record whether their source was closed. */
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

const textOf = async (pieces: AsyncIterable<Uint8Array>) =>
  Buffer.concat(await Array.fromAsync(pieces, (piece) => Buffer.from(piece))).toString();

test('a document whose first piece is read early keeps the order of its pieces and closes its source', async () => {
  const { seen, pieces } = source('one ', 'two ', 'three');
  const given = await withFirstPiece(pieces);
  assert.equal(seen.taken, 1);
  assert.equal(await textOf(given), 'one two three');
  assert.equal(seen.closed, true);
});

test('an empty source yields no pieces', async () => {
  assert.equal(await textOf(await withFirstPiece(source().pieces)), '');
});

test('a fault in the first piece is thrown at once, and a fault in a later piece ends the stream', async () => {
  await assert.rejects(withFirstPiece(source(new Error('at once')).pieces), /at once/);
  const { seen, pieces } = source('one', new Error('later'));
  await assert.rejects(textOf(await withFirstPiece(pieces)), /later/);
  assert.equal(seen.closed, true);
});

test('the source of a document is closed if its pieces are not read, or only in part', async () => {
  for (const most of [0, 1, 2]) {
    const { seen, pieces } = source('one', 'two', 'three', 'four', 'five');
    const given = await withFirstPiece(pieces);
    for (let count = 0; count < most; count += 1) await given.next();
    await given.return?.();
    assert.equal(seen.closed, true);
    assert.equal(seen.taken, Math.max(most, 1));
  }
});
