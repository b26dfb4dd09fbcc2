import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { anchorPath, logSigner, origin } from '../../test/support/ledger-app.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { openAnchor } from './anchor.ts';
import { formatCheckpoint } from './tlog/checkpoint.ts';
import { signNote } from './tlog/note.ts';
import { createNoteSigner, signatureTypes } from './tlog/note-key.ts';

function place(t: TestContext): string {
  const folder = makeTestFolder('anchor-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return anchorPath(folder);
}

const otherSigner = createNoteSigner(signatureTypes.ed25519, origin, new Uint8Array(32).fill(8));
const noteOf = (size: number, signer = logSigner) =>
  signNote(formatCheckpoint({ origin, size, root: Buffer.alloc(32, size) }), [signer], 0);

test('a checkpoint file never goes back to a smaller tree', async (t) => {
  const path = place(t);
  const anchor = openAnchor(path);
  assert.equal(await anchor.read(), undefined);
  await anchor.advance(noteOf(5));
  await assert.rejects(anchor.advance(noteOf(4)), /has a larger checkpoint than the new one/);
  await anchor.advance(noteOf(5, otherSigner));
  assert.deepEqual(readFileSync(path, 'utf8'), noteOf(5, otherSigner));
  assert.equal((await openAnchor(path).read())?.size, 5);
});

test('a server signs nothing more after another server has written the same checkpoint file', async (t) => {
  const path = place(t);
  const [first, second] = [openAnchor(path), openAnchor(path)];
  for (const anchor of [first, second]) await anchor.read();
  await first.advance(noteOf(1));
  await assert.rejects(second.advance(noteOf(2)), /another process wrote .*: two servers use the same DATA_DIR/);
  await first.advance(noteOf(3));
  assert.equal(readFileSync(path, 'utf8'), noteOf(3));
});

test('a checkpoint file without a checkpoint is rejected, and not treated as a new file', async (t) => {
  const path = place(t);
  for (const text of ['', 'garbage', noteOf(1).slice(0, 20)]) {
    writeFileSync(path, text);
    await assert.rejects(openAnchor(path).read(), /has no checkpoint: restore it from its backup/);
  }
});

test('a verified checkpoint replaces only a smaller one in the checkpoint file', async (t) => {
  const path = place(t);
  const anchor = openAnchor(path);
  await anchor.keepNewer(noteOf(3));
  await anchor.keepNewer(noteOf(2));
  await anchor.keepNewer(noteOf(3, otherSigner));
  assert.equal(readFileSync(path, 'utf8'), noteOf(3));
  await Promise.all([anchor.advance(noteOf(4)), anchor.keepNewer(noteOf(5)), anchor.advance(noteOf(6))]);
  assert.equal(readFileSync(path, 'utf8'), noteOf(6));
});
