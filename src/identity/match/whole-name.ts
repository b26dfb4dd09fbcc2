import { formsOf } from '../names/normalise.ts';
import type { ClaimName } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import type { NormalisedClaims } from './comparable.ts';
import { isSameValue, type Level } from './level.ts';
import { isNameFiller } from './name-filler.ts';

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
  const [first, second] = [values.familyName, values.givenName].filter(
    (name) => name !== undefined && !isNameFiller(name.exact),
  );
  const isOneClaimed = first?.forms[0] === second?.forms[0] || second === undefined;
  if (submitted.includes('citizenId') || !isOneClaimed || !(hasOneName(record) || crossed)) return levels;
  const stated = [levels.familyName, levels.givenName].filter((level) => level !== undefined && level !== 'missing');
  const level: Level | undefined = stated.find(isSameValue) ?? stated[0];
  return level === undefined ? levels : { ...levels, familyName: level, givenName: level };
}

/** Whether the record has only one of the names, or the same in both fields. */
function hasOneName({ givenName, familyName }: RegisterRecord): boolean {
  const names = [givenName, familyName].filter((name) => name !== null && !isNameFiller(name));
  return new Set(names.map((name) => formsOf(name ?? '')[0])).size === 1;
}
