import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formsOf } from '../names/normalise.ts';
import { streetLevel } from './place-level.ts';

const levelOf = (one: string, other: string) => streetLevel(formsOf(one), formsOf(other));

function assertLevel(pairs: readonly (readonly [string, string])[], levels: readonly string[]): void {
  for (const [one, other] of pairs) {
    assert.ok(levels.includes(levelOf(one, other)), `${one} / ${other}: ${levelOf(one, other)}`);
    assert.ok(levels.includes(levelOf(other, one)), `${other} / ${one}: ${levelOf(other, one)}`);
  }
}

test('usual abbreviations of street words, titles and directions agree', () => {
  assertLevel(
    [
      ['14 Oak Avenue', '14 Oak Ave.'],
      ['7 bd St Germain', '7 boulevard Saint-Germain'],
      ['3 r des Lilas', '3 rue des Lilas'],
      ['P.za S. Lucia 4', 'Piazza Santa Lucia 4'],
      ['V.le Verdi 8', 'Viale Verdi 8'],
      ['Avda. del Sol 9', 'Avenida del Sol 9'],
      ['Av. Brasil 20', 'Avenida Brasil 20'],
      ['Lindenstr. 3', 'Linden Straße 3'],
      ['Kerkstr 5', 'Kerkstraat 5'],
      ['pl. Wolności 2', 'plac Wolności 2'],
      ['nám. Míru 6', 'náměstí Míru 6'],
      ['Gül Sok. No: 4', 'Gül Sokak 4'],
      ['пр-т Мира, д. 8', 'проспект Мира 8'],
      ['Λεωφ. Κηφισίας 30', 'Leoforos Kifisias 30'],
      ['45 W Lake Street', '45 West Lake St'],
      ['General Roca 12', 'Gral. Roca 12'],
    ],
    ['normalised'],
  );
});

test('unusual abbreviations of known street words are similar', () => {
  assertLevel(
    [
      ['14 Oak Crsnt', '14 Oak Crescent'],
      ['Storgatn 5', 'Storgatan 5'],
      ['2 Gr. Bvd Voltaire', '2 grand boulevard Voltaire'],
    ],
    ['similar', 'normalised'],
  );
});

test('a street without its street word is a short form, and a street with the usual word agrees', () => {
  assertLevel(
    [
      ['Via Garibaldi 5', 'Garibaldi 5'],
      ['Calle Luna 3', 'Luna 3'],
      ['14 Oak Avenue', '14 Oak'],
      ['ul. Jana Nowaka 5', 'J. Nowaka 5'],
    ],
    ['shortened'],
  );
  assertLevel(
    [
      ['ul. Lipowa 5', 'Lipowa 5'],
      ['улица Чехова 4', 'Чехова 4'],
      ['Οδός Αθηνάς 6', 'Athinas 6'],
      ['Petőfi utca 7', 'Petőfi 7'],
    ],
    ['normalised'],
  );
});

test('different street words, directions and names are different', () => {
  assertLevel(
    [
      ['14 Oak Street', '14 Oak Avenue'],
      ['14 Oak Street', '14 Oak Strand'],
      ['Calle Luna 3', 'Avenida Luna 3'],
      ['Lindenstraße 3', 'Lindenweg 3'],
      ['Via Roma 5', 'Piazza Roma 5'],
      ['ul. Lipowa 5', 'aleja Lipowa 5'],
      ['12 North Main Street', '12 South Main Street'],
    ],
    ['different'],
  );
  assertLevel(
    [
      ['5 Main Street', '5 Mainzer Street'],
      ['12 Elm Street', '12 Oak Street'],
    ],
    ['close', 'near', 'different'],
  );
});

test('a typing error in a known street word is similar', () => {
  assertLevel(
    [
      ['14 Oakwood Streat', '14 Oakwood Street'],
      ['14 Oakwood Cresent', '14 Oakwood Crescent'],
      ['Lindnstraße 3', 'Lindenstraße 3'],
    ],
    ['similar', 'normalised'],
  );
});
