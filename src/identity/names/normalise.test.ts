import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { testDataPath, testDataSkipReason } from '../../../test/support/test-data.ts';
import { nameLevel } from '../match/name-level.ts';
import { nameSearchKeys, storedNameKeys, withoutParticles } from './name-key.ts';
import { formsOf, toStoredText } from './normalise.ts';

/** Whether the names share a form without blanks, with or without particles. */
function same(one: string, other: string): boolean {
  const joined = (text: string) =>
    formsOf(text).flatMap((form) => [form, withoutParticles(form)].map((kept) => kept.replaceAll(' ', '')));
  const known = joined(other);
  return joined(one).some((form) => known.includes(form));
}

const pairs: readonly (readonly [string, string])[] = [
  ['Müller', 'Mueller'],
  ['Müller', 'MULLER'],
  ['Müller', 'MUXXLLER'],
  ['Muñoz', 'Munoz'],
  ['Groß', 'GROSS'],
  ['Åkesson', 'Aakesson'],
  ['Søren', 'Soeren'],
  ['Æbeltoft', 'Aebeltoft'],
  ['Łukasz', 'Lukasz'],
  ['Þórður', 'Thordur'],
  ["O'Brien-Lee", 'OBrien Lee'],
  ['D’Arcy', "d'arcy"],
  ['Nguyễn', 'Nguyen'],
  ['İnönü', 'Inonu'],
  ['Щукин', 'Shchukin'],
  ['Хрущёв', 'Khrushchev'],
  ['Зеленский', 'Zelensky'],
  ['Юлия', 'Yulia'],
  ['Юлия', 'Iuliia'],
  ['Сергей', 'Sergey'],
  ['Παπαδόπουλος', 'Papadopoulos'],
  ['Ευαγγελία', 'Evangelia'],
  ['ΣΟΦΟΣ', 'σοφος'],
  ['أحمد', 'احمد'],
  ['محمّد', 'محمد'],
  ['Ｊｏｈｎ', 'John'],
  ['van der Berg', 'Vanderberg'],
  ['de la Cruz', 'Cruz'],
  ['Gal·la', 'Galla'],
];

test('spellings of one name have the same normalised form', () => {
  assert.deepEqual(
    pairs.filter(([one, other]) => !same(one, other)),
    [],
  );
});

/** Further names that agree only by the rules for personal names. */
const spellings = [
  ['van der Berg', 'Berg'],
  ["D'Angelo", 'Dangelo'],
  ['Feggins Jr.', 'Feggins'],
  ['von Feggins III', 'Feggins'],
  ['Feggins', 'Dr. Feggins Junior'],
  ['St. John', 'Saint John'],
  ['Prof. Dr. Eva Maria', 'Eva-Maria'],
  ['박 지성', '박지성'],
  ['Al-Hassan', 'Alhassan'],
  ['Χριστίνα', 'Hristina'],
  ['Фёдор', 'Fyodor'],
  ['Димитър', 'Dimitar'],
  ['Ђорђевић', 'Djordjevic'],
  ['Щербаков', 'Shcherbakov'],
  ['Зеленський', 'Zelensky'],
  ['陳', 'Chan'],
  ['黃', 'Wong'],
  ...('محمد Mohammed محمد Muhammad خالد Khaled خالد Khalid القاضي Alqadi القاضي Elkadi الشريف Ashsharif'
    .concat(
      ' عبدالرحمن Abdurrahman فاطمة Fatima فاطمة Fatma عثمان Othman عثمان Osman إبراهيم Ibrahim جمال Gamal جمال Jamal',
    )
    .concat(' طه Taha عيسى Issa ليلى Leila رؤوف Raouf حسين Hussein يوسف Youssef شيماء Shaimaa هبة Heba')
    .match(/\S+ \S+/g)
    ?.map((pair) => pair.split(' ')) ?? []),
] as const;

