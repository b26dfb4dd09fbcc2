import { PresentationFailure } from '../failure-reason.ts';
import { type ClaimPath, claimPathIn, claimsOf, type OptionalAttribute, pidDocumentType } from './pid-claims.ts';
import type { CredentialFormat, PresentedCredential } from './presented-credential.ts';

/** One credential that would satisfy a request. */
export type CredentialQueryParts = {
  /** The id of the query, with letters, digits, `_` and `-`. */
  readonly id: string;
  readonly format: CredentialFormat;
  /** The accepted `vct` values, or the document type. */
  readonly types: readonly string[];
  /** Base64url key identifiers of the trust anchors. Wallets choose a credential below one of them. */
  readonly keyIds: readonly string[];
  /** Names of `pidClaimNames`. */
  readonly claims: readonly string[];
  /** Whether to ask for the administrative number too, which a credential may lack. */
  readonly administrativeNumber?: boolean;
};

type DcqlClaim = { readonly id: string; readonly path: ClaimPath };

/**
 * A query of DCQL (OpenID4VP 1.0, section 6) for one of these credentials, the first that the citizen has. The issuing country and authority,
 * the house number and the administrative number are asked for with `claim_sets`: a credential without them still satisfies the query.
 */
export function buildDcqlQuery(parts: readonly CredentialQueryParts[]): object {
  const options = parts.map(({ id }) => [id]);
  return { credentials: parts.map(credentialQueryOf), credential_sets: [{ options }] };
}

function credentialQueryOf(parts: CredentialQueryParts): object {
  const { id, format, types, keyIds, claims } = parts;
  const meta = format === 'dc+sd-jwt' ? { vct_values: types } : { doctype_value: pidDocumentType };
  const authorities = keyIds.length === 0 ? {} : { trusted_authorities: [{ type: 'aki', values: keyIds }] };
  const sets = claimSetsOf(parts);
  const queried = [...new Set(sets.flat())].map((name) => claimQueryOf(format, name));
  return {
    id,
    format,
    meta,
    ...authorities,
    claims: queried,
    claim_sets: claims.length === 0 ? sets.slice(0, -1) : sets,
  };
}

/** The sets of names to ask for, the preferred one first. The last one has no attribute that a credential may lack. */
function claimSetsOf({ claims, administrativeNumber }: CredentialQueryParts): readonly (readonly string[])[] {
  const optional: OptionalAttribute[] = administrativeNumber === true ? ['administrativeNumber'] : [];
  if (claims.includes('streetAddress')) optional.push('houseNumber');
  let choices: readonly (readonly string[])[] = [[]];
  for (const one of optional.toReversed()) choices = [...choices.map((choice) => [one, ...choice]), ...choices];
  return [...choices.map((choice) => [...claims, 'issuingCountry', ...choice]), claims];
}

function claimQueryOf(format: CredentialFormat, name: string): DcqlClaim {
  const path = claimPathIn(format, name);
  if (path === undefined) throw new TypeError(`expected a claim of a PID, received ${name}`);
  return { id: name, path };
}

/**
 * Throws `type-not-asked` if the credential is of another format or type, and `query-not-satisfied` if a claim is missing. A wallet may answer
 * with anything: the query only helps it to choose.
 */
export function requireSatisfied(credential: PresentedCredential, parts: CredentialQueryParts): void {
  if (credential.format !== parts.format || !parts.types.includes(credential.type))
    throw new PresentationFailure('type-not-asked');
  const presented = claimsOf(credential);
  if (parts.claims.some((claim) => !Object.hasOwn(presented, claim)))
    throw new PresentationFailure('query-not-satisfied');
}
