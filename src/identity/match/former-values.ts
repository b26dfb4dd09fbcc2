import type { ClaimName } from '../register/claims.ts';
import type { FormerAddress, FormerName, RegisterRecord } from '../register/register.ts';
import { type NormalisedClaims, toComparable } from './comparable.ts';
import type { Level } from './level.ts';
import { type NameRules, nameLevel } from './name-level.ts';
import { placeLevel, postalCodeLevel, streetLevel } from './place-level.ts';
import type { MatchPolicy } from './policy.ts';

type Levels = { readonly [claim in ClaimName]?: Level };

/**
 * The record with only those former values that count by the policy: they have begun and did not end too many years ago. A value without an
 * end counts. `today` is YYYY-MM-DD.
 */
export function withCountedFormerValues(
  record: RegisterRecord,
  { former }: MatchPolicy,
  today: string,
): RegisterRecord {
  const { formerNames = [], formerAddresses = [] } = record;
  if (formerNames.length === 0 && formerAddresses.length === 0) return record;
  return {
    ...record,
    formerNames: formerNames.filter((value) => isStillCounted(value, former.nameYears, today)),
    formerAddresses: formerAddresses.filter((value) => isStillCounted(value, former.addressYears, today)),
  };
}

function isStillCounted({ from, until }: { from?: string; until?: string }, years: number, today: string): boolean {
  const begun = from === undefined || from <= today;
  if (until === undefined) return begun;
  // A year or month ends with its last day.
  const counts = `${Number(until.slice(0, 4)) + years}${until.slice(4)}`;
  return begun && today <= counts + '-12-31'.slice(counts.length - 4);
}

/** The level `former` for each name that differs from the present one and is a former one. */
export function formerNameLevels(
  { formerNames = [] }: RegisterRecord,
  { values }: NormalisedClaims,
  levels: Levels,
  names: NameRules,
): Levels {
  const found: { [claim in ClaimName]?: Level } = {};
  for (const claim of ['givenName', 'familyName'] as const) {
    const claimed = values[claim];
    const isFormer = formerNames.some((former) => isName(former[claim], claimed?.forms ?? ['nobody'], claim, names));
    if (isFormer && differs(levels[claim])) found[claim] = 'former';
  }
  return found;
}

function isName(
  value: FormerName['familyName'],
  claimed: readonly string[],
  claim: 'givenName' | 'familyName',
  names: NameRules,
): boolean {
  if (value === undefined) return false;
  const rules = claim === 'givenName' ? names : { ...names, particles: true };
  return nameLevel(claimed, toComparable(claim, value).forms, rules) === 'normalised';
}

const addressParts = ['streetAddress', 'postalCode', 'locality', 'country'] as const;
const addressPartLevels = {
  streetAddress: streetLevel,
  postalCode: postalCodeLevel,
  locality: placeLevel,
  country: placeLevel,
};

/** The levels of the address claims if they differ from the present address and agree as a whole with a former one. */
export function formerAddressLevels(
  { formerAddresses = [] }: RegisterRecord,
  claims: NormalisedClaims,
  levels: Levels,
): Levels {
  const claimedParts = addressParts.filter((part) => claims.values[part] !== undefined);
  const first = formerAddresses.find((former) => agreesAsWhole(former, claims, claimedParts));
  if (first === undefined || !claimedParts.some((part) => differs(levels[part]))) return {};
  return Object.fromEntries(claimedParts.map((part) => [part, first[part] === undefined ? 'missing' : 'former']));
}

/** Every claimed part agrees or is missing, and street or postal code agrees. */
function agreesAsWhole(
  former: FormerAddress,
  { values }: NormalisedClaims,
  claimedParts: readonly (typeof addressParts)[number][],
): boolean {
  let hasPlace = false;
  for (const part of claimedParts) {
    const value = former[part];
    if (value === undefined) continue;
    const level = addressPartLevels[part](values[part]?.forms ?? [], toComparable(part, value).forms);
    if (level !== 'normalised') return false;
    hasPlace ||= part === 'streetAddress' || part === 'postalCode';
  }
  return hasPlace;
}

function differs(level: Level | undefined): boolean {
  return level !== undefined && !['exact', 'normalised', 'transliterated', 'similar', 'missing'].includes(level);
}
