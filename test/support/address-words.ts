import { readFileSync } from 'node:fs';
import { formsOf } from '../../src/identity/names/normalise.ts';
import { testDataPath } from './test-data.ts';

/**
 * The spellings of each word of a list in the libpostal set, without spellings of two words; undefined without the set. A word and its
 * transliteration are one word.
 */
export function readAddressWords(language: string, list: string): readonly (readonly string[])[] | undefined {
  const path = testDataPath(`libpostal/${language}/${list}.txt`);
  if (path === undefined) return undefined;
  const words = new Map<string, Set<string>>();
  for (const line of readFileSync(path, 'utf8')
    .split('\n')
    .filter((text) => text.trim() !== '')) {
    const spellings = line.split('|').map((spelling) => spelling.trim());
    const forms = formsOf(spellings[0] ?? '').map((form) => form.replaceAll(' ', ''));
    const key = forms.find((form) => words.has(form)) ?? forms.at(0) ?? '';
    words.set(key, new Set([...(words.get(key) ?? []), ...spellings]));
  }
  const bearers = new Map<string, number>();
  for (const spellings of words.values())
    for (const key of new Set([...spellings].map(keyOf))) bearers.set(key, (bearers.get(key) ?? 0) + 1);
  return [...words.values()].map((spellings) =>
    [...spellings].filter((spelling) => /\p{L}/u.test(spelling) && bearers.get(keyOf(spelling)) === 1),
  );
}

function keyOf(spelling: string): string {
  return (formsOf(spelling)[0] ?? '').replaceAll(' ', '');
}
