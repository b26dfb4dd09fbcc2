import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import { ifThere } from '../kernel/if-there.ts';
import { makeFolder } from '../store/sync-folder.ts';
import { type Checkpoint, parseCheckpoint, parseCount, parseHash } from './checkpoint.ts';
import { emptyRoot, verifyConsistency } from './merkle.ts';
import { formatNote, formatSignature, type Note, type NoteSigner, openNote, parseNote } from './note.ts';
import { parseVkey, type VerifierKey } from './note-key.ts';
import { isSubtree, type Subtree, verifySubtreeConsistency } from './subtree.ts';
import { writeSynced } from './synced-file.ts';

/** What a witness answers; `body` as it goes over the wire. */
export type WitnessAnswer = { readonly status: number; readonly contentType: string; readonly body: string };

/** A witness (c2sp.org/tlog-witness): it cosigns a checkpoint only if the log grew from the one that it cosigned before. */
export type Witness = {
  /** `POST add-checkpoint`. The new checkpoint is synced before the cosignature leaves. */
  addCheckpoint(body: string): Promise<WitnessAnswer>;
  /** `POST sign-subtree`; 404 where the key of this witness cannot sign a part of a log: Ed25519 cannot. */
  signSubtree(body: string): WitnessAnswer;
  /** `GET {hash of the origin}/checkpoint`. */
  checkpoint(originHash: string): Promise<WitnessAnswer>;
};

export type WitnessParts = {
  readonly signer: NoteSigner;
  /** The keys of the logs that it watches; the name of a key is the origin of its log. */
  readonly logs: readonly VerifierKey[];
  /** Where it keeps the last checkpoint of each log, a file each. */
  readonly folder: string;
  readonly clock: Clock;
};

const mostHashes = 63;
const text = 'text/plain; charset=utf-8';
const answer = (status: number, body: string, contentType = text): WitnessAnswer => ({ status, contentType, body });

/** The witness of this folder; one process only may have it. Requests are taken one after the other. */
export async function createWitness(parts: WitnessParts): Promise<Witness> {
  await makeFolder(parts.folder);
  let last: Promise<unknown> = Promise.resolve();
  return {
    addCheckpoint: (body) => {
      const result = last.then(() => add(parts, body));
      last = result.catch(() => undefined);
      return result;
    },
    signSubtree: (body) => signSubtree(parts, body),
    checkpoint: async (originHash) => {
      const note = /^[0-9a-f]{64}$/.test(originHash) ? await recorded(parts, originHash) : undefined;
      return note === undefined ? answer(404, 'never cosigned\n') : answer(200, note);
    },
  };
}

const recorded = async ({ folder }: WitnessParts, originHash: string) =>
  await ifThere(readFile(join(folder, originHash), 'utf8'));

async function add(parts: WitnessParts, body: string): Promise<WitnessAnswer> {
  const request = parseRequest(body);
  if (request === undefined) return answer(400, 'malformed request\n');
  const { note, checkpoint } = request;
  const keys = parts.logs.filter(({ name }) => name === checkpoint.origin);
  if (keys.length === 0) return answer(404, 'unknown origin\n');
  const opened = openNote(note, keys);
  if (opened === undefined) return answer(403, 'no good signature of a trusted key\n');
  if (request.oldSize > checkpoint.size) return answer(400, 'the old size is above the new one\n');
  const originHash = createHash('sha256').update(checkpoint.origin).digest('hex');
  const before = await recordedCheckpoint(parts, originHash);
  if (request.oldSize !== before.size) return answer(409, `${before.size}\n`, 'text/x.tlog.size');
  if (!isGrowth(before, checkpoint, request.proof))
    return answer(422, 'the checkpoint does not follow on the last one\n');
  const { name, keyId, sign } = parts.signer;
  const line = { name, keyId, signature: sign(note.text, parts.clock.now()) };
  const kept = formatNote({ text: note.text, signatures: [...opened.verified, line] });
  await writeSynced(join(parts.folder, originHash), kept);
  return answer(200, formatSignature(line));
}

