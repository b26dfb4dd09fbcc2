import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { logSigner, origin } from '../../test/support/ledger-app.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { formatCheckpoint } from './tlog/checkpoint.ts';
import { emptyRoot } from './tlog/merkle.ts';
import { signNote } from './tlog/note.ts';
import { createNoteSigner, parseVkey, signatureTypes } from './tlog/note-key.ts';
import { createWitness } from './witness.ts';

const record = createHash('sha256').update(origin).digest('hex');

async function witnessIn(t: TestContext) {
  const above = makeTestFolder('witness-');
  t.after(() => rmSync(above, { recursive: true, force: true }));
  // Does not exist yet.
  const folder = join(above, 'of', 'the', 'log');
  const signer = createNoteSigner(signatureTypes.cosignature, 'w.example', new Uint8Array(32).fill(3));
  const logs = [parseVkey(logSigner.vkey) ?? assert.fail()];
  const witness = await createWitness({ signer, logs, folder, clock: { now: () => Date.UTC(2026, 0, 1) } });
  const add = async (size: number, root: Uint8Array) => {
    const note = signNote(formatCheckpoint({ origin, size, root }), [logSigner], 0);
    return (await witness.addCheckpoint(`old 0\n\n${note}`)).status;
  };
  return { folder, witness, add };
}

test('a witness cosigns only the first of two concurrent histories, and continues from it', async (t) => {
  const { witness, add } = await witnessIn(t);
  const roots = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const;
  assert.deepEqual(await Promise.all(roots.map((root) => add(5, root))), [200, 409]);
  const { body } = await witness.checkpoint(record);
  assert.deepEqual(body.split('\n').slice(0, 3), [origin, '5', roots[0].toString('base64')]);
});

test('a witness cosigns an empty log, and continues after a request that it could not store', async (t) => {
  const { folder, add } = await witnessIn(t);
  mkdirSync(join(folder, record));
  const requests = [add(0, emptyRoot), add(0, emptyRoot)];
  for (const request of requests) await assert.rejects(request, { code: 'EISDIR' });
  rmdirSync(join(folder, record));
  assert.equal(await add(0, emptyRoot), 200);
  assert.equal(await add(5, Buffer.alloc(32, 1)), 200);
});
