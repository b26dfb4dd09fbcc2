import type { Clock } from '../kernel/clock.ts';
import type { Refusal } from '../kernel/problem.ts';
import type { Confirmation } from './access-token.ts';
import { invalidAccessToken, refusedProof, type Scheme } from './challenge.ts';
import type { Binding } from './client.ts';
import type { DpopNonces } from './dpop-nonces.ts';
import { checkProof, type ProofFault } from './dpop-proof.ts';
import type { UsedProofs } from './used-proofs.ts';

/** What a request shows besides its token. */
export type Shown = {
  readonly method: string;
  /** As it stands in the request line, without query. */
  readonly path?: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** The thumbprint of the caller's certificate; asked only for tokens that are bound to one. */
  readonly certificate?: () => string | undefined;
};

/** What the check of a binding needs. */
export type BindingRoom = {
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly isFirst: UsedProofs;
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
export async function refusalOfBinding(
  room: BindingRoom | undefined,
  { scheme, token, confirmation = {}, binding }: BoundToken,
  shown: Shown | undefined,
): Promise<Refusal | undefined> {
  const { jkt, x5t } = confirmation;
  const wanted = schemeOf(confirmation, binding);
  if (room === undefined || shown === undefined || scheme !== wanted) return invalidAccessToken(wanted);
  if ((binding === 'dpop' && jkt === undefined) || (binding === 'mtls' && x5t === undefined)) {
    return invalidAccessToken(wanted);
  }
  if (x5t !== undefined && shown.certificate?.() !== x5t) return invalidAccessToken(wanted);
  if (jkt === undefined) return undefined;
  const fault = await faultOfProof(room, { token, jkt }, shown);
  return fault && refusedProof(fault, room.nonces?.current());
}

/** The scheme of a token. A bound one as Bearer may be a stolen one; an unbound one as DPoP would let its bearer feel safe. */
export function schemeOf(confirmation: Confirmation | undefined, binding: Binding): Scheme {
  return confirmation?.jkt === undefined && binding !== 'dpop' ? 'Bearer' : 'DPoP';
}

async function faultOfProof(
  room: BindingRoom,
  { token, jkt }: { readonly token: string; readonly jkt: string },
  { method, path = '', headers }: Shown,
): Promise<ProofFault | undefined> {
  const proven = { method, url: `${room.publicUrl}${path}`, accessToken: token };
  const { dpop } = headers;
  const proof = await checkProof(typeof dpop === 'string' ? dpop : undefined, proven, room);
  if ('error' in proof) return proof;
  const invalid = (description: string): ProofFault => ({ error: 'invalid_dpop_proof', description });
  if (proof.jkt !== jkt) return invalid('the proof is by another key than the one of the token');
  const first = await room.isFirst(proof.jkt, proof.jti, proof.endsAt);
  return first ? undefined : invalid('this proof was used before; make a new one for every request');
}
