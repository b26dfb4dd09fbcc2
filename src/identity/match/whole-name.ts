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
  const level: Level | undefined = stated.find(isSameValue) ?? stated.find((one) => nearlySame.has(one));
  return level === undefined ? levels : { ...levels, familyName: level, givenName: level };
}

const nearlySame: ReadonlySet<Level> = new Set(['transliterated', 'similar', 'former']);

/**
 * The levels without names that count too little in a search: a short form must have a whole word of the registered names. Attack: initials
 * and beginnings of names are many, and each is a new verification key (test/attacks/verification-limit-divided-names.test.ts).
 */
export function withoutPartialNames(
  { givenName, familyName }: RegisterRecord,
  { submitted, values }: NormalisedClaims,
  levels: Levels,
): Levels {
  if (submitted.includes('citizenId')) return levels;
  const partial = (['givenName', 'familyName'] as const).filter((claim) => levels[claim] === 'shortened');
  if (partial.length === 0) return levels;
  const words = new Set([givenName, familyName].flatMap((name) => formsOf(name ?? '')).flatMap(wholeWords));
  const uncounted = partial.filter(
    (claim) => !(values[claim]?.forms ?? []).flatMap(wholeWords).some((w) => words.has(w)),
  );
  return { ...levels, ...Object.fromEntries(uncounted.map((claim) => [claim, 'different' as const])) };
}

function wholeWords(form: string): readonly string[] {
  return form.split(' ').filter((word) => word.length > 1);
}

/** Whether the record has only one of the names, or the same in both fields. */
function hasOneName({ givenName, familyName }: RegisterRecord): boolean {
  const names = [givenName, familyName].filter((name) => name !== null && !isNameFiller(name));
  return new Set(names.map((name) => formsOf(name ?? '')[0])).size === 1;
}
