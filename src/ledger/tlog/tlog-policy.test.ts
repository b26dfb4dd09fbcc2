import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCheckpoint } from './checkpoint.ts';
import { leafHash, nodeHash } from './merkle.ts';
import { formatNote, formatSignature, parseNote, parseSignatures, signNote } from './note.ts';
import { createNoteSigner, parseVkey, signatureTypes } from './note-key.ts';
import { parseTlogPolicy, policyWithoutWitnesses, TlogPolicyError, verifyCheckpointNote } from './tlog-policy.ts';
import { formatProof, parseProof, verifyProof } from './tlog-proof.ts';

const { ed25519, cosignature, mlDsaCosignature } = signatureTypes;
const seed = (byte: number) => new Uint8Array(32).fill(byte);
const log = createNoteSigner(ed25519, 'log.example/ledger', seed(1));
const w1 = createNoteSigner(cosignature, 'w1.example', seed(2));
const w2 = createNoteSigner(mlDsaCosignature, 'w2.example', seed(3));
const w3 = createNoteSigner(cosignature, 'w3.example', seed(4));
const entries = ['a', 'b'].map((text) => leafHash(Buffer.from(text)));
const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = entries;
const text = formatCheckpoint({ origin: log.name, size: 2, root: nodeHash(first, second) });

const policyText = `# who watches
log ${log.vkey} https://log.example/ledger/
witness one ${w1.vkey}
witness two ${w2.vkey} https://w2.example/
witness three	${w3.vkey}
group city any one two
group all-of-them 2 city three
quorum all-of-them
`;

test('a quorum of groups needs a witness of each required group', () => {
  const policy = parseTlogPolicy(policyText);
  const trusts = (signers: Parameters<typeof signNote>[1]) => {
    const note = parseNote(signNote(text, signers, 1_700_000_000_000));
    assert.ok(note !== undefined);
    const opened = verifyCheckpointNote(policy, note);
    return 'fault' in opened ? opened.fault : opened.witnesses;
  };
  assert.deepEqual(trusts([log, w1, w3]), ['one', 'three']);
  assert.deepEqual(trusts([w2, w3, log]), ['two', 'three']);
  assert.equal(trusts([log, w1, w2]), 'too few witnesses cosigned the checkpoint');
  assert.equal(trusts([w1, w2, w3]), 'no trusted log of this origin signed the checkpoint');
  assert.equal(
    trusts([createNoteSigner(ed25519, log.name, seed(9))]),
    'no trusted key signed the checkpoint, or a signature of one is bad',
  );
});

test('a policy with a repeated, early or missing line is rejected with the line number', () => {
  const wrong: [string, number][] = [
    [`log ${log.vkey}`, 1],
    [`log ${log.vkey}\nlog ${log.vkey}\nquorum none`, 2],
    [`log ${w1.vkey}\nquorum none`, 1],
    [`witness one ${log.vkey}\nquorum none`, 1],
    [`witness one ${w1.vkey}\nwitness one ${w2.vkey}\nquorum one`, 2],
    [`group city any one\nwitness one ${w1.vkey}\nquorum city`, 1],
    [`witness one ${w1.vkey}\ngroup city 2 one\nquorum city`, 2],
    [`witness one ${w1.vkey}\ngroup city any one\ngroup town any one\nquorum town`, 3],
    ['quorum none\nquorum none', 2],
    ['log some+key\nquorum none', 1],
    [`log ${log.vkey} https://log.example more\nquorum none`, 1],
    [`log ${log.vkey} no-url\nquorum none`, 1],
    [`witness none ${w1.vkey}\nquorum none`, 1],
    [`witness one ${w1.vkey}\ngroup none any one\nquorum none`, 2],
    [`witness one ${w1.vkey}\nquorum one more`, 2],
    [`witness one ${w1.vkey}\nwitness two ${w1.vkey}\nquorum one`, 2],
    ['quorum nobody', 1],
    ['verify everything', 1],
  ];
  for (const [policy, line] of wrong) {
    assert.throws(
      () => parseTlogPolicy(policy),
      (fault) => fault instanceof TlogPolicyError && fault.message.includes(`line ${line}:`),
      policy,
    );
  }
});

test('an ML-DSA cosignature verifies for its cosigner and time, and for nothing else', () => {
  const key = parseVkey(w2.vkey);
  const signature = w2.sign(text, 1_700_000_000_000);
  assert.equal(signature.length, 2_428);
  assert.ok(key?.verify(text, signature));
  const later = Buffer.from(signature);
  later.writeUInt8(later.readUInt8(7) + 1, 7);
  assert.ok(!key?.verify(text, later));
  assert.ok(!key?.verify(text.replace('\n2\n', '\n3\n'), signature));
  assert.ok(!parseVkey(createNoteSigner(mlDsaCosignature, 'w9.example', seed(3)).vkey)?.verify(text, signature));
});

test('a proof parses to what was formatted, verifies for its entry, and fails for another', () => {
  const policy = policyWithoutWitnesses([log.vkey]);
  const checkpoint = signNote(text, [log], 0);
  const proof = { extra: Buffer.from('opening'), index: 1, hashes: [first], checkpoint };
  const parsed = parseProof(formatProof(proof));
  assert.deepEqual(parsed, proof);
  assert.ok(parsed !== undefined && 'checkpoint' in verifyProof(parsed, second, policy));
  assert.ok('fault' in verifyProof(parsed, first, policy));
  assert.ok('fault' in verifyProof({ ...parsed, index: 0 }, second, policy));
  assert.ok('fault' in verifyProof({ ...parsed, checkpoint: checkpoint.replace('\n2\n', '\n3\n') }, second, policy));
  const written = formatProof(proof);
  const line = `${first.toString('base64')}\n`;
  for (const wrong of [
    ...['', 'c2sp.org/tlog-proof@v1\nindex 1\nx', 'c2sp.org/tlog-proof@v1\nindex 01\n\nx'],
    written.replace('@v1', '@v2'),
    written.replace(/extra .*/, 'extra no base64'),
    written.replace(line, line.slice(5)),
    written.replace(line, line.repeat(64)),
  ]) {
    assert.equal(parseProof(wrong), undefined, wrong);
  }
  assert.equal(parseProof(written.replace(line, line.repeat(63)))?.hashes.length, 63);
});

test('the signature lines of a witness can be appended to a note', () => {
  const note = parseNote(signNote(text, [log], 0));
  const line = { name: w1.name, keyId: w1.keyId, signature: w1.sign(text, 5_000) };
  const [read] = parseSignatures(formatSignature(line)) ?? [];
  assert.ok(note !== undefined && read !== undefined);
  const both = parseNote(formatNote({ text, signatures: [...note.signatures, read] }));
  assert.ok(both !== undefined);
  const policy = parseTlogPolicy(`log ${log.vkey}\nwitness one ${w1.vkey}\nquorum one\n`);
  assert.ok('checkpoint' in verifyCheckpointNote(policy, both));
});
