import assert from 'node:assert/strict';
import test from 'node:test';
import type { Claims } from '../register/claims.ts';
import type { RegisterRecord } from '../register/register.ts';
import { normaliseClaims } from './comparable.ts';
import { compareRecord, decoyRecord } from './compare.ts';
import { calibratedPolicy, type MatchPolicy, standardPolicy, standardPolicy2 } from './policy.ts';

const record: RegisterRecord = {
  citizenId: 'C-1',
  givenName: 'Zoë Maria',
  familyName: "O'Brien",
  birthFamilyName: null,
  birthDate: '1980-02-07',
  birthPlace: 'Köln',
  streetAddress: '12a Rue de l’Église',
  postalCode: 'AB1 2CD',
  locality: 'Łódź',
  country: null,
  documentNumber: 'X-123.456',
  nationality: null,
  underReview: false,
};

const enough: Claims = { citizenId: 'C-1', familyName: "O'Brien", birthDate: '1980-02-07' };

function decide(claims: Claims, of: RegisterRecord = record, policy = standardPolicy) {
  return compareRecord(of, normaliseClaims(claims), policy);
}

test('claims in other spellings match, with the level of each claim', () => {
  const claims: Claims = {
    citizenId: 'C-1',
    givenName: 'ZOE  MARIA',
    familyName: 'O’Brien',
    birthFamilyName: 'Nobody',
    birthDate: '1980-02-07',
    birthPlace: 'Koeln',
    streetAddress: 'Rue de l Eglise 12A',
    postalCode: 'ab12cd',
    locality: 'Lodz',
    country: 'EX',
    documentNumber: 'x123456',
  };
  assert.deepEqual(decide(claims), {
    decision: 'match',
    fits: true,
    crossed: false,
    contradicted: false,
    weight: 0,
    levels: {
      citizenId: 'exact',
      givenName: 'normalised',
      familyName: 'normalised',
      birthFamilyName: 'missing',
      birthDate: 'exact',
      birthPlace: 'normalised',
      streetAddress: 'normalised',
      postalCode: 'normalised',
      locality: 'normalised',
      country: 'missing',
      documentNumber: 'normalised',
    },
  });
});

test('one different claim prevents a match, whatever the other claims are', () => {
  const wrong: Claims = {
    citizenId: 'c-1',
    givenName: 'Zoe',
    familyName: 'Brian',
    birthDate: '1980-02-08',
    birthPlace: 'Kaln',
    streetAddress: '12b Rue de l’Église',
    postalCode: 'AB12CE',
    locality: 'Lodsch',
    documentNumber: 'X123457',
  };
  const decisions = Object.entries(wrong).map(([claim, value]) => [
    claim,
    decide({ ...enough, [claim]: value }).decision,
  ]);
  assert.deepEqual(
    decisions,
    Object.keys(wrong).map((claim) => [claim, 'no_match']),
  );
});

test('a value that the register lacks does not count towards the minimum', () => {
  assert.equal(decide(enough, { ...record, birthDate: null }).decision, 'no_match');
  assert.equal(decide(enough, { ...record, familyName: null }).decision, 'no_match');
});

test('the street of a record with only a house number counts as missing, and another number is different', () => {
  const numbered = { ...record, streetAddress: '12a' };
  const claims: Claims = { ...enough, streetAddress: '12a Rue de l’Église' };
  const results = [
    decide(claims, numbered),
    decide({ ...claims, streetAddress: '13 Rue de l’Église' }, numbered),
    decide({ ...claims, streetAddress: '12a' }),
  ];
  assert.deepEqual(
    results.map(({ levels, decision }) => [levels.streetAddress, decision]),
    [
      ['missing', 'match'],
      ['different', 'no_match'],
      ['different', 'no_match'],
    ],
  );
});

test('a name at birth equal to the present name does not change its level', () => {
  const { levels, decision } = decide(enough, { ...record, birthFamilyName: "O'Brien" });
  assert.deepEqual([levels.familyName, decision], ['exact', 'match']);
});

