import type { Issue, Refusal } from '../kernel/refusal.ts';
import { type MatchPolicy, missingClaims } from './match/policy.ts';
import { type ClaimName, claimNames } from './register/claims.ts';
import { refuseForbiddenClaims, refuseInsufficientClaims, refuseUnagreedBasis } from './verification/permitted-use.ts';
import type { IdentityPorts } from './verification/ports.ts';

/** The claims that a client wants from a wallet, before a wallet is asked. */
type ClaimPlan = {
  readonly clientId: string;
  /** By default those of the smallest minimum set of the policy. */
  readonly claims?: readonly string[] | undefined;
  readonly purpose?: string | undefined;
  readonly legalBasis?: string | undefined;
  /** The claims that the accepted credentials can attest. Others are not in `claims`. */
  readonly available: readonly string[];
  /** The available claims that none of these credentials lacks. */
  readonly mandatory: readonly string[];
};

const issueForClaims = (_: string, fault: Pick<Issue, 'code' | 'detail'>): Issue => ({
  in: 'body',
  pointer: '/claims',
  ...fault,
});

/**
 * Plans the claims to ask a wallet for. Refuses a purpose, legal basis or claim that the client may not use, and claims that contain no
 * minimum set of its policy, with the same problems as `verify`.
 */
export async function planPresentedClaims(
  { clientId, claims, purpose, legalBasis, available, mandatory }: ClaimPlan,
  ports: Pick<IdentityPorts, 'policyOf' | 'purposesOf' | 'legalBasesOf'>,
): Promise<{ readonly claims: readonly ClaimName[] } | { readonly refusal: Refusal }> {
  const unagreed = refuseUnagreedBasis(ports, clientId, { purpose, legalBasis });
  if (unagreed !== undefined) return { refusal: unagreed };
  const policy = await ports.policyOf(clientId);
  const attestable = claimNames.filter((claim) => available.includes(claim));
  const asked =
    claims === undefined
      ? smallestMinimum(policy, attestable, mandatory)
      : attestable.filter((claim) => claims.includes(claim));
  const forbidden = asked.filter((claim) => policy.permitted?.has(claim) === false);
  const refusal =
    refuseForbiddenClaims(forbidden, issueForClaims) ??
    refuseInsufficientClaims(policy, new Set(asked), issueForClaims);
  return refusal === undefined ? { claims: asked } : { refusal };
}

/**
 * Chooses a minimum set of the policy: the one with the fewest claims that a credential may lack, and of these the smallest. If no set can
 * be used: all usable claims, so that the refusal names the missing ones.
 */
function smallestMinimum(
  policy: MatchPolicy,
  attestable: readonly ClaimName[],
  mandatory: readonly string[],
): readonly ClaimName[] {
  const usable = attestable.filter((claim) => policy.permitted?.has(claim) !== false);
  const usableOf = (oneOf: readonly ClaimName[]) => oneOf.filter((claim) => usable.includes(claim));
  const sets = missingClaims(policy, new Set()).map((set) => set.map((oneOf) => leastRevealing(usableOf(oneOf))));
  const complete = sets.flatMap((set) => {
    const found = new Set(set.flatMap((claim) => claim ?? []));
    return set.includes(undefined) ? [] : [[...found]];
  });
  const optionalCount = (set: readonly ClaimName[]) => set.filter((claim) => !mandatory.includes(claim)).length;
  complete.sort((one, other) => optionalCount(one) - optionalCount(other) || one.length - other.length);
  return complete[0] ?? usable;
}

/** The first of some claims that replace each other; the postal code before others, because it says less about the person than a street. */
function leastRevealing(claims: readonly ClaimName[]): ClaimName | undefined {
  return claims.includes('postalCode') ? 'postalCode' : claims[0];
}
