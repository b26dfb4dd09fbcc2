import type { Clock } from '../kernel/clock.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { Confirmation } from './access-token.ts';
import { invalidAccessToken, refusedProof, type Scheme } from './challenge.ts';
import type { Binding } from './client.ts';
import type { DpopNonces } from './dpop-nonces.ts';
import { checkDpopProof, type DpopProofFault } from './dpop-proof.ts';
import type { IsFirstUse } from './used-proof-store.ts';

/** What a request shows besides its token. */
export type PresentedProof = {
  readonly method: string;
  /** As it stands in the request line, without query. */
  readonly path?: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** The thumbprint of the caller's certificate; asked only for tokens that are bound to one. */
  readonly certificate?: () => string | undefined;
};

/** What the check of a binding needs. */
export type BindingDeps = {
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly isFirstUse: IsFirstUse;
  /** Where the operator wants proofs to carry a nonce. */
  readonly nonces: DpopNonces | undefined;
};

/** A verified token as it came, what it is bound to, and what its client has to bind it to. */
export type BoundToken = {
  readonly scheme: Scheme;
  readonly token: string;
  readonly confirmation: Confirmation | undefined;
  readonly binding: Binding;
};

/**
 * Why the request may not use its token, or undefined: a token bound to a key comes in the scheme DPoP with a proof that
 * was not used before, one bound to a certificate over its very connection, and one of a client that must bind is bound.
 */
export async function checkTokenBinding(
  deps: BindingDeps | undefined,
  { scheme, token, confirmation = {}, binding }: BoundToken,
  presented: PresentedProof | undefined,
): Promise<Refusal | undefined> {
  const { jkt, x5t } = confirmation;
  const requiredScheme = schemeForBinding(confirmation, binding);
  if (deps === undefined || presented === undefined || scheme !== requiredScheme)
    return invalidAccessToken(requiredScheme);
  if ((binding === 'dpop' && jkt === undefined) || (binding === 'mtls' && x5t === undefined)) {
    return invalidAccessToken(requiredScheme);
  }
  if (x5t !== undefined && presented.certificate?.() !== x5t) return invalidAccessToken(requiredScheme);
  if (jkt === undefined) return undefined;
  const fault = await verifyDpopProof(deps, { token, jkt }, presented);
  return fault && refusedProof(fault, deps.nonces?.current());
}

/** The scheme of a token. A bound one as Bearer may be a stolen one; an unbound one as DPoP would let its bearer feel safe. */
export function schemeForBinding(confirmation: Confirmation | undefined, binding: Binding): Scheme {
  return confirmation?.jkt === undefined && binding !== 'dpop' ? 'Bearer' : 'DPoP';
}

async function verifyDpopProof(
  deps: BindingDeps,
  { token, jkt }: { readonly token: string; readonly jkt: string },
  { method, path = '', headers }: PresentedProof,
): Promise<DpopProofFault | undefined> {
  const expected = { method, url: `${deps.publicUrl}${path}`, accessToken: token };
  const { dpop } = headers;
  const proof = await checkDpopProof(typeof dpop === 'string' ? dpop : undefined, expected, deps);
  if ('error' in proof) return proof;
  const invalid = (description: string): DpopProofFault => ({ error: 'invalid_dpop_proof', description });
  if (proof.jkt !== jkt) return invalid('the proof is by another key than the one of the token');
  const first = await deps.isFirstUse(proof.jkt, proof.jti, proof.endsAt);
  return first ? undefined : invalid('this proof was used before; make a new one for every request');
}
