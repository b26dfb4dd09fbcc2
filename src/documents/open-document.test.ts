import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFirstPiece } from './open-document.ts';

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

const textOf = async (pieces: AsyncIterable<Uint8Array>) =>
  Buffer.concat(await Array.fromAsync(pieces, (piece) => Buffer.from(piece))).toString();

test('started pieces are given in order, the first taken beforehand, and their source is closed', async () => {
  const { seen, pieces } = source('one ', 'two ', 'three');
  const given = await withFirstPiece(pieces);
  assert.equal(seen.taken, 1);
  assert.equal(await textOf(given), 'one two three');
  assert.equal(seen.closed, true);
});

test('where there are no pieces, none are given', async () => {
  assert.equal(await textOf(await withFirstPiece(source().pieces)), '');
});

test('a fault in the first piece is thrown before there is an answer, a later one breaks it off', async () => {
  await assert.rejects(withFirstPiece(source(new Error('at once')).pieces), /at once/);
  const { seen, pieces } = source('one', new Error('later'));
  await assert.rejects(textOf(await withFirstPiece(pieces)), /later/);
  assert.equal(seen.closed, true);
});

test('pieces that nobody takes, or that are left half way, close their source', async () => {
  for (const most of [0, 1, 2]) {
    const { seen, pieces } = source('one', 'two', 'three', 'four', 'five');
    const given = await withFirstPiece(pieces);
    for (let count = 0; count < most; count += 1) await given.next();
    await given.return?.();
    assert.equal(seen.closed, true);
    assert.equal(seen.taken, Math.max(most, 1));
  }
});
