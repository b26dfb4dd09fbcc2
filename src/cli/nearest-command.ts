/** Whether two names differ by one typing error. */
type IsSimilarName = (name: string, candidate: string) => boolean;

/**
 * The command that an unknown name probably means: one with a similar name, otherwise the one with the most words of the name,
 * such as `holds add` for `documents hold`. It must have the last word, which says most about the purpose.
 */
export function nearestCommand(
  words: readonly string[],
  names: readonly string[],
  isSimilarName: IsSimilarName,
): string | undefined {
  const similar = names.find((name) => isSimilarName(words.slice(0, wordsOf(name, ' ').length).join(' '), name));
  if (similar !== undefined) return similar;
  const written = words.flatMap((word) => wordsOf(word, '-'));
  const sharedWith = (name: string) =>
    written.filter((word) => wordsOf(name, /[ -]/).some((other) => haveSameStem(word, other)));
  const related = names.filter((name) => sharedWith(name).at(-1) === written.at(-1));
  return related.toSorted((one, other) => sharedWith(other).length - sharedWith(one).length)[0];
}

const wordsOf = (text: string, separator: string | RegExp) => text.split(separator).filter((word) => word !== '');

/** Whether one word starts with the other, such as `hold` and `holds`. Shorter words are compared exactly. */
function haveSameStem(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < 3) return one === other;
  return one.startsWith(other) || other.startsWith(one);
}
