import { hash } from 'node:crypto';
import { type TObject, type TOptional, type TString, Type } from 'typebox';
import { Check } from 'typebox/schema';
import { undocumentedMember } from '../../api/undocumented-member.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import { citizenIdPattern, citizenIdRequirement, maxCitizenIdLength } from '../../kernel/id.ts';
import type { Issue, IssueCode } from '../../kernel/refusal.ts';
import { singleLinePattern, singleLineRequirement } from '../../kernel/single-line-text.ts';
import { birthDateFault, datePattern } from './birth-date.ts';

/** How the values of a claim are compared. */
type ClaimKind = 'id' | 'name' | 'place' | 'address' | 'date' | 'code' | 'nations';

/**
 * The claims of the interface with their name in OpenID Connect. New claims are added at the end: stored explanations identify claims by
 * their position (explanation.ts).
 */
const claimTable = {
  citizenId: { kind: 'id', oidc: 'citizen_id', about: 'The id of the citizen in the register.' },
  givenName: { kind: 'name', oidc: 'given_name', about: 'The given names, as in the identity document.' },
  familyName: { kind: 'name', oidc: 'family_name', about: 'The family name.' },
  birthFamilyName: { kind: 'name', oidc: 'birth_family_name', about: 'The family name at birth.' },
  birthDate: {
    kind: 'date',
    oidc: 'birthdate',
    about: 'The date of birth as YYYY-MM-DD, or as YYYY-MM or YYYY if the day or month is unknown.',
  },
  birthPlace: { kind: 'place', oidc: 'birth_place', about: 'The place of birth.' },
  streetAddress: { kind: 'address', oidc: 'street_address', about: 'The street and the house number.' },
  postalCode: { kind: 'code', oidc: 'postal_code', about: 'The postal code.' },
  locality: { kind: 'place', oidc: 'locality', about: 'The town.' },
  country: { kind: 'place', oidc: 'country', about: 'The country of the address, written as in the register.' },
  documentNumber: { kind: 'code', oidc: 'document_number', about: 'The number of an identity document.' },
  nationality: {
    kind: 'nations',
    oidc: 'nationality',
    about: 'The nationality as a code of ISO 3166-1, written as in the register. Separate several codes with commas.',
  },
} as const satisfies Record<string, { kind: ClaimKind; oidc: string; about: string }>;

/** The name of a claim on the wire. */
export type ClaimName = keyof typeof claimTable;

/** The names of all claims, in the order in which pages list them. */
export const claimNames = Object.keys(claimTable) as readonly ClaimName[];

/** How values of this claim are compared. */
export function claimKindOf(claim: ClaimName): ClaimKind {
  return claimTable[claim].kind;
}

/** The name of a claim in OpenID Connect for Identity Assurance, for bodies and signed results. */
export function oidcName(claim: ClaimName): string {
  return claimTable[claim].oidc;
}

/** The nationalities of a claim or record, which may name several. */
export function splitNationalities(nationality: string): readonly string[] {
  return nationality.split(/[,;/|]/u).map((nation) => nation.trim());
}

/** Members of a request besides the claims. */
const contextMembers = {
  purpose: 'The purpose of the verification: one of those that are agreed for your client. The citizen can read it.',
  legalBasis:
    'The legal basis of the verification: one of those that are agreed for your client. The citizen can read it.',
  consentReference: 'Your reference of the consent of the citizen. Required if the legal basis is consent.',
  nonce: 'Any text of yours, which the signed result contains.',
} as const;
type ContextMemberName = keyof typeof contextMembers;
const contextMemberNames = Object.keys(contextMembers) as readonly ContextMemberName[];

/** The snake_case names that a body may use. The OpenAPI document leaves them out: generated clients would have each member twice. */
const aliases: ReadonlyMap<string, ClaimName | ContextMemberName> = new Map<string, ClaimName | ContextMemberName>([
  ...claimNames.map((claim) => [oidcName(claim), claim] as const).filter(([alias, claim]) => alias !== claim),
  ['birth_date', 'birthDate'],
  ['legal_basis', 'legalBasis'],
  ['consent_reference', 'consentReference'],
]);

/** The maximum length of a claim value, in code points. */
export const maxClaimLength = maxCitizenIdLength;

/**
 * The maximum length of a value after compatibility decomposition (NFKD), in UTF-16 units. Attack: one character can decompose into
 * eighteen, so that a short value would be expensive to compare (test/attacks/bounded-work.test.ts).
 */
const maxDecomposedLength = 2 * maxClaimLength;

/** Whether a claimed or registered value decomposes into more text than is compared. */
export function decomposesTooLong(value: string): boolean {
  return value.length > maxDecomposedLength / 18 && value.normalize('NFKD').length > maxDecomposedLength;
}

type ClaimShape = TObject<Record<string, TOptional<TString>>>;

function member(name: ClaimName | ContextMemberName, alias?: string): TOptional<TString> {
  const claim = isClaim(name) ? claimTable[name] : undefined;
  const about = isClaim(name) ? claimTable[name].about : contextMembers[name];
  return Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxClaimLength,
      pattern: claim?.kind === 'date' ? datePattern : '\\S',
      description: about,
      ...(alias === undefined ? {} : undocumentedMember),
      ...(claim === undefined ? {} : { 'x-oidc-claim': claim.oidc }),
    }),
  );
}

