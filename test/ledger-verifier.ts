/**
 * A verifier in a process of its own that has nothing but the public key: it holds every receipt in a folder, every pair
 * of checkpoints and a citizen's chain against the log at a URL, and prints what it found as JSON.
 * `node test/ledger-verifier.ts VKEY URL FOLDER`
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chainFault } from '../src/ledger/chain.ts';
import { parseCheckpoint } from '../src/ledger/checkpoint.ts';
import { urlSource } from '../src/ledger/log-source.ts';
import { leafHash, verifyConsistency } from '../src/ledger/merkle.ts';
import { parseNote } from '../src/ledger/note.ts';
import { contentOf, parseOpening } from '../src/ledger/opening.ts';
import { opensUnder, policyOf } from '../src/ledger/policy.ts';
import { parseProof, verifyProof } from '../src/ledger/proof.ts';
import { consistencyProof } from '../src/ledger/tree.ts';
import { verifyLog } from '../src/ledger/verify-log.ts';

const [vkey = '', url = '', folder = ''] = process.argv.slice(2);
const policy = policyOf([vkey]);
const source = urlSource(url, fetch);
const faults: string[] = [];

const filesIn = (name: string) =>
  readdirSync(join(folder, name)).map((file) => readFileSync(join(folder, name, file), 'utf8'));

let opened = 0;
const receipts = filesIn('receipts');
for (const [at, text] of receipts.entries()) {
  const proof = parseProof(text);
  const opening = parseOpening(proof?.extra ?? new Uint8Array());
  if (proof === undefined || opening === undefined) faults.push(`receipt ${at} is none`);
  else {
    const verdict = verifyProof(proof, leafHash(opening.entry), policy);
    if ('fault' in verdict) faults.push(`receipt ${at}: ${verdict.fault}`);
    if (contentOf(opening) !== undefined) opened += 1;
  }
}

const notes = filesIn('checkpoints');
const verdict = await verifyLog(source, { policy, earlier: notes });
if ('fault' in verdict) faults.push(verdict.fault);

const checkpoints = notes.flatMap((text) => {
  const note = parseNote(text);
  return note !== undefined && 'checkpoint' in opensUnder(policy, note) ? [parseCheckpoint(note.text)] : [];
});
let pairs = 0;
for (const before of checkpoints) {
  for (const after of checkpoints) {
    if (before === undefined || after === undefined || before.size > after.size || before.size === 0) continue;
    const readTile = (level: number, index: number, width: number) => source.tile({ level, index, width });
    const proof = await consistencyProof({ size: after.size, readTile }, before.size);
    const question = { oldSize: before.size, oldRoot: before.root, newSize: after.size, newRoot: after.root, proof };
    if (verifyConsistency(question)) pairs += 1;
    else faults.push(`no growth from ${before.size} to ${after.size}`);
  }
}

const [head = '{}', ...uses] = readFileSync(join(folder, 'access-log.jsonl'), 'utf8').trim().split('\n');
const { chain = '', linkKey = '', earlierLinkKey = '', totalUsages } = JSON.parse(head);
const leaves = uses.map(
  (line) => parseOpening(parseProof(JSON.parse(line).proof)?.extra ?? new Uint8Array())?.entry ?? new Uint8Array(),
);
const [linked, earlier] = [Buffer.from(linkKey, 'base64'), Buffer.from(earlierLinkKey, 'base64')];
const gap = chainFault({ chain: Buffer.from(chain, 'base64'), linkKey: linked, earlierLinkKey: earlier, leaves });
if (gap !== undefined) faults.push(gap);
if (totalUsages !== leaves.length) faults.push(`${leaves.length} of ${totalUsages} uses were handed out`);

process.stdout.write(`${JSON.stringify({ receipts: receipts.length, opened, pairs, uses: uses.length, faults })}\n`);
