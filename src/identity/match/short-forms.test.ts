import assert from 'node:assert/strict';
import test from 'node:test';
import { toComparable } from './comparable.ts';
import { nameLevel } from './name-level.ts';
import { dottedWords } from './short-forms.ts';

type NameClaim = 'givenName' | 'familyName';

function level(claim: NameClaim, one: string, other: string) {
  const claimed = toComparable(claim, one);
  const known = toComparable(claim, other);
  return nameLevel(claimed.forms, known.forms, {
    particles: claim === 'familyName',
    dotted: dottedWords(one, other),
  });
}

function assertLevels(claim: NameClaim, pairs: readonly (readonly [string, string])[], expected: readonly string[]) {
  for (const [one, other] of pairs) {
    assert.ok(expected.includes(level(claim, one, other)), `${one} / ${other}: ${level(claim, one, other)}`);
    assert.ok(expected.includes(level(claim, other, one)), `${other} / ${one}: ${level(claim, other, one)}`);
  }
}

test('a written abbreviation of a given name is a short form of it', () => {
  const pairs = [
    ['Ma. Gloria', 'María Gloria'],
    ['Mª Gloria', 'María Gloria'],
    ['M.ª Gloria', 'María Gloria'],
    ['Ma Gloria', 'Maria Gloria'],
    ['Mohd', 'Mohammed'],
    ['Mohd Aslam', 'Mohamed Aslam'],
    ['Md. Rafiq', 'Mohammad Rafiq'],
    ['Md', 'Muhammad'],
    ['Muh. Rizki', 'Muhammad Rizki'],
    ['Th.', 'Theodorus'],
    ['Jos.', 'Joseph'],
    ['Wm', 'William'],
    ['Wm. Henry', 'William Henry'],
    ['Chas', 'Charles'],
    ['Alex John', 'Alexander John'],
    ['Alexander J.', 'Alex John'],
    ['Fco. Javier', 'Francisco Javier'],
    ['Gpe', 'Guadalupe'],
    ['Robt', 'Robert'],
    ['Мих. Иван', 'Михаил Иван'],
  ] as const;
  assertLevels('givenName', pairs, ['shortened']);
});

test('a written abbreviation of a family name is a short form of it', () => {
  const pairs = [
    ['Hdez', 'Hernández'],
    ['Fdez. López', 'Fernández López'],
    ['Glez', 'González'],
    ['Mtz', 'Martínez'],
  ] as const;
  assertLevels('familyName', pairs, ['shortened']);
});

test('a name whose letters are part of another name does not count as its abbreviation', () => {
  const pairs = [
    ['Marta', 'Margarita'],
    ['Ana', 'Adriana'],
    ['Mia', 'Maria'],
    ['Ian', 'Ivan'],
    ['Ida', 'Isolda'],
  ] as const;
  for (const [one, other] of pairs) assert.notEqual(level('givenName', one, other), 'shortened', `${one} / ${other}`);
});

test('a claim that adds names to an initial of the registered name is another name', () => {
  const pairs = [
    ['Eva H', 'Hans'],
    ['Eva Hanna H', 'Hans'],
    ['Eva H P', 'Hans Peter'],
  ] as const;
  for (const [claimed, known] of pairs) assert.equal(level('givenName', claimed, known), 'different', claimed);
});

test('a name with a dot does not count as an abbreviation of another name with its letters', () => {
  const pairs = { 'Ana.': 'Alejandra', 'Jan.': 'Jonathan', 'Marta.': 'Margarita' };
  for (const [one, other] of Object.entries(pairs)) assert.notEqual(level('givenName', one, other), 'shortened', one);
});

test('a different initial counts as another name', () => {
  const pairs = [
    ['John A', 'John B'],
    ['A John', 'B John'],
    ['J A', 'J B'],
  ] as const;
  assertLevels('givenName', pairs, ['different']);
});

test('a second name that differs by more than a slip is another name', () => {
  const pairs = [
    ['Hans Peter', 'Hans Paul'],
    ['Li Wei', 'Li Na'],
    ['Min Ji', 'Min Jun'],
    ['Thi Minh Khai', 'Thi Minh Khue'],
    ['Maria Carmen', 'Maria Isabel'],
    ['García López', 'García Pérez'],
    ['Иван Петрович', 'Иван Павлович'],
  ] as const;
  assertLevels('givenName', pairs, ['different']);
});

test('a name without one of its second names is a short form of it', () => {
  const pairs = [
    ['Hans', 'Hans Peter'],
    ['Peter', 'Hans Peter'],
    ['Hans P. P.', 'Hans Peter Paul'],
    ['John A', 'John'],
    ['María Ángeles', 'María de los Ángeles'],
    ['Иван', 'Иван Петрович'],
  ] as const;
  assertLevels('givenName', pairs, ['shortened']);
});

test('a family name without one of its words is a short form, and a family name with a part of a word is not', () => {
  const pairs = [
    ['García', 'García López'],
    ['López', 'García López'],
    ['Schmidt', 'Schmidt-Meier'],
    ['Souza', 'Pereira da Silva e Souza'],
  ] as const;
  assertLevels('familyName', pairs, ['shortened']);
  assert.equal(level('familyName', 'López', 'Garcíalópez'), 'different');
});

test('a family name cut at the length limit of a document is a short form of it', () => {
  const name = 'Papadimitrakopoulou Konstantinopoulou';
  for (const length of [25, 30, 31]) assert.equal(level('familyName', name.slice(0, length), name), 'shortened');
});

test('particles that are omitted, joined or abbreviated do not change the level of a family name', () => {
  const pairs = [
    ['v.d. Meer', 'van der Meer'],
    ['vd Meer', 'van der Meer'],
    ['v d Meer', 'van der Meer'],
    ['v. Berg', 'von Berg'],
    ['v. u. z. Berg', 'von und zu Berg'],
    ['Frhr. v. Berg', 'Freiherr von Berg'],
    ['Meer, van der', 'van der Meer'],
    ["van 't Hoff", "Hoff, van 't"],
    ['Graf von Moltke', 'Moltke'],
    ['Moltke, Graf von', 'von Moltke'],
    ['Freiherr vom Stein', 'vom Stein'],
    ['binti Hassan', 'Hassan'],
    ['bte Hassan', 'binti Hassan'],
    ['s/o Kumar', 'Kumar'],
    ['Raman d/o Pillai', 'Raman Pillai'],
    ['Bt Hassan', 'binti Hassan'],
    ['Subramaniam a/l Raju', 'Subramaniam Raju'],
    ['ap Rhys', 'Rhys'],
    ['verch Rhys', 'Rhys'],
    ['ka Ndlovu', 'Ndlovu'],
    ['Dela Cruz', 'de la Cruz'],
    ['delos Santos', 'Santos'],
    ['de los Santos', 'Santos'],
    ['Ortega y Gasset', 'Ortega Gasset'],
    ['de Oliveira e Costa', 'Oliveira Costa'],
    ['OBrien', "O'Brien"],
    ['Mac Kenzie', 'MacKenzie'],
  ] as const;
  assertLevels('familyName', pairs, ['normalised']);
});

test('a family name of particles alone keeps its words', () => {
  assert.equal(level('familyName', 'Le Van', 'Van'), 'shortened');
  assert.equal(level('familyName', 'Le Van', 'Le'), 'shortened');
});
