import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formsOf } from '../names/normalise.ts';
import { streetLevel } from './place-level.ts';

const levelOf = (one: string, other: string) => streetLevel(formsOf(one), formsOf(other));

/** Spellings of one address, addresses of other flats and buildings, and the address without its flat. */
const homes = [
  {
    same: [
      'Flat 3, 12 High Street',
      '12 High Street Flat 3',
      'Flat no. 3, 12 High St',
      'Apt 3 12 High Street',
      ...[
        '3/12 High Street',
        'Unit 3, 12 High Street',
        '12 High Street, Apartment 3',
        'Flat 3, 2nd floor, 12 High Street',
      ],
    ],
    others: [
      'Flat 4, 12 High Street',
      '4/12 High Street',
      'Flat 3, 13 High Street',
      'Flat 12, 3 High Street',
      '3 High Street',
    ],
    without: '12 High Street',
  },
  {
    same: ['Apt 3B 12 High Street', '12 High Street Flat 3 b', '3B/12 High Street'],
    others: ['Flat 3A, 12 High Street', 'Flat 3, 12 High Street', '3B High Street'],
    without: '12 High Street',
  },
  {
    same: ['Flat A, 12 High Street', '12 High Street, Flat A'],
    others: ['Flat B, 12 High Street', '12A High Street'],
    without: '12 High Street',
  },
  {
    same: [
      '12 High Street, 2nd floor',
      'Second Floor, 12 High Street',
      '12 High Street, Floor 2',
      '2nd floor flat, 12 High Street',
    ],
    others: ['12 High Street, 3rd floor', 'Ground Floor, 12 High Street'],
    without: '12 High Street',
  },
  {
    same: ['Hauptstr. 12 Whg. 3', 'Hauptstraße 12, Wohnung 3', 'Hauptstr. 12/3', 'Hauptstraße 12 Whg. Nr. 3'],
    others: ['Hauptstr. 12 Whg. 4', 'Hauptstr. 13 Whg. 3', 'Hauptstr. 3'],
    without: 'Hauptstr. 12',
  },
  {
    same: ['ul. Długa 12 m. 3', 'ul. Długa 12/3', 'ul. Dluga 12 lok. 3'],
    others: ['ul. Długa 12 m. 4', 'ul. Długa 3'],
    without: 'ul. Długa 12',
  },
  {
    same: ['12 bis rue de la Paix', '12bis, Rue de la Paix', 'Rue de la Paix 12 bis'],
    others: ['12 ter rue de la Paix', '14 bis rue de la Paix'],
    without: '12 rue de la Paix',
  },
];

for (const { same, others, without } of homes) {
  test(`${same[0]}: all spellings agree, other flats differ, and an address without the flat is shortened`, () => {
    for (const one of same) {
      for (const other of same) if (one !== other) assert.equal(levelOf(one, other), 'normalised', `${one} / ${other}`);
      for (const other of others) {
        assert.equal(levelOf(one, other), 'close', `${one} / ${other}`);
        assert.equal(levelOf(other, one), 'close', `${other} / ${one}`);
      }
      assert.equal(levelOf(one, without), 'shortened', `${one} / ${without}`);
      assert.equal(levelOf(without, one), 'shortened', `${without} / ${one}`);
    }
  });
}

test('a house number with a letter is one number, and a word of a street is not read as a flat', () => {
  assert.equal(levelOf('High Street 12 A', '12A High Street'), 'normalised');
  assert.equal(levelOf('Flat Street 3', 'Flat Street 4'), 'close');
  assert.equal(levelOf('1-2-3 Shibuya', 'Shibuya 1-2-3'), 'normalised');
  assert.equal(levelOf('Flat 3, 12 Hgih Street', '12 High Street, Flat 3'), 'similar');
  assert.equal(levelOf('Flat 3, 12 Hgih Street', '12 High Street'), 'close');
});

test('floors, sides, staircases and suffixes in usual notations agree, and other ones do not', () => {
  const homes: readonly (readonly [string, string, string])[] = [
    ['Calle Luna 5, 2º B', 'C/ Luna, 5 2ºB', 'Calle Luna 5, 2º C'],
    ['Calle Luna 5, 2º B', 'Calle Luna 5 piso 2 puerta B', 'Calle Luna 5, 3º B'],
    ['Rua Nova 8, 3º Esq.', 'R. Nova 8 3 esq', 'Rua Nova 8, 3º Dto.'],
    ['Nørregade 4, 2. tv', 'Nørregade 4 2 tv', 'Nørregade 4, 2. th'],
    ['Keizersgracht 90-III', 'Keizersgracht 90 3', 'Keizersgracht 90-II'],
    ['Lindenstr. 8, 3. OG', 'Lindenstraße 8, 3. Stock', 'Lindenstr. 8, 2. OG'],
    ['6 rue Nove 2e étage', '6 rue Nove étage 2', '6 rue Nove 3e étage'],
    ['9 North Elm Street Apt 4B', '9 N Elm St #4B', '9 N Elm St #5B'],
    ['ул. Чехова, д. 4, кв. 9', 'ul. Chekhova 4-9', 'ул. Чехова, д. 4, кв. 8'],
    ['Gül Caddesi No: 5 Daire: 3', 'Gül Cad. No 5 D 3', 'Gül Cad. No 5 D 4'],
    ['Kärntner Ring 5/2/3', 'Kärntner Ring 5 Stiege 2 Tür 3', 'Kärntner Ring 5/2/4'],
    ['12 A High St', '12a High Street', '12b High Street'],
    ["12 rue de l'Eglise, apt 2", '12 r. de l’Église apt 2', "12 rue de l'Eglise, apt 3"],
    ['Str. Florilor nr. 5, bl. A2, ap. 12', 'Strada Florilor 5 bl A2 ap 12', 'Str. Florilor nr. 5, bl. A3, ap. 12'],
    ['港区芝公園4-2-8', '港区芝公園４丁目２番８号', '港区芝公園4-2-9'],
  ];
  for (const [one, same, other] of homes) {
    assert.equal(levelOf(one, same), 'normalised', `${one} / ${same}`);
    assert.equal(levelOf(one, other), 'close', `${one} / ${other}`);
  }
});

test('an omitted host before the street counts like an omitted flat, and a host after the street changes nothing', () => {
  assert.equal(levelOf('c/o Weber, Lindenstr. 8', 'Lindenstraße 8'), 'shortened');
  assert.equal(levelOf('Lindenstr. 8, c/o Weber', 'Lindenstraße 8'), 'normalised');
  assert.equal(levelOf('c/o Weber, Lindenstr. 8', 'Lindenstraße 9'), 'close');
});
