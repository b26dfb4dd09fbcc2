import { type NormalisedClaims, toComparable } from '../match/comparable.ts';
import type { MatchPolicy } from '../match/policy.ts';
import { nameSearchKeys, streetKey } from '../names/name-key.ts';
import { toStoredText } from '../names/normalise.ts';
import type { ClaimName } from '../register/claims.ts';
import type { CompetingCandidateKeys, RegisterRecord, SearchKeys } from '../register/register.ts';

/** The search keys for competing candidates: by birth date, and by other values that they may share. */
type AmbiguitySearch = { readonly days: readonly SearchKeys[]; readonly others: CompetingCandidateKeys };

/**
 * The error may be in the claims or in the record, so candidates are searched by the claimed and by the registered values: by each birth
 * date, by both names with any date (parent and child) and, for a tolerant policy, by the family name and by the address.
 */
export function ambiguitySearch(
  record: RegisterRecord,
  { values }: NormalisedClaims,
  policy: MatchPolicy,
): AmbiguitySearch {
  const known = (claim: ClaimName) => toComparable(claim, record[claim] ?? '').forms;
  const families = distinct([
    ...nameSearchKeys(values.familyName?.forms ?? []),
    ...(record.familyName === null ? [] : nameSearchKeys(known('familyName'))),
  ]);
  const given = distinct([
    ...nameSearchKeys(values.givenName?.forms ?? []),
    ...(record.givenName === null ? [] : nameSearchKeys(known('givenName'))),
  ]);
  const names = distinct([...families, ...given]);
  const dates = distinct([values.birthDate?.forms[0] ?? '', record.birthDate ?? '']);
  const { streetAddress, postalCode } = values;
  const searchesPlaces = policy.tolerant && (streetAddress !== undefined || postalCode !== undefined);
  return {
    days: dates.map((birthDate) => ({ familyKeys: names, birthDate, anyName: true })),
    others: {
      names: families.length > 0 && given.length > 0 ? names : [],
      families: policy.tolerant ? distinct([...families, ...nameSearchKeys(values.givenName?.forms ?? [])]) : [],
      streets: searchesPlaces ? streetsOf(streetAddress?.exact, record.streetAddress) : [],
      postalCodes: searchesPlaces ? distinct([postalCode?.exact ?? '', toStoredText(record.postalCode ?? '')]) : [],
    },
  };
}

function distinct(keys: readonly string[]): string[] {
  return [...new Set(keys)].filter((key) => key !== '');
}

function streetsOf(...streets: readonly (string | null | undefined)[]): number[] {
  return [...new Set(streets.flatMap((street) => streetKey(street) ?? []))];
}
