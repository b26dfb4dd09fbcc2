import { type Issue, type Refusal, refuse } from '../../kernel/refusal.ts';
import { type MatchPolicy, missingClaims } from '../match/policy.ts';
import type { ClaimName } from '../register/claims.ts';
import type { IdentityPorts } from './ports.ts';

/** A request with this legal basis requires a reference to the consent of the citizen. */
const consentBasis = 'consent';

/** The members of a request that state its use. */
type StatedUse = { readonly [member in 'purpose' | 'legalBasis' | 'consentReference']?: string | undefined };

/** Refuses a purpose or legal basis that is not agreed for this client. */
export function refuseUnagreedBasis(
  ports: Pick<IdentityPorts, 'purposesOf' | 'legalBasesOf'>,
  clientId: string,
  { purpose, legalBasis, consentReference }: StatedUse,
): Refusal | undefined {
  const purposes = ports.purposesOf(clientId);
  if (purposes !== undefined && !purposes.includes(purpose ?? '')) return refuse('purpose-not-permitted');
  const legalBases = ports.legalBasesOf?.(clientId);
  // A request with a consent reference and without `legalBasis` has the legal basis consent.
  const statedBasis = legalBasis ?? (consentReference === undefined ? undefined : consentBasis);
  const isBased = statedBasis !== consentBasis || consentReference !== undefined;
  if (legalBases !== undefined && !(isBased && legalBases.includes(statedBasis ?? '')))
    return refuse('legal-basis-not-permitted');
  return undefined;
}

/** Refuses claims that the policy does not permit, with one issue for each. */
export function refuseForbiddenClaims<Name extends string>(
  forbidden: readonly Name[],
  issueFor: (name: Name, fault: Pick<Issue, 'code' | 'detail'>) => Issue,
): Refusal | undefined {
  if (forbidden.length === 0) return undefined;
  const fault = { code: 'not-allowed', detail: 'not permitted by the policy of this client' } as const;
  return refuse('claim-not-permitted', undefined, { issues: forbidden.map((name) => issueFor(name, fault)) });
}

/**
 * Refuses claims that contain no minimum set of the policy. Names what is missing for each set, as text, and the claims of the set that
 * needs the fewest as issues. It depends on the policy and on the names of the claims only, so that it says nothing about the register.
 */
export function refuseInsufficientClaims(
  policy: MatchPolicy,
  submitted: ReadonlySet<ClaimName>,
  issueFor: (name: ClaimName, fault: Pick<Issue, 'code' | 'detail'>) => Issue,
): Refusal | undefined {
  const options = missingClaims(policy, submitted);
  const [nearest = []] = options;
  if (nearest.length === 0) return undefined;
  const dateHint = { year: '', month: ' with its month', day: ' with month and day' }[policy.leastDate];
  const label = (claim: ClaimName) => (claim === 'birthDate' ? `${claim}${dateHint}` : claim);
  const oneOf = (claims: readonly ClaimName[]) => claims.map(label).join(' or ');
  const issues = nearest.map((claims) =>
    issueFor(claims[0], { code: 'required', detail: `required: ${oneOf(claims)}` }),
  );
  const texts = [...new Set(options.map((option) => option.map(oneOf).join(', and ')))];
  return refuse('insufficient-claims', `Add ${texts.join('; or ')}.`, { issues });
}
