import assert from 'node:assert/strict';
import test from 'node:test';
import { streetLevel } from '../../src/identity/match/place-level.ts';
import { type Forms, formsOf } from '../../src/identity/names/normalise.ts';
import { readAddressWords } from '../support/address-words.ts';
import { testDataSkipReason } from '../support/test-data.ts';

/** Languages with the kind of the street before its name, then those with it after the name. */
const before = 'bg cs el es fr ga hr it lb lt lv mt pl pt ro ru sk sl uk'.split(' ');
const after = 'da de en et fi hu ko nb nl sv tr'.split(' ');
/** The levels that a policy accepts beside an agreeing id. */
const accepted: ReadonlySet<string> = new Set(['exact', 'normalised', 'similar', 'shortened']);
/** Lower bounds in percent where a language does not reach 98. The words of the matcher were not made from these lists. */
const leastShare: Readonly<Record<string, number>> = {
  es: 83,
  fr: 80,
  it: 76,
  pt: 82,
  ro: 91,
  de: 79,
  en: 79,
  et: 62,
  fi: 85,
  hu: 88,
  nl: 93,
  tr: 92,
};
/** Upper bounds of different words that are accepted: forms of one word, words that are written alike, and words that the matcher does not know. */
const mostMistaken: Readonly<Record<string, number>> = {
  es: 7,
  fr: 68,
  ga: 18,
  it: 28,
  ru: 8,
  uk: 7,
  da: 18,
  de: 10,
  en: 434,
  nb: 11,
  sv: 5,
  tr: 4,
};

test('the spellings of a street word agree at least in the share of its language, and few different words agree', (t) => {
  let reached = 0;
  for (const language of [...before, ...after]) {
    const words = readAddressWords(language, 'street_types');
    if (words === undefined) return t.skip(testDataSkipReason);
    const write = (word: string) => formsOf(after.includes(language) ? `Lomonoska ${word} 27` : `${word} Lomonoska 27`);
    const forms = words.map((spellings) => spellings.map(write));
    const same = shareOf(forms.flatMap(pairsOf));
    const mistaken = pairsOf(forms.flatMap(([first]) => (first === undefined ? [] : [first]))).filter(isAccepted);
    t.diagnostic(`${language}: ${(100 * same).toFixed(1)} %, ${mistaken.length} different words accepted`);
    assert.ok(100 * same >= (leastShare[language] ?? 98), `${language}: ${same}`);
    assert.ok(mistaken.length <= (mostMistaken[language] ?? 2), `${language}: ${mistaken.length} mistaken`);
    if (same >= 0.98 && mistaken.length === 0) reached += 1;
  }
  assert.ok(reached >= 9, `${reached} languages`);
});

type Pair = readonly [Forms, Forms];

function pairsOf(values: readonly Forms[]): Pair[] {
  return values.flatMap((one, at) => values.slice(at + 1).map((other) => [one, other] as const));
}

function isAccepted([one, other]: Pair): boolean {
  return accepted.has(streetLevel(one, other));
}

function shareOf(pairs: readonly Pair[]): number {
  return pairs.length === 0 ? 1 : pairs.filter(isAccepted).length / pairs.length;
}
