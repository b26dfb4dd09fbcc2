import type { StoredCheckpoint } from './ledger-store.ts';
import { type FetchUrl, readBodyUpTo } from './log-source.ts';
import type { LogView } from './log-view.ts';
import { parseCount } from './tlog/checkpoint.ts';
import { formatNote, parseNote, parseSignatures, type SignatureLine } from './tlog/note.ts';
import type { TlogPolicy, TrustedWitness } from './tlog/tlog-policy.ts';

/** Stands in the fault of a witness that has cosigned a tree which this log does not have. */
export const splitViewMarker = 'a second history';

/** What asking all witnesses came to: the note with every good cosignature, whether they are a quorum, and who failed how. */
export type CollectedCosignatures = {
  readonly note: string;
  readonly isQuorum: boolean;
  readonly faults: readonly string[];
};

/** Asks the witnesses of a policy to cosign (c2sp.org/tlog-witness). */
export type WitnessClient = { collect(checkpoint: StoredCheckpoint): Promise<CollectedCosignatures> };

const timeoutMs = 10_000;
const maxResponseBytes = 64_000;

/** The client of this log. What each witness has seen is remembered, and learnt anew from its refusal. */
export function createWitnessClient(
  policy: TlogPolicy,
  log: Pick<LogView, 'consistencyProof'>,
  fetching: FetchUrl,
): WitnessClient {
  const lastSizes = new Map<string, number>();

  async function requestCosignature(witness: TrustedWitness, checkpoint: StoredCheckpoint): Promise<SignatureLine> {
    let answer = await submit(witness, checkpoint, lastSizes.get(witness.name) ?? 0);
    if ('size' in answer) {
      if (answer.size > checkpoint.size) {
        throw new Error(
          `has cosigned ${answer.size} entries of this log, which has ${checkpoint.size}: ${splitViewMarker}?`,
        );
      }
      answer = await submit(witness, checkpoint, answer.size);
    }
    if ('size' in answer) throw new Error('names another size each time it is asked');
    lastSizes.set(witness.name, checkpoint.size);
    return answer.line;
  }

  async function submit(
    { key, url = '' }: TrustedWitness,
    { size, note }: StoredCheckpoint,
    oldSize: number,
  ): Promise<{ readonly line: SignatureLine } | { readonly size: number }> {
    const proof = await log.consistencyProof(oldSize, size);
    const hashes = proof.map((one) => `${Buffer.from(one).toString('base64')}\n`).join('');
    const response = await fetching(`${url.replace(/\/+$/, '')}/add-checkpoint`, {
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
    // Of a log that it has not seen it says so of something else.
    if (response.status === 422 && oldSize > 0) {
      throw new Error(`has cosigned ${oldSize} entries that this log does not begin with: ${splitViewMarker}?`);
    }
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
    const text = parseNote(note)?.text ?? '';
    const line = parseSignatures(body)?.find(({ name, keyId }) => name === key.name && keyId === key.keyId);
    if (line === undefined || !key.verify(text, line.signature)) throw new Error('gave no good cosignature');
    return { line };
  }

  return {
    collect: async (checkpoint) => {
      const note = parseNote(checkpoint.note);
      if (note === undefined) throw new TypeError('a stored checkpoint is a signed note');
      const asked = policy.witnesses.filter(({ url }) => url !== undefined);
      const results = await Promise.allSettled(asked.map((witness) => requestCosignature(witness, checkpoint)));
      const lines = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      const faults = results.flatMap((result, at) =>
        result.status === 'rejected' ? [`witness ${asked[at]?.name}: ${reasonMessage(result.reason)}`] : [],
      );
      const whole = { text: note.text, signatures: [...note.signatures, ...lines] };
      const known = policy.witnesses.filter(({ key }) =>
        lines.some(({ keyId, name }) => keyId === key.keyId && name === key.name),
      );
      return { note: formatNote(whole), isQuorum: policy.isQuorum(new Set(known.map(({ name }) => name))), faults };
    },
  };
}

function reasonMessage(reason: unknown): string {
  return reason instanceof Error ? reason.message : 'failed';
}
