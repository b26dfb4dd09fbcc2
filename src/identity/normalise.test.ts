import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { testData, withoutTestData } from '../../test/test-data.ts';
import { familyKey, withoutParticles } from './name-key.ts';
import { formsOf, stored } from './normalise.ts';

/** Whether some form of one name is some form of the other, blanks aside, with its particles or without them. */
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

test('spellings of one name are the same name', () => {
  assert.deepEqual(
    pairs.filter(([one, other]) => !same(one, other)),
    [],
  );
});

test('spellings of one family name are found under one key', () => {
  const keyed = pairs.filter(([one]) => !['van der Berg'].includes(one));
  assert.deepEqual(
    keyed.filter(([one, other]) => familyKey(one) !== familyKey(other)),
    [],
  );
});

test('names that differ by a letter stay apart', () => {
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

test('the last word of a family name is no particle', () => {
  const names = ['de la', 'van', 'van der berg', 'ortega y gasset'];
  assert.deepEqual(names.map(withoutParticles), ['la', 'van', 'berg', 'ortega gasset']);
});

test('no text crashes the normaliser, and none that is not blank loses all its forms', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
  fc.assert(
    fc.property(text, (name) => {
      const forms = formsOf(stored(name));
      assert.equal(forms.includes(''), !/\S/u.test(name));
      assert.equal(familyKey(name) === '', !/\S/u.test(name));
    }),
    { numRuns: 1_000 },
  );
});

test('how letters are composed changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      assert.deepEqual(formsOf(name.normalize('NFD')), formsOf(name.normalize('NFC')));
    }),
    { numRuns: 1_000 },
  );
});

test('every name of the public sample is accepted and found again in upper case', (t) => {
  const path = testData('opensanctions_rigour/sample_names.csv');
  if (path === undefined) return t.skip(withoutTestData);
  const names = parse(readFileSync(path), { columns: true }).map((row) => String((row as { name: string }).name));
  assert.equal(names.length > 400, true);
  assert.deepEqual(
    names.filter((name) => !same(name, name.toUpperCase())),
    [],
  );
});

test('the time for a name grows with its length, not with its square', () => {
  const marks = `a${'\u0301'.repeat(200_000)}`;
  const mixed = 'Щü'.repeat(100_000);
  assert.deepEqual(formsOf(marks), ['a']);
  assert.equal((formsOf(mixed)[0] ?? '').length, 500_000);
});
