import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSyncedFolder } from '../db/sync-folder.ts';
import type { Clock } from '../kernel/clock.ts';
import { undefinedIfMissing } from '../kernel/undefined-if-missing.ts';
import { replaceFileSynced } from './replace-file-synced.ts';
import { type Checkpoint, parseCheckpoint, parseCount, parseHash } from './tlog/checkpoint.ts';
import { emptyRoot, verifyConsistency } from './tlog/merkle.ts';
import { formatNote, formatSignature, type Note, type NoteSigner, openNote, parseNote } from './tlog/note.ts';
import { parseVkey, type VerifierKey } from './tlog/note-key.ts';
import { isSubtree, type Subtree, verifySubtreeConsistency } from './tlog/subtree.ts';

/** The HTTP response of a witness. */
export type WitnessAnswer = { readonly status: number; readonly contentType: string; readonly body: string };

/** See `createWitness`. */
export type Witness = Awaited<ReturnType<typeof createWitness>>;

/** The stored checkpoint of a log is damaged. Cosigning stops, because its last size is unknown. */
class WitnessStateError extends Error {
  override readonly name = 'WitnessStateError';
}

type WitnessDeps = {
  readonly signer: NoteSigner;
  /** The keys of the watched logs; the name of a key is the origin of its log. */
  readonly logs: readonly VerifierKey[];
  /** One file for each log with its last checkpoint. */
  readonly folder: string;
  readonly clock: Clock;
};

const maxProofHashes = 63;
const plainText = 'text/plain; charset=utf-8';
const createAnswer = (status: number, body: string, contentType = plainText): WitnessAnswer => ({
  status,
  contentType,
  body,
});

/**
 * Opens a witness (c2sp.org/tlog-witness) in its folder, which only one process may use. It cosigns a checkpoint only if the log
 * grew from the last one that it cosigned, and handles `add-checkpoint` requests one after the other. The new checkpoint is synced
 * before the cosignature leaves; after a crash in between, the log gets 409 with the new size and asks again.
 */
export async function createWitness(deps: WitnessDeps) {
  await createSyncedFolder(deps.folder);
  let last: Promise<unknown> = Promise.resolve();
  return {
    addCheckpoint: (body: string) => {
      const result = last.then(() => cosignCheckpoint(deps, body));
      last = result.catch(() => undefined);
      return result;
    },
    /** 404 if the key of this witness cannot sign subtrees (Ed25519 cannot). */
    signSubtree: (body: string) => signSubtree(deps, body),
    /** The last cosigned checkpoint of the log with that hash of its origin. */
    checkpoint: async (originHash: string) => {
      const note = /^[0-9a-f]{64}$/.test(originHash) ? await readNote(deps, originHash) : undefined;
      return note === undefined ? createAnswer(404, 'never cosigned\n') : createAnswer(200, note);
    },
  };
}

const readNote = async ({ folder }: WitnessDeps, originHash: string) =>
  await undefinedIfMissing(readFile(join(folder, originHash), 'utf8'));

async function cosignCheckpoint(deps: WitnessDeps, body: string): Promise<WitnessAnswer> {
  const request = parseAddCheckpoint(body);
  if (request === undefined) return createAnswer(400, 'malformed request\n');
  const { note, checkpoint } = request;
  const keys = deps.logs.filter(({ name }) => name === checkpoint.origin);
  if (keys.length === 0) return createAnswer(404, 'unknown origin\n');
  const opened = openNote(note, keys);
  if (opened === undefined) return createAnswer(403, 'no good signature of a trusted key\n');
  if (request.oldSize > checkpoint.size) return createAnswer(400, 'the old size is above the new one\n');
  const originHash = createHash('sha256').update(checkpoint.origin).digest('hex');
  const before = await readLastCheckpoint(deps, originHash);
  if (request.oldSize !== before.size) return createAnswer(409, `${before.size}\n`, 'text/x.tlog.size');
  if (!isConsistent(before, checkpoint, request.proof))
    return createAnswer(422, 'the checkpoint does not follow on the last one\n');
  const { name, keyId, sign } = deps.signer;
  const line = { name, keyId, signature: sign(note.text, deps.clock.now()) };
  const stored = formatNote({ text: note.text, signatures: [...opened.verified, line] });
  await replaceFileSynced(join(deps.folder, originHash), stored);
  return createAnswer(200, formatSignature(line));
}

