import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { languagesIn } from '../../test/support/locale-languages.ts';
import { preferredCitizenTexts } from './citizen-texts-by-language.ts';

const others = ['nb', 'de', 'fr', 'es', 'pt', 'it', 'nl'];

/** Words that a language really shares with English, by where they stand. */
const shared: Readonly<Record<string, readonly string[]>> = { fr: ['nav.messages', 'nav.documents'] };

/** Every text below `words`, with the names that lead to it; what has a number, with 2. */
function textsOf(words: object, above = ''): [string, string][] {
  return Object.entries(words).flatMap(([name, word]): [string, string][] => {
    const path = `${above}${name}`;
    if (typeof word === 'string') return [[path, word]];
    return typeof word === 'function' ? [[path, word(2)]] : textsOf(word, `${path}.`);
  });
}

test("the language of the citizens' pages is the first known one that the browser names", () => {
  const cases = [undefined, '', '*', 'xx,de;q=0.5', 'pt-BR, en', 'no', 'nn-NO, de', '<script>', 'toString, fr'];
  const wished = cases.map((header) => preferredCitizenTexts(header).language);
  assert.deepEqual(wished, ['en', 'en', 'en', 'de', 'pt', 'nb', 'nb', 'en', 'fr']);
  assert.deepEqual(
    others.map((language) => preferredCitizenTexts(language).language),
    others,
  );
});

test('every language that has a file is served, and tried here', async () => {
  const files = await languagesIn(join(import.meta.dirname, 'languages'));
  assert.deepEqual(files, ['en', ...others].sort());
});

test('every language has every word, and none by mistake in English', () => {
  const english = textsOf(preferredCitizenTexts('en'));
  for (const language of others) {
    const texts = textsOf(preferredCitizenTexts(language));
    assert.deepEqual(texts.map(([path]) => path).sort(), english.map(([path]) => path).sort(), language);
    const said = new Map(texts);
    for (const [path, text] of texts) assert.match(text, /^\S(?:.*\S)?$/, `${language} ${path}`);
    assert.deepEqual(
      english.filter(([path, text]) => said.get(path) === text).map(([path]) => path),
      shared[language] ?? [],
      language,
    );
    // What is a sentence there is one here.
    assert.deepEqual(
      english.filter(([path, text]) => said.get(path)?.endsWith('.') !== text.endsWith('.')),
      [],
      language,
    );
  }
});

test('in every language each kind of use, each detail and each answer reads otherwise than the others', () => {
  for (const language of ['en', ...others]) {
    const { kinds, claims, decisions } = preferredCitizenTexts(language).uses;
    for (const texts of [kinds, claims, decisions].map((part) => Object.values<string>(part))) {
      assert.equal(new Set(texts).size, texts.length, language);
    }
  }
});

test('a number of entries goes with the form of the word that its language has for it', () => {
  const forms = ['en', ...others].map((language) => {
    const { total } = preferredCitizenTexts(language).uses;
    assert.equal(total(21), total(2).replace('2', '21'));
    return [total(0), total(1), total(2)];
  });
  assert.deepEqual(forms, [
    ['0 entries in all', 'One entry in all', '2 entries in all'],
    ['0 oppføringer i alt', 'Én oppføring i alt', '2 oppføringer i alt'],
    ['0 Einträge insgesamt', 'Ein Eintrag insgesamt', '2 Einträge insgesamt'],
    ['0 entrée au total', 'Une entrée au total', '2 entrées au total'],
    ['0 anotaciones en total', 'Una anotación en total', '2 anotaciones en total'],
    ['0 anotações no total', 'Uma anotação no total', '2 anotações no total'],
    ['0 annotazioni in totale', 'Un’annotazione in totale', '2 annotazioni in totale'],
    ['0 vermeldingen in totaal', 'Eén vermelding in totaal', '2 vermeldingen in totaal'],
  ]);
});