test('two incomplete dates are different unless all their parts agree', () => {
  const levelOf = (claimed: string, birthDate: string) =>
    decide({ ...enough, birthDate: claimed }, { ...record, birthDate }).levels.birthDate;
  for (const birthDate of ['1980-07', '1980-03', '1992', '1908'])
    assert.equal(levelOf('1980-02-07', birthDate), 'different', birthDate);
  // A year with one different digit is too frequent.
  assert.deepEqual([levelOf('1981', '1980'), levelOf('1980-03', '1980-02')], ['different', 'different']);
});

test('a document number and an address replace an unknown birth date', () => {
  const claims: Claims = { citizenId: 'C-1', familyName: "O'Brien", documentNumber: 'X123456', postalCode: 'AB1 2CD' };
  assert.equal(decide(claims, { ...record, birthDate: null }).decision, 'match');
  assert.equal(decide({ ...claims, documentNumber: 'X123457' }, { ...record, birthDate: null }).decision, 'no_match');
});

test('a less precise birth date fits only with an id and a policy that permits it', () => {
  const lenient: MatchPolicy = { ...standardPolicy, leastDate: 'year' };
  const year: Claims = { ...enough, birthDate: '1980' };
  const { citizenId: _, ...withoutId } = { ...year, givenName: 'Zoë Maria', postalCode: 'AB1 2CD' };
  assert.deepEqual(
    [
      decide(year),
      decide(year, record, lenient),
      decide({ ...withoutId, documentNumber: 'X123456' }, record, lenient),
      decide(withoutId, record, lenient),
    ].map((c) => [c.levels.birthDate, c.decision]),
    [
      ['precision', 'no_match'],
      ['precision', 'match'],
      ['precision', 'match'],
      ['precision', 'no_match'],
    ],
  );
});

test('a registered year of birth agrees with a date of that year, by every policy that permits a deviation', () => {
  const born = { ...record, birthDate: '1980' };
  const claims = { ...enough, givenName: 'Zoë Maria' };
  for (const policy of [standardPolicy, standardPolicy2, calibratedPolicy]) {
    assert.equal(decide(claims, born, policy).decision, 'match', policy.name);
    assert.equal(decide({ ...claims, birthDate: '1981-02-07' }, born, policy).decision, 'no_match', policy.name);
  }
});

test('nationalities agree if the register has each claimed one, in any order and spelling', () => {
  const known = (nationality: string) => ({ ...record, nationality });
  const levelOf = (claimed: string, registered: string) =>
    decide({ ...enough, nationality: claimed }, known(registered)).levels.nationality;
  for (const [claimed, registered, level] of [
    ['DE', 'DE', 'exact'],
    ['de', 'FR, DE', 'normalised'],
    ['DE,FR', 'FR/DE', 'normalised'],
    ['Oesterreich', 'Österreich', 'normalised'],
    ['Swaziland', 'Eswatini', 'similar'],
    ['DE', 'BE', 'different'],
    ['DE,BE', 'DE', 'different'],
    [',', 'DE', 'different'],
    ['Germany', 'DE', 'different'],
  ])
    assert.equal(levelOf(claimed ?? '', registered ?? ''), level, `${claimed} ${registered}`);
  assert.equal(decide({ ...enough, nationality: 'DE' }).levels.nationality, 'missing');
  const renamed = { ...enough, nationality: 'Swaziland' };
  assert.equal(decide(renamed, known('Eswatini'), standardPolicy2).decision, 'match');
  assert.equal(decide(renamed, known('Eswatini'), standardPolicy).decision, 'no_match');
});

test('claims that fit a disputed record are not determined, and other claims do not match', () => {
  const disputed = { ...record, underReview: true };
  assert.equal(decide(enough, disputed).decision, 'not_determined');
  assert.equal(decide({ ...enough, familyName: 'Brian' }, disputed).decision, 'no_match');
});

test('the decoy record fits no claims, including its own', () => {
  const own = Object.fromEntries(
    Object.entries(decoyRecord).filter(([claim, value]) => typeof value === 'string' && claim !== 'citizenId'),
  );
  assert.equal(decide({ ...own, citizenId: 'C-9' }, decoyRecord).decision, 'no_match');
});
