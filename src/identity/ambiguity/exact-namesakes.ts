import type { NormalisedClaims } from '../match/comparable.ts';
import type { ClaimLevels } from '../match/compare.ts';
import { nameSearchKeys } from '../names/name-key.ts';
import { toStoredText } from '../names/normalise.ts';
import type { RegisterRecord, SearchKeys } from '../register/register.ts';

const nameClaims = ['givenName', 'familyName', 'birthFamilyName'] as const;

/**
 * The search keys for other people with exactly the claimed names, because Jon and Jón may be twins. Undefined if the letters of all names
 * agree.
 */
export function exactNamesakeKeys(
  record: RegisterRecord,
  claims: NormalisedClaims,
  levels: ClaimLevels,
): SearchKeys | undefined {
  const hasOtherLetters = nameClaims.some(
    (claim) => levels[claim] === 'normalised' && !sameLetters(claims.values[claim]?.exact, record[claim]),
  );
  if (!hasOtherLetters) return undefined;
  const { familyName, givenName, birthFamilyName, birthDate } = claims.values;
  const familyKeys = [
    ...new Set([familyName, givenName, birthFamilyName].flatMap((name) => nameSearchKeys(name?.forms ?? []))),
  ];
  return { familyKeys, birthDate: birthDate?.forms[0] ?? record.birthDate ?? '' };
}

/** Whether another record has the letters of a claimed name that agrees with the person only after normalisation. */
export function isExactNamesake(record: RegisterRecord, other: RegisterRecord, { values }: NormalisedClaims): boolean {
  if (other.citizenId === record.citizenId) return false;
  const claimed = nameClaims.filter((claim) => values[claim] !== undefined);
  const own = claimed.map((claim) => sameLetters(values[claim]?.exact, record[claim]));
  const others = claimed.map((claim) => sameLetters(values[claim]?.exact, other[claim]));
  return others.some((same, at) => same && own[at] === false) && others.every((same, at) => same || own[at] === false);
}

function sameLetters(claimed: string | undefined, registered: string | null): boolean {
  return lettersOf(claimed ?? '') === lettersOf(registered ?? '');
}

function lettersOf(text: string): string {
  return toStoredText(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}
