import assert from 'node:assert/strict';
import test from 'node:test';
import { nameLevel } from '../match/name-level.ts';
import { formsOf } from './normalise.ts';

const level = (one: string, other: string) => nameLevel(formsOf(one), formsOf(other), { particles: true });

test('a title or a suffix that one side states changes nothing', () => {
  const same = [
    ['Feggins Jr.', 'Feggins'],
    ['Feggins Jr.', 'Feggins Junior'],
    ['de la Cruz III', 'Cruz'],
    ['Dr. Eva', 'Eva'],
    ['Prof. Dr. Eva Maria', 'Eva-Maria'],
    ['St. John', 'Saint John'],
    ['Ste-Marie', 'Sainte Marie'],
  ] as const;
  for (const [one, other] of same) {
    assert.deepEqual([level(one, other), level(other, one)], ['normalised', 'normalised'], `${one} / ${other}`);
  }
});

test('a slip beside a title or a suffix is the slip that it is without them', () => {
  assert.equal(level('Feggins Jr.', 'Fegins'), 'similar');
  assert.equal(level('Dr. Eva', 'Ava'), level('Eva', 'Ava'));
});

test('father and son who say which of them they are are two people', () => {
  const pairs = [
    ['Feggins Jr.', 'Feggins Sr.'],
    ['Feggins II', 'Feggins III'],
    ['Silva Junior', 'Silva Senior'],
  ] as const;
  for (const [one, other] of pairs) assert.equal(level(one, other), 'different', `${one} / ${other}`);
});

test('what is left of a name is the name, whatever it looks like', () => {
  for (const name of ['Junior', 'Prof', 'Dr.', 'Dr. Prof.', 'St.', 'Sr. Jr.'])
    assert.equal(level(name, name), 'normalised');
  assert.notEqual(level('Dr. Prof', 'Dr.'), 'normalised');
  assert.notEqual(level('Junior', 'Senior'), 'normalised');
});
