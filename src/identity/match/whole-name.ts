import type { ClaimName } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { type NormalisedClaims, toComparable } from './comparable.ts';
import { isSameValue, type Level } from './level.ts';

type Levels = { readonly [claim in ClaimName]?: Level };

/**
 * The levels by which a search counts towards the minimum. If one name is claimed, and it is the whole name of the person, it counts as
 * both names. Attack: an attacker who knows one of two names leaves the other one out, so the record must not have another name
 * (test/scenarios/identity-single-names.test.ts).
 */
export function wholeNameLevels(
  record: RegisterRecord,
  { submitted, values }: NormalisedClaims,
  { levels, crossed }: { readonly levels: Levels; readonly crossed: boolean },
): Levels {
  const { givenName, familyName } = values;
  const isOneClaimed =
    givenName === undefined || familyName === undefined || givenName.forms[0] === familyName.forms[0];
  if (submitted.includes('citizenId') || !isOneClaimed || !(hasOneName(record) || crossed)) return levels;
  const stated = [levels.familyName, levels.givenName].filter((level) => level !== undefined && level !== 'missing');
  const level: Level | undefined = stated.find(isSameValue) ?? stated[0];
  return level === undefined ? levels : { ...levels, familyName: level, givenName: level };
}

/** Whether the record has only one of the names, or the same in both fields. */
function hasOneName({ givenName, familyName }: RegisterRecord): boolean {
  if (givenName === null || familyName === null) return true;
  return toComparable('givenName', givenName).forms[0] === toComparable('familyName', familyName).forms[0];
}
