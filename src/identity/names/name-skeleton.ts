/**
 * Keys that an Arabic name shares with its Latin spellings: the consonants alone, by groups so wide that every spelling of a
 * letter that `../match/arabic.ts` knows falls into one of them, or into none. They begin with a sign that no other key has.
 */
const skeletonPrefix = '~';
const maxSkeletons = 16;

/** The skeleton of a Latin form; none for one without consonants. */
export function latinSkeleton(form: string): string[] {
  let skeleton = '';
  for (const letter of form) skeleton += latinGroups[letter] ?? '';
  return skeleton === '' ? [] : [skeletonPrefix + collapseRepeats(skeleton)];
}

/** The skeletons of an Arabic form: some of its letters are heard as a consonant of one group or not at all. */
export function arabicSkeletons(form: string): string[] {
  let found = [''];
  let before = '';
  for (const letter of form.replaceAll(' ', '')) {
    const group = arabicGroups[letter];
    if (group === undefined) return [];
    // The lam of the article is not heard before sun letters.
    const silent = maybeSilent.has(letter) || (letter === 'ل' && before === 'ا');
    const heard = found.map((skeleton) => skeleton + group);
    found = silent ? [...new Set([...heard, ...found])].slice(0, maxSkeletons) : heard;
    before = letter;
  }
  return [
    ...new Set(
      found.filter((skeleton) => skeleton !== '').map((skeleton) => skeletonPrefix + collapseRepeats(skeleton)),
    ),
  ];
}

function collapseRepeats(skeleton: string): string {
  return skeleton.replace(/(.)\1+/g, '$1');
}

function groupsOf(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(groups).flatMap(([group, letters]) => [...letters].map((l) => [l, group])));
}

const latinGroups = groupsOf({ b: 'bpf', t: 'tsczdkgqx', l: 'l', m: 'm', n: 'n', r: 'r' });
const arabicGroups = {
  ...groupsOf({ b: 'بپف', t: 'تثدذزسشصضطظغقكکچژگجخة', l: 'ل', m: 'م', n: 'ن', r: 'ر' }),
  ...Object.fromEntries([...'اءعىويیهحئؤأإآٱ'].map((letter) => [letter, ''])),
};
/** Heard as a vowel, as h or as j in some spellings: jim, zhe, kha, ta marbuta. */
const maybeSilent: ReadonlySet<string> = new Set('جژخة');
