import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localeFor } from '../locales/locale.ts';
import { formatMessage } from '../locales/message-format.ts';
import { citizenTextsOf } from './citizen-texts.ts';

const languages = ['en', 'nb', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'sv', 'pl', 'uk', 'tr', 'ar'];

test('each kind of use, each claim and each decision has its own text in every language', () => {
  for (const language of languages) {
    const { kinds, claims, decisions } = citizenTextsOf(localeFor(language)).uses;
    for (const texts of [kinds, claims, decisions].map((part) => Object.values<string>(part))) {
      assert.equal(new Set(texts).size, texts.length, language);
    }
  }
});

test('the number of entries takes the plural form of each language', () => {
  const forms = languages.map((language) => {
    const { total } = citizenTextsOf(localeFor(language)).uses;
    return [0, 1, 2, 21].map((count) => formatMessage(language, total, { count }));
  });
  assert.deepEqual(forms, [
    ['0 entries in all', 'One entry in all', '2 entries in all', '21 entries in all'],
    ['0 oppføringer i alt', 'Én oppføring i alt', '2 oppføringer i alt', '21 oppføringer i alt'],
    ['0 Einträge insgesamt', 'Ein Eintrag insgesamt', '2 Einträge insgesamt', '21 Einträge insgesamt'],
    ['0 entrée au total', 'Une entrée au total', '2 entrées au total', '21 entrées au total'],
    ['0 anotaciones en total', 'Una anotación en total', '2 anotaciones en total', '21 anotaciones en total'],
    ['0 anotações no total', 'Uma anotação no total', '2 anotações no total', '21 anotações no total'],
    ['0 annotazioni in totale', 'Un’annotazione in totale', '2 annotazioni in totale', '21 annotazioni in totale'],
    ['0 vermeldingen in totaal', 'Eén vermelding in totaal', '2 vermeldingen in totaal', '21 vermeldingen in totaal'],
    ['0 noteringar totalt', 'En notering totalt', '2 noteringar totalt', '21 noteringar totalt'],
    ['Łącznie 0 wpisów', 'Łącznie jeden wpis', 'Łącznie 2 wpisy', 'Łącznie 21 wpisów'],
    ['Усього 0 записів', 'Усього 1 запис', 'Усього 2 записи', 'Усього 21 запис'],
    ['Toplam 0 kayıt', 'Toplam bir kayıt', 'Toplam 2 kayıt', 'Toplam 21 kayıt'],
    ['لا توجد عمليات', 'عملية واحدة إجمالًا', 'عمليتان إجمالًا', '21 عملية إجمالًا'],
  ]);
});
