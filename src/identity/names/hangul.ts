import { koreanSurnames } from './other-scripts.ts';

/** The spellings of each surname of one syllable, by its decomposed letters. */
const surnames: ReadonlyMap<string, readonly string[]> = new Map(
  koreanSurnames
    .trim()
    .split('\n')
    .map((line) => {
      const [surname = '', ...spellings] = line.split(' ');
      return [surname.normalize('NFKD'), spellings] as const;
    }),
);

/** A word of one syllable that is a surname; `after` is what follows its first letter. Undefined where it is none. */
export function hangulSyllable(
  letter: string,
  after: string,
  before: string,
): { readonly spellings: readonly string[]; readonly units: number } | undefined {
  if (before !== ' ') return undefined;
  const rest = /^[\u1161-\u11ff]*/.exec(after)?.[0] ?? '';
  const next = after.charAt(rest.length);
  if (next >= '\u1100' && next <= '\u1112') return undefined;
  const spellings = surnames.get(letter + rest);
  return spellings === undefined ? undefined : { spellings, units: rest.length };
}
