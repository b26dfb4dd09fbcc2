import { maxCitizenIdLength } from '../../kernel/id.ts';
import { isObject } from '../../kernel/is-object.ts';
import { singleLinePattern } from '../../kernel/single-line-text.ts';
import type { CredentialFormat, PresentedCredential } from './presented-credential.ts';

/** A path of DCQL. `null` selects all elements of an array. */
export type ClaimPath = readonly (string | null)[];

type PidAttribute = {
  /** The claim of an SD-JWT VC. */
  readonly sdJwt: ClaimPath;
  /** The element of an mdoc. */
  readonly element: string;
  readonly read: (value: unknown) => string | undefined;
};

/** The document type of a PID as mdoc, and the namespace of its elements. */
export const pidDocumentType = 'eu.europa.ec.eudi.pid.1';

/** The attributes of a PID by our names of claims (PID Rulebook 1.7, sections 3.1 and 4.1). */
const claimAttributes = {
  givenName: { sdJwt: ['given_name'], element: 'given_name', read: textOf },
  familyName: { sdJwt: ['family_name'], element: 'family_name', read: textOf },
  birthFamilyName: { sdJwt: ['birth_family_name'], element: 'family_name_birth', read: textOf },
  birthDate: { sdJwt: ['birthdate'], element: 'birth_date', read: dateOf },
  birthPlace: { sdJwt: ['place_of_birth'], element: 'place_of_birth', read: placeOf },
  streetAddress: { sdJwt: ['address', 'street_address'], element: 'resident_street', read: textOf },
  postalCode: { sdJwt: ['address', 'postal_code'], element: 'resident_postal_code', read: textOf },
  locality: { sdJwt: ['address', 'locality'], element: 'resident_city', read: textOf },
  country: { sdJwt: ['address', 'country'], element: 'resident_country', read: textOf },
  documentNumber: { sdJwt: ['document_number'], element: 'document_number', read: textOf },
  nationality: { sdJwt: ['nationalities', null], element: 'nationality', read: nationalitiesOf },
} as const satisfies Readonly<Record<string, PidAttribute>>;

/** Attributes that are no claims of ours. A credential may lack each of them. */
const otherAttributes = {
  houseNumber: { sdJwt: ['address', 'house_number'], element: 'resident_house_number', read: textOf },
  issuingCountry: { sdJwt: ['issuing_country'], element: 'issuing_country', read: textOf },
  administrativeNumber: {
    sdJwt: ['personal_administrative_number'],
    element: 'personal_administrative_number',
    read: textOf,
  },
} as const satisfies Readonly<Record<string, PidAttribute>>;

/** An attribute that a credential may lack. */
export type OptionalAttribute = keyof typeof otherAttributes;

const attributesByName: ReadonlyMap<string, PidAttribute> = new Map<string, PidAttribute>(
  Object.entries({ ...claimAttributes, ...otherAttributes }),
);

/** Our names of the claims that a PID can attest. */
export const pidClaimNames: readonly string[] = Object.keys(claimAttributes);

/** The claims that each PID attests (EU 2024/2977, Annex, section 1). */
export const mandatoryPidClaims = [
  'givenName',
  'familyName',
  'birthDate',
  'birthPlace',
  'nationality',
] as const satisfies readonly (keyof typeof claimAttributes)[];

/** The path of a claim of ours, or of another attribute, in a credential of this format. Undefined for an unknown name. */
export function claimPathIn(format: CredentialFormat, name: string): ClaimPath | undefined {
  const attribute = attributesByName.get(name);
  if (attribute === undefined) return undefined;
  return format === 'dc+sd-jwt' ? attribute.sdJwt : [pidDocumentType, attribute.element];
}

/** The claims of a credential under our names. Values of an unexpected type or length are left out, as if they were not presented. */
export function claimsOf(credential: PresentedCredential): Readonly<Record<string, string>> {
  const claims = pidClaimNames.flatMap((name) => {
    const value = readAttribute(credential, name);
    return value === undefined ? [] : [[name, name === 'streetAddress' ? withHouseNumber(credential, value) : value]];
  });
  return Object.fromEntries(claims);
}

/** The country of the issuer, and its number of the person, if presented. */
export function pidEvidenceOf(credential: PresentedCredential): {
  readonly issuingCountry?: string;
  readonly administrativeNumber?: string;
} {
  const names = ['issuingCountry', 'administrativeNumber'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = readAttribute(credential, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function withHouseNumber(credential: PresentedCredential, street: string): string {
  const houseNumber = readAttribute(credential, 'houseNumber');
  return houseNumber === undefined || street.split(/[\s,]+/).includes(houseNumber)
    ? street
    : `${street} ${houseNumber}`;
}

function readAttribute(credential: PresentedCredential, name: string): string | undefined {
  const path = claimPathIn(credential.format, name) ?? [];
  let value: unknown = credential.attributes;
  for (const step of path) {
    if (step === null) break;
    value = isObject(value) ? value[step] : undefined;
  }
  return attributesByName.get(name)?.read(value);
}

function textOf(value: unknown): string | undefined {
  const isRead = typeof value === 'string' && value.length <= maxCitizenIdLength && singleLinePattern.test(value);
  return isRead && value.trim() !== '' ? value : undefined;
}

function dateOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;
}

/** The most exact of the parts of a place. */
function placeOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  return textOf(value['locality']) ?? textOf(value['region']) ?? textOf(value['country']);
}

/** `QU` means that the nationality is unknown, and `QS` that the person has none. */
function nationalitiesOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const codes = value.filter((code) => typeof code === 'string' && /^(?!Q[US]$)[A-Z]{2}$/.test(code));
  return textOf(codes.join(','));
}
