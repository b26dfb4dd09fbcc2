import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { formatCheckpoint } from '../../src/ledger/tlog/checkpoint.ts';
import { leafHash, rootOfHashes, splitPoint } from '../../src/ledger/tlog/merkle.ts';
import { parseSignatures, signNote } from '../../src/ledger/tlog/note.ts';
import { createNoteSigner, parseVkey, signatureTypes } from '../../src/ledger/tlog/note-key.ts';
import { isSubtree, verifySubtreeConsistency } from '../../src/ledger/tlog/subtree.ts';
import { createWitness } from '../../src/ledger/witness.ts';
import { serveWitness } from '../../src/ledger/witness-server.ts';
import { logSigner, origin } from '../support/ledger-app.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const leaves = Array.from({ length: 20 }, (_, at) => leafHash(Buffer.from(`entry ${at}`)));
const hashOf = (from: number, to: number) => rootOfHashes(leaves.slice(from, to));

/** The proof by the recursive definition of the draft (section 4.4.1), for the leaves from `at` on. */
function proofOf(start: number, end: number, [at, n, known]: [number, number, boolean]): Uint8Array[] {
  if (start === 0 && end === n) return known ? [] : [hashOf(at, at + n)];
  const k = splitPoint(n);
  if (end <= k) return [...proofOf(start, end, [at, k, known]), hashOf(at + k, at + n)];
  const inRight = start >= k;
  const rest = proofOf(inRight ? start - k : 0, end - k, [at + k, n - k, inRight && known]);
  return [...rest, hashOf(at, at + k)];
}

test('each subtree of each tree up to 20 leaves has a proof, which fails with any changed hash', () => {
  let count = 0;
  for (let size = 1; size <= leaves.length; size += 1) {
    for (let start = 0; start < size; start += 1) {
      for (let end = start + 1; end <= size; end += 1) {
        if (!isSubtree(start, end)) continue;
        const [subtree, root] = [{ start, end, hash: hashOf(start, end) }, hashOf(0, size)];
        const proof = proofOf(start, end, [0, size, true]);
        assert.ok(verifySubtreeConsistency(subtree, { size, root, proof }), `${start} to ${end} of ${size}`);
        const other = leafHash(Buffer.from('another'));
        for (let at = 0; at < proof.length; at += 1) {
          assert.ok(!verifySubtreeConsistency(subtree, { size, root, proof: proof.with(at, other) }));
        }
        assert.ok(!verifySubtreeConsistency({ ...subtree, hash: other }, { size, root, proof }));
        assert.ok(!verifySubtreeConsistency(subtree, { size, root, proof: [...proof, other] }));
        count += 1;
      }
    }
  }
  assert.ok(count > 500);
});

async function witnessOf(t: TestContext, type: 4 | 6) {
  const folder = makeTestFolder('witness-');
  const signer = createNoteSigner(type, 'w.example', new Uint8Array(32).fill(9));
  const clock = { now: () => Date.UTC(2026, 0, 1) };
  const witness = await createWitness({ signer, logs: [parseVkey(logSigner.vkey) ?? assert.fail()], folder, clock });
  const onFault = (fault: unknown) => assert.fail(String(fault));
  const served = await serveWitness(witness, { host: '127.0.0.1', port: 0, onFault });
  t.after(async () => {
    await served.close();
    await rm(folder, { recursive: true, force: true });
  });
  const post = async (path: string, body: string) => {
    const response = await fetch(`${served.url}${path}`, { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  };
  return { post, key: parseVkey(signer.vkey) ?? assert.fail() };
}

const size = 14;
const note = signNote(formatCheckpoint({ origin, size, root: hashOf(0, size) }), [logSigner], 0);
const base64 = (hash: Uint8Array) => `${Buffer.from(hash).toString('base64')}\n`;
const asked = (checkpoint: string, range = 'subtree 8 13', hash = hashOf(8, 13)) =>
  `${range}\n${base64(hash)}${proofOf(8, 13, [0, size, true]).map(base64).join('')}\n${checkpoint}`;

test('a witness with an ML-DSA key signs a subtree of a log that it has cosigned, and no other', async (t) => {
  const { post, key } = await witnessOf(t, signatureTypes.mlDsaCosignature);
  const { status, text: cosignature } = await post('/add-checkpoint', `old 0\n\n${note}`);
  assert.equal(status, 200);
  const cosigned = `${note}${cosignature}`;

  const signed = await post('/sign-subtree', asked(cosigned));
  assert.equal(signed.status, 200);
  const [line] = parseSignatures(signed.text) ?? [];
  assert.ok(line !== undefined && line.keyId === key.keyId);
  const subtree = { origin, start: 8, end: 13, hash: hashOf(8, 13) };
  assert.equal(key.verifySubtree?.(subtree, line.signature), true);
  assert.equal(key.verifySubtree?.({ ...subtree, end: 12 }, line.signature), false);

  const elsewhere = note.replace(origin, 'elsewhere.example/ledger');
  const refusals: [number, string][] = [
    [400, asked(cosigned, 'subtree 3 13')],
    [400, asked(cosigned, 'subtree 8 15')],
    [400, asked(cosigned, 'subtree 08 13')],
    [400, asked(cosigned, 'subtree 8 8')],
    [400, 'subtree 8 13\n'],
    [403, asked(note)],
    [404, asked(elsewhere)],
    [422, asked(cosigned, 'subtree 8 12')],
    [422, asked(cosigned, 'subtree 8 13', hashOf(8, 12))],
  ];
  for (const [expected, body] of refusals) assert.equal((await post('/sign-subtree', body)).status, expected, body);
});

test('a witness with an Ed25519 key signs no subtree', async (t) => {
  const { post } = await witnessOf(t, signatureTypes.cosignature);
  assert.equal((await post('/sign-subtree', asked(note))).status, 404);
});
