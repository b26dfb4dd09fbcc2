import assert from 'node:assert/strict';
import test from 'node:test';
import { formsOf } from '../names/normalise.ts';
import type { Claims } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { normaliseClaims } from './comparable.ts';
import { type ClaimLevels, compareRecord, dateLevel, decoyRecord } from './compare.ts';
import type { MatchDecision } from './decide.ts';
import type { Level } from './level.ts';
import { nameLevel } from './name-level.ts';
import { placeLevel } from './place-level.ts';
import { calibratedPolicy, standardPolicy, standardPolicy2 } from './policy.ts';

const name = (one: string, other: string) => nameLevel(formsOf(one), formsOf(other), { particles: true });
const place = (one: string, other: string) => placeLevel(formsOf(one), formsOf(other));

function person(values: Claims): RegisterRecord {
  return { ...decoyRecord, birthFamilyName: null, citizenId: 'C-1', ...values };
}

function levelsOf(claims: Claims, record: Claims): ClaimLevels {
  return compareRecord(person(record), normaliseClaims(claims), standardPolicy).levels;
}

type Family = {
  readonly rule: string;
  readonly level: (one: string, other: string) => Level;
  readonly similar: readonly (readonly [string, string])[];
  /** Values that this rule must not accept; another rule may give a lower level. */
  readonly nearMisses: readonly (readonly [string, string])[];
  readonly as: readonly Level[];
};

/** The rules of EU 2023/333 Annex II for single fields. N-b and N-c concern two fields and have their own tests. */
const families: readonly Family[] = [
  {
    rule: 'N-a known transliteration',
    level: name,
    similar: [
      ['Müller', 'Mueller'],
      ['Щукин', 'Shchukin'],
      ['Þórður', 'Thordur'],
    ],
    nearMisses: [
      ['Müller', 'Miller'],
      ['Щукин', 'Schukon'],
    ],
    as: ['normalised'],
  },
  {
    rule: 'N-d two words exchanged',
    level: name,
    similar: [
      ['Juan Carlos Maria', 'Maria Carlos Juan'],
      ['Ana Maria', 'Maria Ana'],
    ],
    nearMisses: [['Juan Carlos Maria', 'Carlos Maria Juan']],
    as: ['similar'],
  },
  {
    rule: 'N-e two letters exchanged',
    level: name,
    similar: [
      ['Bakri', 'Bikra'],
      ['Jansen', 'Jasnen'],
    ],
    nearMisses: [['Bakriton', 'Bkaritno']],
    as: ['similar'],
  },
  {
    rule: 'N-f one character inserted, deleted or substituted',
    level: name,
    similar: [
      ['Jansen', 'Janssen'],
      ['Janssen', 'Jansen'],
      ['Jansen', 'Hansen'],
    ],
    nearMisses: [['Jansen', 'Hanssen']],
    as: ['similar', 'transliterated'],
  },
  {
    rule: 'N-g hyphens, commas, apostrophes',
    level: name,
    similar: [
      ["O'Brien-Lee", 'OBrien Lee'],
      ['Silva, Ana', 'Silva Ana'],
    ],
    nearMisses: [["O'Brien-Lee", 'OBryen Lee']],
    as: ['normalised'],
  },
  {
    rule: 'N-h truncation',
    level: name,
    similar: [
      ['Papadopoulos', 'Papadop'],
      ['Papadopoulos', 'Pap'],
      ['Papadopoulos', 'P'],
      ['Anna Maria', 'A M'],
    ],
    nearMisses: [
      ['Papadopoulos', 'Papapoulos'],
      ['Papadopoulos', 'Pa'],
      ['Papadopoulos', 'D'],
      ['D', 'Papadopoulos'],
      ['Anna Maria', 'M B'],
      ['M B', 'Anna Maria'],
    ],
    as: ['shortened'],
  },
  {
    rule: 'D-a day and month inverted',
    level: dateLevel,
    similar: [['1980-02-07', '1980-07-02']],
    nearMisses: [['1980-02-07', '1981-07-02']],
    as: ['inverted'],
  },
  {
    rule: 'D-b another calendar',
    level: dateLevel,
    similar: [
      ['1400-01-01', '2021-03-21'],
      ['1445-09-01', '2024-03-11'],
      ['2563-05-17', '2020-05-17'],
      ['2013-01-01', '2020-09-11'],
      ['1980-02-07', '1980-01-25'],
    ],
    nearMisses: [
      ['1400-01-02', '2021-03-21'],
      ['2563-05-18', '2020-05-17'],
    ],
    as: ['similar'],
  },
  {
    rule: 'D-c one character inserted, deleted or substituted',
    level: dateLevel,
    similar: [['1980-02-07', '1980-02-01']],
    nearMisses: [['1980-02-07', '1980-03-01']],
    as: ['similar'],
  },
  {
    rule: 'P-a known transliteration of a place',
    level: place,
    similar: [
      ['Köln', 'Koeln'],
      ['Αθήνα', 'Athina'],
    ],
    nearMisses: [['Köln', 'Kaln']],
    as: ['normalised'],
  },
  {
    rule: 'P-b one character of a place',
    level: place,
    similar: [['Tallinn', 'Talinn']],
    nearMisses: [['Tallinn', 'Talin']],
    as: ['similar'],
  },
  {
    rule: 'P-c a place renamed',
    level: place,
    similar: [
      ['Astana', 'Nur-Sultan'],
      ['Leningrad', 'Санкт-Петербург'],
      ['Kiev', 'Київ'],
      ['Kirovograd', 'Kropyvnytskyi'],
    ],
    nearMisses: [
      ['Astana', 'Almaty'],
      ['Kiev', 'Kharkiv'],
    ],
    as: ['similar'],
  },
];

