import { createHash, randomUUID } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { ProblemError, TokenError } from './client-errors.ts';

/** The request that a proof is for, with its access token if it has one. */
export type DpopRequest = { readonly method: string; readonly url: string; readonly token?: string };

/** Creates proofs of possession of a key (RFC 9449). A stolen token is useless without the key. */
export type DpopProver = {
  /** The headers of one request. The server accepts a proof once, so each attempt needs a new one. */
  headersFor(request: DpopRequest): Promise<Record<string, string>>;
  /** Stores the nonce of a response for the next proof. */
  storeNonce(response: Response): void;
  /** Whether the server uses nonces and the stored one may have expired. */
  isNonceExpired(): boolean;
};

const alg = 'ES256';
/** Shorter than the two minutes for which the server accepts a nonce at least. */
const nonceLifetimeMs = 60_000;

/** Creates a prover. It generates its key with the first proof, only in memory. The private key cannot be exported. */
export function createDpop(clock: { now(): number }): DpopProver {
  let keys: Promise<{ readonly privateKey: CryptoKey; readonly jwk: object }> | undefined;
  let nonce: { readonly text: string; readonly at: number } | undefined;
  return {
    headersFor: async ({ method, url, token }) => {
      keys ??= generateDpopKey();
      const { privateKey, jwk } = await keys;
      const htu = url.replace(/[?#].*$/, '');
      const ath = token && createHash('sha256').update(token).digest('base64url');
      // JSON omits members that are undefined.
      const proof = await new SignJWT({ htm: method, htu, jti: randomUUID(), ath, nonce: nonce?.text })
        .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk })
        .setIssuedAt(Math.floor(clock.now() / 1_000))
        .sign(privateKey);
      return { ...(token === undefined ? {} : { authorization: `DPoP ${token}` }), dpop: proof };
    },
    storeNonce: (response) => {
      const text = response.headers.get('dpop-nonce');
      if (text !== null) nonce = { text, at: clock.now() };
    },
    isNonceExpired: () => nonce !== undefined && clock.now() - nonce.at > nonceLifetimeMs,
  };
}

async function generateDpopKey() {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  return { privateKey, jwk: await exportJWK(publicKey) };
}

/** Runs an attempt, and repeats it once if only the nonce was missing or old (RFC 9449, section 8). */
export async function retryWithNonce<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (fault) {
    const isProblem = fault instanceof ProblemError && fault.slug === 'dpop-nonce-needed';
    if (!isProblem && !(fault instanceof TokenError && fault.error === 'use_dpop_nonce')) throw fault;
    return await attempt();
  }
}
