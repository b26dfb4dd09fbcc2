import assert from 'node:assert/strict';
import test from 'node:test';
import { nameLevel } from '../match/name-level.ts';
import { formsOf } from './normalise.ts';

const level = (one: string, other: string) => nameLevel(formsOf(one), formsOf(other), { particles: true });

test('a title or suffix on one side does not change the level', () => {
  const same = [
    ['Feggins Jr.', 'Feggins'],
    ['Feggins Jr.', 'Feggins Junior'],
    ['de la Cruz III', 'Cruz'],
    ['Dr. Eva', 'Eva'],
    ['Prof. Dr. Eva Maria', 'Eva-Maria'],
    ['St. John', 'Saint John'],
    ['Ste-Marie', 'Sainte Marie'],
    ['Sta. Cruz', 'Santa Cruz'],
    ['Sra. Carmen', 'Carmen'],
    ['Herr Dr. med. Hans', 'Hans'],
    ['Sig. Anna', 'Anna'],
    ['Dipl.-Ing. Hans', 'Hans'],
    ['Kruse PhD', 'Kruse'],
    ['Kruse Jr. MBA', 'Kruse'],
    ['Daw Aung San', 'Aung San'],
    ['Smt. Lakshmi', 'Lakshmi'],
  ] as const;
  for (const [one, other] of same) {
    assert.deepEqual([level(one, other), level(other, one)], ['normalised', 'normalised'], `${one} / ${other}`);
  }
});

test('a deviation has the same level with and without a title or suffix', () => {
  assert.equal(level('Feggins Jr.', 'Fegins'), 'similar');
  assert.equal(level('Dr. Eva', 'Ava'), level('Eva', 'Ava'));
});

test('names with different generation suffixes are different', () => {
  const pairs = [
    ['Feggins Jr.', 'Feggins Sr.'],
    ['Feggins II', 'Feggins III'],
    ['Silva Junior', 'Silva Senior'],
  ] as const;
  for (const [one, other] of pairs) assert.equal(level(one, other), 'different', `${one} / ${other}`);
});

test('the last word of a name is never removed', () => {
  for (const name of ['Junior', 'Prof', 'Dr.', 'Dr. Prof.', 'St.', 'Sr. Jr.'])
    assert.equal(level(name, name), 'normalised');
  assert.notEqual(level('Dr. Prof', 'Dr.'), 'normalised');
  assert.notEqual(level('Junior', 'Senior'), 'normalised');
});
