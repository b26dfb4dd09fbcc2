/**
 * A verifier in a process of its own with only the public key: it verifies each receipt in a folder, each pair of checkpoints
 * and a citizen's chain against the log at a URL, and prints the result as JSON. `node
 * test/scenarios/ledger-verifier-process.ts VKEY URL FOLDER`
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { httpLogSource } from '../../src/ledger/log-source.ts';
import { openEntryContent, parseReceiptExtra } from '../../src/ledger/receipt-extra.ts';
import { parseCheckpoint } from '../../src/ledger/tlog/checkpoint.ts';
import { leafHash, verifyConsistency } from '../../src/ledger/tlog/merkle.ts';
import { parseNote } from '../../src/ledger/tlog/note.ts';
import { consistencyProof } from '../../src/ledger/tlog/tiled-tree.ts';
import { policyWithoutWitnesses, verifyCheckpointNote } from '../../src/ledger/tlog/tlog-policy.ts';
import { parseProof, verifyProof } from '../../src/ledger/tlog/tlog-proof.ts';
import { verifyChain } from '../../src/ledger/verify-chain.ts';
import { verifyLog } from '../../src/ledger/verify-log.ts';

const [vkey = '', url = '', folder = ''] = process.argv.slice(2);
const policy = policyWithoutWitnesses([vkey]);
const source = httpLogSource(url, fetch);
const faults: string[] = [];

const filesIn = (name: string) =>
  readdirSync(join(folder, name)).map((file) => readFileSync(join(folder, name, file), 'utf8'));

let openedReceipts = 0;
const receipts = filesIn('receipts');
for (const [at, text] of receipts.entries()) {
  const proof = parseProof(text);
  const opening = parseReceiptExtra(proof?.extra ?? new Uint8Array());
  if (proof === undefined || opening === undefined) faults.push(`receipt ${at} is none`);
  else {
    const verdict = verifyProof(proof, leafHash(opening.entry), policy);
    if ('fault' in verdict) faults.push(`receipt ${at}: ${verdict.fault}`);
    if (openEntryContent(opening) !== undefined) openedReceipts += 1;
  }
}

const notes = filesIn('checkpoints');
const verdict = await verifyLog(source, { policy, earlier: notes });
if ('fault' in verdict) faults.push(verdict.fault);

const checkpoints = notes.flatMap((text) => {
  const note = parseNote(text);
  return note !== undefined && 'checkpoint' in verifyCheckpointNote(policy, note) ? [parseCheckpoint(note.text)] : [];
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
  (line) => parseReceiptExtra(parseProof(JSON.parse(line).proof)?.extra ?? new Uint8Array())?.entry ?? new Uint8Array(),
);
const [linked, earlier] = [Buffer.from(linkKey, 'base64'), Buffer.from(earlierLinkKey, 'base64')];
const chainGap = verifyChain({ chain: Buffer.from(chain, 'base64'), linkKey: linked, earlierLinkKey: earlier, leaves });
if (chainGap !== undefined) faults.push(chainGap);
if (totalUsages !== leaves.length) faults.push(`${leaves.length} of ${totalUsages} uses were handed out`);

process.stdout.write(
  `${JSON.stringify({ receipts: receipts.length, opened: openedReceipts, pairs, uses: uses.length, faults })}\n`,
);
