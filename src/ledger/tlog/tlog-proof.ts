import { parseBase64, parseCount, parseHash } from './checkpoint.ts';
import { verifyInclusion } from './merkle.ts';
import { parseNote } from './note.ts';
import { type TlogPolicy, type TrustedCheckpoint, verifyCheckpointNote } from './tlog-policy.ts';

/** A proof that a log contains an entry (c2sp.org/tlog-proof). It verifies offline. `extra` is not authenticated. */
export type TlogProof = {
  readonly extra?: Uint8Array | undefined;
  readonly index: number;
  readonly hashes: readonly Uint8Array[];
  /** The signed checkpoint, verbatim. */
  readonly checkpoint: string;
};

const header = 'c2sp.org/tlog-proof@v1';
const maxProofHashes = 63;

/** The text of a `.tlog-proof` file. */
export function formatProof({ extra, index, hashes, checkpoint }: TlogProof): string {
  const extraLine = extra === undefined ? '' : `extra ${Buffer.from(extra).toString('base64')}\n`;
  const lines = hashes.map((one) => `${Buffer.from(one).toString('base64')}\n`).join('');
  return `${header}\n${extraLine}index ${index}\n${lines}\n${checkpoint}`;
}

/** Parses a proof; undefined if it is malformed. Nothing is verified. */
export function parseProof(text: string): TlogProof | undefined {
  const end = text.indexOf('\n\n');
  if (end < 0) return undefined;
  const [first, ...lines] = text.slice(0, end).split('\n');
  if (first !== header) return undefined;
  const extraLine = lines[0]?.startsWith('extra ') === true ? lines.shift() : undefined;
  const extra = extraLine === undefined ? undefined : parseBase64(extraLine.slice('extra '.length));
  if (extraLine !== undefined && extra === undefined) return undefined;
  const indexLine = lines.shift() ?? '';
  const index = indexLine.startsWith('index ') ? parseCount(indexLine.slice('index '.length)) : undefined;
  if (index === undefined || lines.length > maxProofHashes) return undefined;
  const hashes: Uint8Array[] = [];
  for (const line of lines) {
    const one = parseHash(line);
    if (one === undefined) return undefined;
    hashes.push(one);
  }
  return { extra, index, hashes, checkpoint: text.slice(end + 2) };
}

/** The verified checkpoint, or why the proof does not hold. */
export type ProofResult = TrustedCheckpoint | { readonly fault: string };

/** Verifies that a log that the policy trusts contains the entry with this leaf hash. */
export function verifyProof(
  { index, hashes, checkpoint }: TlogProof,
  leaf: Uint8Array,
  policy: TlogPolicy,
): ProofResult {
  const note = parseNote(checkpoint);
  const trusted =
    note === undefined ? { fault: 'the checkpoint is no signed note' } : verifyCheckpointNote(policy, note);
  if ('fault' in trusted) return trusted;
  const { size, root } = trusted.checkpoint;
  return verifyInclusion({ index, size, leaf, proof: hashes, root })
    ? trusted
    : { fault: 'the entry is not in the tree of this checkpoint' };
}
