import type { ClaimName } from '../register/claims.ts';
import type { FormerAddress, FormerName, RegisterRecord } from '../register/register.ts';
import { type NormalisedClaims, toComparable } from './comparable.ts';
import type { Level } from './level.ts';
import { type NameRules, nameLevel } from './name-level.ts';
import { codeLevel, placeLevel, streetLevel } from './place-level.ts';
import type { MatchPolicy } from './policy.ts';

type Levels = { readonly [claim in ClaimName]?: Level };

/**
 * The record with those former values that count today by the policy: begun, and not ended for longer than it allows. A
 * value without an end counts. `today` is YYYY-MM-DD.
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
    formerNames: formerNames.filter((one) => isStillCounted(one, former.nameYears, today)),
    formerAddresses: formerAddresses.filter((one) => isStillCounted(one, former.addressYears, today)),
  };
}

function isStillCounted({ from, until }: { from?: string; until?: string }, years: number, today: string): boolean {
  const begun = from === undefined || from <= today;
  if (until === undefined) return begun;
  // A year alone ends with its last day.
  const counts = `${Number(until.slice(0, 4)) + years}${until.slice(4)}`;
  return begun && today <= counts + '-12-31'.slice(counts.length - 4);
}

/** The names that differ from today's and are those of before; with them stands the level `former`. */
export function formerNameLevels(
  { formerNames = [] }: RegisterRecord,
  { values }: NormalisedClaims,
  levels: Levels,
  names: NameRules,
): Levels {
  const found: { [claim in ClaimName]?: Level } = {};
  for (const claim of ['givenName', 'familyName'] as const) {
    const claimed = values[claim];
    const was = formerNames.some((former) => isName(former[claim], claimed?.forms ?? ['nobody'], claim, names));
    if (was && differs(levels[claim])) found[claim] = 'former';
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
  postalCode: codeLevel,
  locality: placeLevel,
  country: placeLevel,
};

/** The parts of an address that is not today's and is, as a whole, one of before. */
export function formerAddressLevels(
  { formerAddresses = [] }: RegisterRecord,
  claims: NormalisedClaims,
  levels: Levels,
): Levels {
  const asked = addressParts.filter((part) => claims.values[part] !== undefined);
  const was = formerAddresses.filter((former) => agreesAsWhole(former, claims, asked));
  const [first] = was;
  if (first === undefined || !asked.some((part) => differs(levels[part]))) return {};
  return Object.fromEntries(asked.map((part) => [part, first[part] === undefined ? 'missing' : 'former']));
}

/** Every part that was claimed agrees or is not known, and street or postal code are among those that agree. */
function agreesAsWhole(
  former: FormerAddress,
  { values }: NormalisedClaims,
  asked: readonly (typeof addressParts)[number][],
): boolean {
  let placed = false;
  for (const part of asked) {
    const value = former[part];
    if (value === undefined) continue;
    const level = addressPartLevels[part](values[part]?.forms ?? [], toComparable(part, value).forms);
    if (level !== 'normalised') return false;
    placed ||= part === 'streetAddress' || part === 'postalCode';
  }
  return placed;
}

function differs(level: Level | undefined): boolean {
  return level !== undefined && !['exact', 'normalised', 'similar', 'missing'].includes(level);
}
