import { parseBase64, parseCount, parseHash } from './checkpoint.ts';
import { verifyInclusion } from './merkle.ts';
import { type CheckpointVerdict, type TlogPolicy, verifyCheckpointNote } from './tlog-policy.ts';

/** A proof that a log contains an entry (c2sp.org/tlog-proof). It verifies offline. `extra` is not authenticated. */
type TlogProof = {
  readonly extra?: Uint8Array | undefined;
  readonly index: number;
  readonly hashes: readonly Uint8Array[];
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
  const hashes = lines.map(parseHash).filter((one) => one !== undefined);
  if (hashes.length < lines.length) return undefined;
  return { extra, index, hashes, checkpoint: text.slice(end + 2) };
}

/** Verifies that a log that the policy trusts contains the entry with this leaf hash. */
export function verifyProof(
  { index, hashes, checkpoint }: TlogProof,
  leaf: Uint8Array,
  policy: TlogPolicy,
): CheckpointVerdict {
  const verdict = verifyCheckpointNote(policy, checkpoint);
  if ('fault' in verdict) return verdict;
  const { size, root } = verdict.checkpoint;
  return verifyInclusion({ index, size, leaf, proof: hashes, root })
    ? verdict
    : { fault: 'the entry is not in the tree of this checkpoint' };
}
