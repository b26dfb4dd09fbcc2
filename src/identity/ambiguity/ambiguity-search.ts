import { type NormalisedClaims, toComparable } from '../match/comparable.ts';
import type { MatchPolicy } from '../match/policy.ts';
import { nameSearchKeys, streetKey } from '../names/name-key.ts';
import { toStoredText } from '../names/normalise.ts';
import type { ClaimName } from '../register/claims.ts';
import type { CompetingCandidateKeys, RegisterRecord, SearchKeys } from '../register/register.ts';

/** By what the rivals of a person are looked for: by the birth dates, and by whatever else they may share. */
export type AmbiguitySearch = { readonly days: readonly SearchKeys[]; readonly others: CompetingCandidateKeys };

/**
 * Rivals may share what was claimed or what the register holds, for the slip may lie in either: one of the birth dates, both
 * names at any date (parent and child) and, where the probability alone decides, the family name or the address.
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