test('names that agree in a register share a search key', () => {
  const all = [...pairs, ...pairs.map(([one, other]) => [other, one]), ...spellings];
  const found = all.map(([registered = '', claimed = '']) => {
    const keys = nameSearchKeys(formsOf(claimed));
    const level = nameLevel(formsOf(claimed), formsOf(registered), { particles: true });
    return { registered, claimed, level, shared: storedNameKeys(registered).some((key) => keys.includes(key)) };
  });
  assert.deepEqual(
    found.filter(({ level, shared }) => level !== 'normalised' || !shared),
    [],
  );
});

test('generated names that agree share a search key', () => {
  const letter = fc.constantFrom(...'aeiouyhjklmnstvwxz -’дђжхщыюяёїђљ王陳伟γχψώύüößøåþ'.split(''));
  const name = fc.string({ unit: letter, minLength: 1, maxLength: 9 }).filter((text) => /[^ ’-]/.test(text));
  const rewritten = (text: string) => [
    text,
    `${text} jr`,
    text.replace(/^(dr|st) /, ''),
    ...[...formsOf(text), text.toUpperCase(), text.replaceAll(/[ ’-]/g, '')],
  ];
  fc.assert(
    fc.property(fc.constantFrom('', 'van der ', 'de la ', "d'", 'dr ', 'st '), name, (particle, text) => {
      const sides = (one: string) => {
        const forms = formsOf(one);
        return { one, forms, kept: storedNameKeys(one), keys: nameSearchKeys(forms) };
      };
      const own = sides(particle + text);
      for (const other of new Set(rewritten(own.one))) {
        if (nameLevel(formsOf(other), own.forms, { particles: true }) !== 'normalised') continue;
        const its = sides(other);
        for (const [registered, claimed] of [
          [own, its],
          [its, own],
        ] as const) {
          assert.ok(
            registered.kept.some((key) => claimed.keys.includes(key)),
            `${registered.one} as ${claimed.one}`,
          );
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

test('names that differ by a letter do not agree', () => {
  const different = [
    ['Müller', 'Miller'],
    ['Mueller', 'Muller'],
    ['Jansen', 'Janssen'],
    ['राम', 'रमा'],
    ['か', 'が'],
    ['王小明', '王小朋'],
    ['Köln', 'Kaln'],
  ] as const;
  assert.deepEqual(
    different.filter(([one, other]) => same(one, other)),
    [],
  );
});

test('a family name of particles alone keeps its words, and other names lose their particles', () => {
  const names = ['de la', 'van', 'van der berg', 'ortega y gasset'];
  assert.deepEqual(names.map(withoutParticles), ['de la', 'van', 'berg', 'ortega gasset']);
});

test('any text that is not blank has a normalised form', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
  fc.assert(
    fc.property(text, (name) => {
      const forms = formsOf(toStoredText(name));
      assert.equal(forms.includes(''), !/\S/u.test(name));
      assert.equal(storedNameKeys(name)[0] === '', !/\S/u.test(name));
    }),
    { numRuns: 1_000 },
  );
});

test('the Unicode composition of letters does not change the forms of a name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      assert.deepEqual(formsOf(name.normalize('NFD')), formsOf(name.normalize('NFC')));
    }),
    { numRuns: 1_000 },
  );
});

test('every name of the public sample has a form and is found in upper case', (t) => {
  const path = testDataPath('opensanctions_rigour/sample_names.csv');
  if (path === undefined) return t.skip(testDataSkipReason);
  const names = parse(readFileSync(path), { columns: true }).map((row) => String((row as { name: string }).name));
  assert.equal(names.length > 400, true);
  assert.deepEqual(
    names.filter((name) => !same(name, name.toUpperCase())),
    [],
  );
});

test('the time to normalise a name grows linearly with its length', () => {
  const marks = `a${'\u0301'.repeat(200_000)}`;
  const mixed = 'Щü'.repeat(100_000);
  assert.deepEqual(formsOf(marks), ['a']);
  assert.equal((formsOf(mixed)[0] ?? '').length, 500_000);
});