for (const { rule, level, similar, nearMisses, as } of families) {
  test(`EU 2023/333 ${rule}: similar values are similar, and larger differences are not`, () => {
    for (const [one, other] of similar) {
      assert.ok(as.includes(level(one, other)), `${one} / ${other}: ${level(one, other)}`);
      assert.ok(as.includes(level(other, one)), `${other} / ${one}: ${level(other, one)}`);
    }
    for (const [one, other] of nearMisses) assert.ok(!as.includes(level(one, other)), `${one} / ${other}`);
  });
}

test('EU 2023/333 N-b: exchanged names are similar, also the name at birth, and not with another name', () => {
  const ana = { givenName: 'Ana', familyName: 'Silva' };
  assert.deepEqual(levelsOf({ givenName: 'Silva', familyName: 'Ana' }, ana), {
    givenName: 'similar',
    familyName: 'similar',
  });
  assert.deepEqual(levelsOf({ givenName: 'Silva', familyName: 'Eva' }, ana), {
    givenName: 'different',
    familyName: 'different',
  });
  assert.deepEqual(levelsOf({ familyName: 'Costa' }, { ...ana, birthFamilyName: 'Costa' }), { familyName: 'similar' });
});

test('EU 2023/333 N-c: names split differently are similar, and not with a missing word', () => {
  const ana = { givenName: 'Ana Maria', familyName: 'Silva' };
  assert.deepEqual(levelsOf({ givenName: 'Ana Maria Silva' }, ana), { givenName: 'similar' });
  assert.deepEqual(levelsOf({ givenName: 'Ana', familyName: 'Maria Silva' }, ana), {
    givenName: 'similar',
    familyName: 'similar',
  });
  assert.notEqual(levelsOf({ givenName: 'Ana Silva' }, ana).givenName, 'similar');
});

test('EU 2023/333 N-c: either side may have all names in one field, and in either field', () => {
  const nameless = { ...person({ birthDate: '1980-02-07' }), givenName: null, familyName: null };
  const whole = { givenName: 'Ana Maria', familyName: 'Silva' };
  const cases: readonly (readonly [Claims, Claims, ClaimLevels, MatchDecision])[] = [
    [{ familyName: 'Ana Maria Silva' }, whole, { givenName: 'similar', familyName: 'similar' }, 'match'],
    [{ givenName: 'Ana Maria Silva' }, whole, { givenName: 'similar', familyName: 'similar' }, 'match'],
    [{ familyName: 'Sukarno' }, { givenName: 'Sukarno' }, { givenName: 'similar' }, 'match'],
    [{ givenName: 'Suharto' }, { familyName: 'Suharto' }, { familyName: 'similar' }, 'match'],
    [{ givenName: 'Suharto' }, { familyName: 'Soeharjo' }, { familyName: 'missing' }, 'no_match'],
    // A name that the register lacks does not differ, whichever field the other name is in.
    [
      { givenName: 'Suharto' },
      { givenName: 'Haji', familyName: 'Suharto' },
      { givenName: 'missing', familyName: 'similar' },
      'match',
    ],
    [
      { familyName: 'Sukarno' },
      { givenName: 'Sukarno', familyName: 'Putra' },
      { givenName: 'similar', familyName: 'missing' },
      'match',
    ],
  ];
  for (const [record, names, levels, decision] of cases) {
    const claims = normaliseClaims({ citizenId: 'C-1', birthDate: '1980-02-07', ...names });
    const compared = compareRecord({ ...nameless, ...record }, claims, standardPolicy2);
    const { citizenId: _, birthDate: __, ...found } = compared.levels;
    assert.deepEqual([found, compared.decision], [levels, decision], JSON.stringify(record));
  }
  const alone = { ...nameless, familyName: 'Sukarno' };
  assert.equal(
    compareRecord(alone, normaliseClaims({ familyName: 'Sukarno' }), standardPolicy2).levels.familyName,
    'exact',
  );
});

test('names split differently count as one deviation, in either field', () => {
  const record = person({ givenName: 'Ana', familyName: 'Silva', birthDate: '1980-02-07' });
  for (const names of [{ givenName: 'Ana Silva' }, { familyName: 'Ana Silva' }]) {
    const decide = (birthDate: string) =>
      compareRecord(record, normaliseClaims({ citizenId: 'C-1', birthDate, ...names }), standardPolicy2).decision;
    assert.deepEqual([decide('1980-02-07'), decide('1980-07-02')], ['match', 'no_match']);
  }
});

test('EU 2025/846: transliteration, blanks, hyphens and concatenation do not change the decision of any policy', () => {
  const record = person({ givenName: 'Zoë Anne-Marie', familyName: "Müller O'Brien", birthDate: '1980-02-07' });
  const variants: readonly Claims[] = [
    { givenName: 'Zoë Anne-Marie', familyName: "Müller O'Brien" },
    { givenName: 'ZOE ANNE MARIE', familyName: 'MUELLER OBRIEN' },
    { givenName: ' Zoe  AnneMarie ', familyName: 'Muller O Brien' },
    { givenName: 'Zoe\u0308 Anne–Marie', familyName: 'Muller-O’Brien' },
  ];
  for (const policy of [standardPolicy, standardPolicy2, calibratedPolicy]) {
    for (const variant of variants) {
      const claims = normaliseClaims({ citizenId: 'C-1', birthDate: '1980-02-07', ...variant });
      assert.equal(
        compareRecord(record, claims, policy).decision,
        'match',
        `${policy.name} ${JSON.stringify(variant)}`,
      );
    }
  }
});