async function readLastCheckpoint(deps: WitnessDeps, originHash: string): Promise<Pick<Checkpoint, 'size' | 'root'>> {
  const stored = await readNote(deps, originHash);
  if (stored === undefined) return { size: 0, root: emptyRoot };
  const checkpoint = parseCheckpoint(parseNote(stored)?.text ?? '');
  if (checkpoint === undefined) throw new WitnessStateError(`${join(deps.folder, originHash)} holds no checkpoint`);
  return checkpoint;
}

function isConsistent(
  before: Pick<Checkpoint, 'size' | 'root'>,
  now: Checkpoint,
  proof: readonly Uint8Array[],
): boolean {
  if (now.size === 0 && Buffer.compare(now.root, emptyRoot) !== 0) return false;
  if (before.size === 0) return proof.length === 0;
  return verifyConsistency({ oldSize: before.size, newSize: now.size, oldRoot: before.root, newRoot: now.root, proof });
}

/** It signs only subtrees of a checkpoint that this witness has cosigned, so it stores nothing. */
function signSubtree({ signer, logs }: WitnessDeps, body: string): WitnessAnswer {
  const own = parseVkey(signer.vkey);
  if (signer.signSubtree === undefined || own === undefined)
    return createAnswer(404, 'parts of a log are not cosigned here\n');
  const request = parseSubtreeRequest(body);
  if (request === undefined) return createAnswer(400, 'malformed request\n');
  const { subtree, proof, note, checkpoint } = request;
  const { origin, size, root } = checkpoint;
  if (!logs.some(({ name }) => name === origin)) return createAnswer(404, 'unknown origin\n');
  if (openNote(note, [own]) === undefined) return createAnswer(403, 'this witness has not cosigned the checkpoint\n');
  if (!verifySubtreeConsistency(subtree, { size, root, proof }))
    return createAnswer(422, 'the tree does not have this part\n');
  const { name, keyId } = signer;
  return createAnswer(200, formatSignature({ name, keyId, signature: signer.signSubtree({ origin, ...subtree }) }));
}

type SubtreeRequest = Omit<AddCheckpointRequest, 'oldSize'> & { readonly subtree: Subtree };

function parseSubtreeRequest(body: string): SubtreeRequest | undefined {
  const end = body.indexOf('\n\n');
  if (end < 0) return undefined;
  const [rangeLine = '', hashLine = '', ...proofLines] = body.slice(0, end).split('\n');
  const [, from = '', to = ''] = /^subtree (\d+) (\d+)$/.exec(rangeLine) ?? [];
  const range = { start: parseCount(from), end: parseCount(to) };
  const hash = parseHash(hashLine);
  const rest = parseProofAndCheckpoint(proofLines, body.slice(end + 2));
  if (range.start === undefined || range.end === undefined || hash === undefined || rest === undefined)
    return undefined;
  const subtree = { start: range.start, end: range.end, hash };
  const isPart = subtree.start < subtree.end && isSubtree(subtree.start, subtree.end);
  return isPart && subtree.end <= rest.checkpoint.size ? { subtree, ...rest } : undefined;
}

type AddCheckpointRequest = {
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
  readonly note: Note;
  readonly checkpoint: Checkpoint;
};

function parseAddCheckpoint(body: string): AddCheckpointRequest | undefined {
  const end = body.indexOf('\n\n');
  if (end < 0) return undefined;
  const [oldLine = '', ...hashLines] = body.slice(0, end).split('\n');
  const oldSize = oldLine.startsWith('old ') ? parseCount(oldLine.slice('old '.length)) : undefined;
  const rest = parseProofAndCheckpoint(hashLines, body.slice(end + 2));
  return oldSize === undefined || rest === undefined ? undefined : { oldSize, ...rest };
}

/** Parses the proof hashes, and the checkpoint after them. */
function parseProofAndCheckpoint(
  hashLines: readonly string[],
  checkpointText: string,
): Omit<AddCheckpointRequest, 'oldSize'> | undefined {
  const proof = hashLines.map(parseHash).filter((one) => one !== undefined);
  const note = parseNote(checkpointText);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (proof.length !== hashLines.length || proof.length > maxProofHashes) return undefined;
  return note === undefined || checkpoint === undefined ? undefined : { proof, note, checkpoint };
}