async function recordedCheckpoint(parts: WitnessParts, originHash: string): Promise<Pick<Checkpoint, 'size' | 'root'>> {
  const kept = await recorded(parts, originHash);
  if (kept === undefined) return { size: 0, root: emptyRoot };
  const checkpoint = parseCheckpoint(parseNote(kept)?.text ?? '');
  if (checkpoint === undefined) throw new Error(`${join(parts.folder, originHash)} holds no checkpoint`);
  return checkpoint;
}

function isGrowth(before: Pick<Checkpoint, 'size' | 'root'>, now: Checkpoint, proof: readonly Uint8Array[]): boolean {
  if (now.size === 0 && Buffer.compare(now.root, emptyRoot) !== 0) return false;
  if (before.size === 0) return proof.length === 0;
  return verifyConsistency({ oldSize: before.size, newSize: now.size, oldRoot: before.root, newRoot: now.root, proof });
}

/** What is signed follows from a checkpoint that this witness has cosigned: nothing has to be kept for it. */
function signSubtree({ signer, logs }: WitnessParts, body: string): WitnessAnswer {
  const own = parseVkey(signer.vkey);
  if (signer.signSubtree === undefined || own === undefined)
    return answer(404, 'parts of a log are not cosigned here\n');
  const request = parseSubtreeRequest(body);
  if (request === undefined) return answer(400, 'malformed request\n');
  const { subtree, proof, note, checkpoint } = request;
  const { origin, size, root } = checkpoint;
  if (!logs.some(({ name }) => name === origin)) return answer(404, 'unknown origin\n');
  if (openNote(note, [own]) === undefined) return answer(403, 'this witness has not cosigned the checkpoint\n');
  if (!verifySubtreeConsistency(subtree, { size, root, proof }))
    return answer(422, 'the tree does not have this part\n');
  const { name, keyId } = signer;
  return answer(200, formatSignature({ name, keyId, signature: signer.signSubtree({ origin, ...subtree }) }));
}

type SubtreeRequest = Omit<Request, 'oldSize'> & { readonly subtree: Subtree };

function parseSubtreeRequest(body: string): SubtreeRequest | undefined {
  const end = body.indexOf('\n\n');
  if (end < 0) return undefined;
  const [rangeLine = '', hashLine = '', ...proofLines] = body.slice(0, end).split('\n');
  const [, from = '', to = ''] = /^subtree (\d+) (\d+)$/.exec(rangeLine) ?? [];
  const range = { start: parseCount(from), end: parseCount(to) };
  const hash = parseHash(hashLine);
  const rest = parseRest(proofLines, body.slice(end + 2));
  if (range.start === undefined || range.end === undefined || hash === undefined || rest === undefined)
    return undefined;
  const subtree = { start: range.start, end: range.end, hash };
  const isPart = subtree.start < subtree.end && isSubtree(subtree.start, subtree.end);
  return isPart && subtree.end <= rest.checkpoint.size ? { subtree, ...rest } : undefined;
}

type Request = {
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
  readonly note: Note;
  readonly checkpoint: Checkpoint;
};

function parseRequest(body: string): Request | undefined {
  const end = body.indexOf('\n\n');
  if (end < 0) return undefined;
  const [oldLine = '', ...hashLines] = body.slice(0, end).split('\n');
  const oldSize = oldLine.startsWith('old ') ? parseCount(oldLine.slice('old '.length)) : undefined;
  const rest = parseRest(hashLines, body.slice(end + 2));
  return oldSize === undefined || rest === undefined ? undefined : { oldSize, ...rest };
}

/** The hashes of a proof, and the checkpoint below them. */
function parseRest(hashLines: readonly string[], checkpointText: string): Omit<Request, 'oldSize'> | undefined {
  const proof = hashLines.map(parseHash).filter((one) => one !== undefined);
  const note = parseNote(checkpointText);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (proof.length !== hashLines.length || proof.length > mostHashes) return undefined;
  return note === undefined || checkpoint === undefined ? undefined : { proof, note, checkpoint };
}
