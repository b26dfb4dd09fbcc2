import type { StoredCheckpoint } from './ledger-store.ts';
import { type FetchUrl, readBodyUpTo } from './log-source.ts';
import type { LogView } from './log-view.ts';
import { parseCount } from './tlog/checkpoint.ts';
import { formatNote, isSignedBy, parseNote, parseSignatures, type SignatureLine } from './tlog/note.ts';
import type { TlogPolicy, TrustedWitness } from './tlog/tlog-policy.ts';

/** Part of the fault of a witness that has cosigned another tree than this log has; it raises `ledger-alarm`. */
export const splitViewMarker = 'a second history';

/** A witness gave no valid cosignature; the message completes "witness NAME: …". */
class WitnessFault extends Error {
  override readonly name = 'WitnessFault';
}

const timeoutMs = 10_000;
const maxResponseBytes = 64_000;

type WitnessClientDeps = { readonly log: Pick<LogView, 'consistencyProof'>; readonly fetchUrl: FetchUrl };

/**
 * Requests cosignatures of this log from the witnesses of a policy (c2sp.org/tlog-witness). It never returns an invalid one. It
 * remembers in memory the last size that each witness cosigned. After a restart the witness refuses the first request (409) and
 * names that size.
 */
export function createWitnessClient(policy: TlogPolicy, log: Pick<LogView, 'consistencyProof'>, fetchUrl: FetchUrl) {
  const lastSizes = new Map<string, number>();
  const deps = { log, fetchUrl };

  async function requestCosignature(witness: TrustedWitness, checkpoint: StoredCheckpoint): Promise<SignatureLine> {
    let answer = await submit(deps, witness, checkpoint, lastSizes.get(witness.name) ?? 0);
    if ('size' in answer) {
      if (answer.size > checkpoint.size) {
        throw new WitnessFault(
          `has cosigned ${answer.size} entries of this log, which has ${checkpoint.size}: ${splitViewMarker}?`,
        );
      }
      answer = await submit(deps, witness, checkpoint, answer.size);
    }
    if ('size' in answer) throw new WitnessFault('reports another size in each response');
    lastSizes.set(witness.name, checkpoint.size);
    return answer.line;
  }

  return {
    collect: async (checkpoint: StoredCheckpoint) => {
      const note = parseNote(checkpoint.note);
      if (note === undefined) throw new TypeError('a stored checkpoint is a signed note');
      const witnesses = policy.witnesses.filter(({ url }) => url !== undefined);
      const results = await Promise.allSettled(witnesses.map((witness) => requestCosignature(witness, checkpoint)));
      const lines = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      const faults = results.flatMap((result, at) =>
        result.status === 'rejected' ? [`witness ${witnesses[at]?.name}: ${reasonMessage(result.reason)}`] : [],
      );
      const cosigned = policy.witnesses.filter(({ key }) => lines.some((line) => isSignedBy(line, key)));
      return {
        note: formatNote({ text: note.text, signatures: [...note.signatures, ...lines] }),
        isQuorum: policy.isQuorum(new Set(cosigned.map(({ name }) => name))),
        faults,
      };
    },
  };
}

/** One `add-checkpoint` request: the verified cosignature, or the size that the witness has cosigned (409). */
async function submit(
  { log, fetchUrl }: WitnessClientDeps,
  { key, url = '' }: TrustedWitness,
  { size, note }: StoredCheckpoint,
  oldSize: number,
): Promise<{ readonly line: SignatureLine } | { readonly size: number }> {
  const proof = await log.consistencyProof(oldSize, size);
  const hashes = proof.map((one) => `${Buffer.from(one).toString('base64')}\n`).join('');
  const response = await fetchUrl(`${url.replace(/\/+$/, '')}/add-checkpoint`, {
    method: 'POST',
    body: `old ${oldSize}\n${hashes}\n${note}`,
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  });
  const body = Buffer.from(await readBodyUpTo(response, maxResponseBytes)).toString();
  if (response.status === 409) {
    const known = parseCount(body.trim());
    if (known !== undefined) return { size: known };
  }
  // With an old size of 0 there is no proof, and 422 has another cause.
  if (response.status === 422 && oldSize > 0) {
    throw new WitnessFault(`has cosigned ${oldSize} entries with which this log does not start: ${splitViewMarker}?`);
  }
  if (response.status !== 200) throw new WitnessFault(`answered ${response.status}`);
  const text = parseNote(note)?.text ?? '';
  const line = parseSignatures(body)?.find((one) => isSignedBy(one, key));
  if (line === undefined || !key.verify(text, line.signature)) throw new WitnessFault('gave no valid cosignature');
  return { line };
}

function reasonMessage(reason: unknown): string {
  return reason instanceof Error ? reason.message : 'failed';
}
