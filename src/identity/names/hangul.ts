import { koreanSurnames } from './other-scripts.ts';

/** The spellings of surnames of one syllable, by their decomposed letters. */
const surnames: ReadonlyMap<string, readonly string[]> = new Map(
  koreanSurnames
    .trim()
    .split('\n')
    .map((line) => {
      const [surname = '', ...spellings] = line.split(' ');
      return [surname.normalize('NFKD'), spellings] as const;
    }),
);

/** The surname that a word of one syllable is; undefined if it is not a surname. `after`: the text after the first letter. */
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