function isClaim(name: ClaimName | ContextMemberName): name is ClaimName {
  return name in claimTable;
}

const plainMembers = [...claimNames, ...contextMemberNames].map((name) => [name, member(name)] as const);
const aliasMembers = [...aliases].map(([alias, name]) => [alias, member(name, alias)] as const);

/** The claims as query parameters. */
export const claimsQuery: ClaimShape = Type.Object(Object.fromEntries(plainMembers), { additionalProperties: false });

/** The claims as a body. A claim may have its camelCase or its snake_case name, but not both. */
export const claimsBody: ClaimShape = Type.Object(Object.fromEntries([...plainMembers, ...aliasMembers]), {
  $id: 'VerificationRequest',
  additionalProperties: false,
  description: 'The claims to verify, and the purpose of the verification.',
});

/** The submitted claims as sent. */
export type Claims = { readonly [claim in ClaimName]?: string };

/** A verification request under the camelCase names. */
export type VerificationRequest = { readonly claims: Claims } & { readonly [name in ContextMemberName]?: string };

/** The camelCase name of a member that passed the schema. */
export function canonicalMemberName(sentName: string): ClaimName | ContextMemberName {
  // The schema lets no other names through.
  return aliases.get(sentName) ?? (sentName as ClaimName | ContextMemberName);
}

/** The request in a query or body that passed the schema, or the issues that a schema cannot find. */
export function parseVerificationRequest(
  sent: Readonly<Record<string, string | undefined>>,
  { from, now }: { readonly from: 'query' | 'body'; readonly now: number },
): { readonly request: VerificationRequest } | { readonly issues: readonly Issue[] } {
  const claims: { [claim in ClaimName]?: string } = {};
  const contextValues: { [name in ContextMemberName]?: string } = {};
  const issues: Issue[] = [];
  for (const [sentName, value] of Object.entries(sent)) {
    if (value === undefined) continue;
    const name = canonicalMemberName(sentName);
    const fault = (code: IssueCode, detail: string) => issues.push(issueAt(from, sentName, { code, detail }));
    const target: { [name in ClaimName | ContextMemberName]?: string } = isClaim(name) ? claims : contextValues;
    if (target[name] !== undefined) fault('repeated', `give ${name} once, under one of its names`);
    else if (!value.isWellFormed() || value.includes('\u0000'))
      fault('malformed', 'well-formed Unicode without U+0000');
    else if (exceedsLength(value, maxClaimLength)) fault('too-long', `at most ${maxClaimLength} code points`);
    else {
      const found = isClaim(name) ? claimFault(name, value, now) : contextFault(name, value);
      if (found !== undefined) fault(found.code, found.detail);
      target[name] = value;
    }
  }
  return issues.length > 0 ? { issues } : { request: { claims, ...contextValues } };
}

type ValueFault = { readonly code: IssueCode; readonly detail: string };

/** The code and detail of the issue if a claim cannot have this value; otherwise undefined. `now`: epoch ms. */
export function claimFault(claim: ClaimName, value: string, now: number): ValueFault | undefined {
  if (decomposesTooLong(value)) {
    const detail = `at most ${maxDecomposedLength} UTF-16 units after compatibility decomposition (NFKD)`;
    return { code: 'too-long', detail };
  }
  if (claim === 'citizenId' && !citizenIdPattern.test(value))
    return { code: 'malformed', detail: citizenIdRequirement };
  return claimTable[claim].kind === 'date' ? birthDateFault(value, now) : undefined;
}

/**
 * The attested values that can be compared. The rules are those of a request, but other members and values are left out: the citizen
 * cannot correct what an issuer attests.
 */
export function usableClaims(attested: Readonly<Record<string, string>>, now: number): Claims {
  const claims: { [claim in ClaimName]?: string } = {};
  for (const claim of claimNames) {
    const value = attested[claim]?.trim();
    if (value === undefined || !Check(member(claim), value)) continue;
    if (value.isWellFormed() && !value.includes('\u0000') && claimFault(claim, value, now) === undefined)
      claims[claim] = value;
  }
  return claims;
}

/** The citizen reads these values in the access log. A nonce is not shown. */
function contextFault(name: ContextMemberName, value: string): ValueFault | undefined {
  if (name === 'nonce' || singleLinePattern.test(value)) return undefined;
  return { code: 'malformed', detail: `must be ${singleLineRequirement}` };
}

/** An issue with one member of a query or body. */
export function issueAt(
  from: 'query' | 'body',
  sentName: string,
  fault: { readonly code: IssueCode; readonly detail: string },
): Issue {
  return from === 'body' ? { in: from, pointer: `/${sentName}`, ...fault } : { in: from, name: sentName, ...fault };
}

function exceedsLength(text: string, codePoints: number): boolean {
  return text.length > codePoints && [...text].length > codePoints;
}

/**
 * `sha-256:` and base64url of SHA-256 over the canonical JSON (RFC 8785) of all members as sent, under their camelCase names. A caller
 * can compute it and bind the result to its request.
 */
export function requestHash({ claims, ...contextValues }: VerificationRequest): string {
  return `sha-256:${hash('sha256', canonicalJson({ ...claims, ...contextValues }), 'base64url')}`;
}
