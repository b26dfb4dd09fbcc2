import { createHash, randomUUID } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { ProblemError, TokenError } from './client-errors.ts';

/** What a proof is for: one request, with the token where it carries one. */
export type DpopRequest = { readonly method: string; readonly url: string; readonly token?: string };

/** Proofs of a key (RFC 9449): whoever gets hold of a token cannot use it without them. */
export type DpopProver = {
  /** The headers of one request. A proof is good once, so that each attempt has its own. */
  headersFor(proven: DpopRequest): Promise<Record<string, string>>;
  /** Keeps the nonce that an answer brings: the next proof has to hold it. */
  storeNonce(answer: Response): void;
  /** Whether the server wants nonces, and may not take the one at hand any more. */
  isNonceExpired(): boolean;
};

const alg = 'ES256';
/** The server takes a nonce for two minutes at least. */
const nonceLifetimeMs = 60_000;

/** Makes the key with the first proof. It is kept in memory alone, cannot be exported, and ends with the client. */
export function createDpop(clock: { now(): number }): DpopProver {
  let keys: Promise<{ readonly privateKey: CryptoKey; readonly jwk: object }> | undefined;
  let nonce: { readonly text: string; readonly at: number } | undefined;
  return {
    headersFor: async ({ method, url, token }) => {
      keys ??= generateDpopKey();
      const { privateKey, jwk } = await keys;
      const htu = url.replace(/[?#].*$/, '');
      const ath = token && createHash('sha256').update(token).digest('base64url');
      // Members that are undefined are left out of its JSON.
      const proof = await new SignJWT({ htm: method, htu, jti: randomUUID(), ath, nonce: nonce?.text })
        .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk })
        .setIssuedAt(Math.floor(clock.now() / 1_000))
        .sign(privateKey);
      return { ...(token === undefined ? {} : { authorization: `DPoP ${token}` }), dpop: proof };
    },
    storeNonce: (answer) => {
      const text = answer.headers.get('dpop-nonce');
      if (text !== null) nonce = { text, at: clock.now() };
    },
    isNonceExpired: () => nonce !== undefined && clock.now() - nonce.at > nonceLifetimeMs,
  };
}

async function generateDpopKey() {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  return { privateKey, jwk: await exportJWK(publicKey) };
}

/** An attempt, and once more where it lacked nothing but the nonce that its refusal brought (RFC 9449, section 8). */
export async function retryWithNonce<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (fault) {
    const isProblem = fault instanceof ProblemError && fault.slug === 'dpop-nonce-needed';
    if (!isProblem && !(fault instanceof TokenError && fault.error === 'use_dpop_nonce')) throw fault;
    return await attempt();
  }
}
