import type { ClaimName } from '../claims.ts';
import { keysOf, streetKey } from '../names/name-key.ts';
import { stored } from '../names/normalise.ts';
import type { RegisterRecord, RivalKeys, SearchKeys } from '../register.ts';
import { comparable, type NormalisedClaims } from './comparable.ts';
import type { Policy } from './policy.ts';

/** By what the rivals of a person are looked for: by the birth dates, and by whatever else they may share. */
export type RivalSearch = { readonly days: readonly SearchKeys[]; readonly others: RivalKeys };

/**
 * Rivals may share what was claimed or what the register holds, for the slip may lie in either: one of the birth dates, both
 * names at any date (parent and child) and, where the probability alone decides, the family name or the address.
 */
export function rivalSearch(record: RegisterRecord, { values }: NormalisedClaims, policy: Policy): RivalSearch {
  const known = (claim: ClaimName) => comparable(claim, record[claim] ?? '').forms;
  const families = distinct([
    ...keysOf(values.familyName?.forms ?? []),
    ...(record.familyName === null ? [] : keysOf(known('familyName'))),
  ]);
  const given = distinct([
    ...keysOf(values.givenName?.forms ?? []),
    ...(record.givenName === null ? [] : keysOf(known('givenName'))),
  ]);
  const names = distinct([...families, ...given]);
  const dates = distinct([values.birthDate?.forms[0] ?? '', record.birthDate ?? '']);
  const { streetAddress, postalCode } = values;
  const placed = policy.tolerant && (streetAddress !== undefined || postalCode !== undefined);
  return {
    days: dates.map((birthDate) => ({ familyKeys: names, birthDate, anyName: true })),
    others: {
      names: families.length > 0 && given.length > 0 ? names : [],
      families: policy.tolerant ? distinct([...families, ...keysOf(values.givenName?.forms ?? [])]) : [],
      streets: placed ? streetsOf(streetAddress?.exact, record.streetAddress) : [],
      postalCodes: placed ? distinct([postalCode?.exact ?? '', stored(record.postalCode ?? '')]) : [],
    },
  };
}

function distinct(keys: readonly string[]): string[] {
  return [...new Set(keys)].filter((key) => key !== '');
}

function streetsOf(...streets: readonly (string | null | undefined)[]): number[] {
  return [...new Set(streets.flatMap((street) => streetKey(street) ?? []))];
}
