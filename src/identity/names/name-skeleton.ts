import { scriptLettersOf } from './script-letters.ts';

/**
 * Keys that an Arabic name shares with its Latin spellings: its consonants, in groups that contain every spelling of a letter that
 * `../match/arabic.ts` knows. Only these keys have this prefix.
 */
const skeletonPrefix = '~';
const maxSkeletons = 16;
/**
 * Later groups are ignored in claims and in the register. Keys only find candidates, so a shorter key never loses one. The limit makes the
 * work linear in the length of the name (test/attacks/bounded-work.test.ts).
 */
const maxSkeletonGroups = 24;

/** The skeleton of a Latin form; empty without consonants. */
export function latinSkeleton(form: string): string[] {
  let skeleton = '';
  for (const letter of form) skeleton = withGroup(skeleton, latinGroups[letter] ?? '');
  return skeleton === '' ? [] : [skeletonPrefix + skeleton];
}

/** The skeletons of an Arabic form. Some letters are optional consonants, so a form can have several. */
export function arabicSkeletons(form: string): string[] {
  let found = [''];
  let before = '';
  for (const letter of form) {
    if (letter === ' ') continue;
    const group = arabicGroups[letter];
    if (group === undefined) return [];
    // The lam of the article is silent before sun letters.
    const isOptional = optionalConsonants.has(letter) || (letter === 'ل' && before === 'ا');
    const extended = found.map((skeleton) => withGroup(skeleton, group));
    found = isOptional ? [...new Set([...extended, ...found])].slice(0, maxSkeletons) : extended;
    if (found.every((skeleton) => skeleton.length === maxSkeletonGroups)) break;
    before = letter;
  }
  return [...new Set(found)].filter((skeleton) => skeleton !== '').map((skeleton) => skeletonPrefix + skeleton);
}

/** The skeletons of the readings of a name in another script, the most usual first; one is empty for a reading without consonants. */
export function readingSkeletons(name: string): string[] {
  const found = scriptLettersOf(name).flatMap((letters) => {
    let skeletons: readonly string[] = [''];
    for (const { sounds } of letters.slice(0, maxSkeletonGroups)) {
      const parts = [...new Set(sounds.map(groupsOfSound))];
      const ranked = skeletons.flatMap((skeleton, rank) =>
        parts.map((part, at) => ({ skeleton: [...part].reduce(withGroup, skeleton), rank: rank + at })),
      );
      const sorted = ranked.sort((one, other) => one.rank - other.rank).map(({ skeleton }) => skeleton);
      skeletons = [...new Set(sorted)].slice(0, maxSkeletons);
    }
    return skeletons.map((skeleton) => skeletonPrefix + skeleton);
  });
  return [...new Set(found)].slice(0, 2 * maxSkeletons);
}

function groupsOfSound(sound: string): string {
  let groups = '';
  for (const letter of sound) groups = withGroup(groups, latinGroups[letter] ?? '');
  return groups;
}

/** Adds a group. A group that repeats the last one is one group. */
function withGroup(skeleton: string, group: string): string {
  return skeleton.length >= maxSkeletonGroups || skeleton.endsWith(group) ? skeleton : skeleton + group;
}

function groupsOf(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(groups).flatMap(([group, letters]) => [...letters].map((l) => [l, group])));
}

const latinGroups = groupsOf({ b: 'bpf', t: 'tsczdkgqx', l: 'l', m: 'm', n: 'n', r: 'r' });
const arabicGroups = {
  ...groupsOf({ b: 'بپف', t: 'تثدذزسشصضطظغقكکچژگجخةٹڈ', l: 'ل', m: 'م', n: 'نں', r: 'رڑ' }),
  ...Object.fromEntries([...'اءعىويیهحئؤأإآٱہھے'].map((letter) => [letter, ''])),
};
/** Some spellings write these as a vowel, h or j: jim, zhe, kha, ta marbuta. */
const optionalConsonants: ReadonlySet<string> = new Set('جژخة');
