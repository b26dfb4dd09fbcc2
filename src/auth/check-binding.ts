import type { Clock } from '../kernel/clock.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { Confirmation } from './access-token.ts';
import type { Scheme } from './caller.ts';
import { invalidAccessToken, refusedProof } from './challenge.ts';
import type { Binding } from './client.ts';
import type { DpopNonces } from './dpop-nonces.ts';
import { checkDpopProof, type DpopProofFault } from './dpop-proof.ts';
import type { IsFirstUse } from './used-proof-store.ts';

/** The parts of a request that prove possession of the key or certificate of its token. */
export type PresentedProof = {
  readonly method: string;
  readonly path?: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** Reads the thumbprint of the client certificate; called only for tokens that are bound to a certificate. */
  readonly certificate?: () => string | undefined;
};

/** Dependencies of the check of bindings. */
export type BindingDeps = {
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly isFirstUse: IsFirstUse;
  readonly nonces: DpopNonces | undefined;
};

/** A verified token with its binding, and the binding that its client requires. */
type BoundToken = {
  readonly scheme: Scheme;
  readonly token: string;
  readonly confirmation: Confirmation | undefined;
  readonly binding: Binding;
};

/**
 * Checks that the request may use its token; undefined if it may. A token that is bound to a key needs the scheme DPoP
 * and an unused proof. A token that is bound to a certificate needs that certificate on its connection. A client that must
 * bind its tokens may not use an unbound one.
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

/** The scheme that a token requires. With Bearer, a thief could use a token that is bound to a key. */
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
  if (proof.jkt !== jkt) return invalid('the key of the proof is not the key of the token');
  const first = await deps.isFirstUse(proof.jkt, proof.jti, proof.endsAt);
  return first ? undefined : invalid('this proof was used before; create a new one for each request');
}
