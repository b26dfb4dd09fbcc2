import assert from 'node:assert/strict';
import test from 'node:test';
import type { Claims } from '../register/claims.ts';
import { normaliseClaims } from './comparable.ts';
import { compareRecord, decoyRecord } from './compare.ts';
import { calibratedPolicy, standardPolicy2 } from './policy.ts';

/** Given and family name. */
type Names = readonly [givenName: string | null, familyName: string | null];

const birthDate = '1980-02-07';

function compareNames([givenName, familyName]: Names, claimed: Names, policy = standardPolicy2) {
  const record = { ...decoyRecord, birthFamilyName: null, citizenId: 'C-1', birthDate, givenName, familyName };
  const claims: Claims = {
    citizenId: 'C-1',
    birthDate,
    ...(claimed[0] === null ? {} : { givenName: claimed[0] }),
    ...(claimed[1] === null ? {} : { familyName: claimed[1] }),
  };
  return compareRecord(record, normaliseClaims(claims), policy);
}

function assertDecisions(record: Names, claims: readonly Names[], policies = [standardPolicy2, calibratedPolicy]) {
  for (const claimed of claims) {
    for (const policy of policies) {
      const { decision, levels } = compareNames(record, claimed, policy);
      assert.equal(decision, 'match', `${policy.name}: ${record} / ${claimed}: ${JSON.stringify(levels)}`);
    }
  }
}

test('a whole name in one field matches in either order, also if the other field repeats a part of it', () => {
  const people: readonly Names[] = [
    ['Min Jun', 'Kim'],
    ['Ana Maria', 'Silva'],
    ['Иван', 'Сидоров'],
    ['Ngọc Ánh', 'Nguyễn Thị'],
    ['小明', '王'],
  ];
  for (const [given, family] of people) {
    for (const whole of [`${given} ${family}`, `${family} ${given}`]) {
      assertDecisions(
        [given, family],
        [
          [null, whole],
          [whole, null],
          [whole, whole],
          [whole, family],
          [given, whole],
          [whole, '-'],
          ['FNU', whole],
        ],
      );
    }
  }
});

test('a whole name in one field matches with joined words, particles, titles or in another script', () => {
  assertDecisions(['Min Jun', 'Kim'], [[null, 'Kim Minjun']]);
  assertDecisions(['Pieter', 'van der Meer'], [[null, 'Pieter v.d. Meer']]);
  assertDecisions(['Pieter', 'van der Meer'], [[null, 'Meer Pieter']]);
  assertDecisions(['Анна Мария', 'Сидорова'], [[null, 'Sidorova Anna Maria']]);
  assertDecisions(['Ahmad', 'Abdullah'], [['Ahmad bin Abdullah', null]]);
});

test('family-first names that are divided differently match, also in exchanged fields', () => {
  assertDecisions(
    ['Ngọc Ánh', 'Nguyễn Thị'],
    [
      ['Thi Ngoc Anh', 'Nguyen'],
      ['Nguyen', 'Thi Ngoc Anh'],
      ['Nguyen Thi', 'Ngoc Anh'],
    ],
  );
  assertDecisions(
    ['Thị Ngọc Ánh', 'Nguyễn'],
    [
      ['Ngoc Anh', 'Nguyen Thi'],
      ['Nguyen Thi', 'Ngoc Anh'],
    ],
  );
});

test('names divided differently with one slip match by probability', () => {
  assertDecisions(['Ngọc Ánh', 'Nguyễn Thị'], [['Thi Ngoc Anh', 'Nguyem']], [calibratedPolicy]);
  assertDecisions(['Min Jun', 'Kimura'], [[null, 'Kimurra Min Jun']], [calibratedPolicy]);
  assertDecisions(['Min Jun', 'Kimura'], [[null, 'Min Jnu Kimura']], [calibratedPolicy]);
  assertDecisions(['Ana Maria', 'Silva Santos'], [[null, 'Ana Maria Santos']], [calibratedPolicy]);
});

test('a person with one name matches from either field, and with a filler in the other field', () => {
  const records: readonly Names[] = [
    [null, 'Sukarno'],
    ['Sukarno', null],
    ['Sukarno', 'Sukarno'],
    ['FNU', 'Sukarno'],
    ['Sukarno', 'LNU'],
    ['-', 'Sukarno'],
    ['.', 'Sukarno'],
    ['XXX', 'Sukarno'],
  ];
  const claims: readonly Names[] = [
    [null, 'Sukarno'],
    ['Sukarno', null],
    ['Sukarno', 'Sukarno'],
    ['FNU', 'Sukarno'],
    ['Sukarno', '-'],
    ['.', 'Sukarno'],
  ];
  for (const record of records) assertDecisions(record, claims);
});

test('a register with the whole name in one field matches with a title or without a second name', () => {
  assertDecisions([null, 'Aung San Suu Kyi'], [['Daw Aung San', 'Suu Kyi']]);
  assertDecisions([null, 'Hans Peter Kruse'], [['Hans', 'Kruse']], [calibratedPolicy]);
  assertDecisions(['Hans Peter Kruse', 'Kruse'], [['Hans Peter', 'Kruse']]);
});

test('a whole name with another, missing or contradicted word does not match', () => {
  const claims: readonly (readonly [Names, Names])[] = [
    [
      ['Min Jun', 'Kim'],
      [null, 'Kim Min Ho'],
    ],
    [
      ['Min Jun', 'Kim'],
      ['Min Jun Kim', 'Park'],
    ],
    [
      ['Ben', 'Smith'],
      ['Al Smith', null],
    ],
    [
      ['Ngọc Ánh', 'Nguyễn Thị'],
      ['Nguyen', 'Thi'],
    ],
    [
      ['Ana', 'Silva Santos'],
      ['Silva Santos', null],
    ],
    [
      ['James', 'Feggins Jr.'],
      ['Feggins', 'Sr. James'],
    ],
    [
      ['James', 'Feggins Jr.'],
      [null, 'Feggins Sr James'],
    ],
    [
      ['Li', 'Amarali'],
      ['Amarali', null],
    ],
    [
      ['Hans', null],
      [null, 'Hans Schmidt'],
    ],
    [
      [null, 'Sukarno'],
      ['FNU', 'Suharto'],
    ],
    [
      ['Hans', 'Sukarno'],
      ['FNU', 'Sukarno'],
    ],
  ];
  for (const [record, claimed] of claims) {
    const { decision, levels } = compareNames(record, claimed);
    assert.equal(decision, 'no_match', `${record} / ${claimed}: ${JSON.stringify(levels)}`);
  }
});

test('a whole name in one field counts as one uncertainty next to another one', () => {
  const record = { ...decoyRecord, citizenId: 'C-1', birthDate, givenName: 'Min Jun', familyName: 'Kim' };
  const decide = (date: string) =>
    compareRecord(
      record,
      normaliseClaims({ citizenId: 'C-1', birthDate: date, familyName: 'Kim Min Jun' }),
      standardPolicy2,
    ).decision;
  assert.deepEqual([decide('1980-02-07'), decide('1980-07-02')], ['match', 'no_match']);
});
