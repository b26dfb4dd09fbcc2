import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postalCodeLevel } from './place-level.ts';
import { postalCodeForms } from './postal-codes.ts';

const levelOf = (one: string, other: string) => postalCodeLevel(postalCodeForms(one), postalCodeForms(other));

const spellings: readonly (readonly string[])[] = [
  ['20095', 'D-20095', 'DE-20095', 'D 20095', 'DE20095', '２００９５', 'PLZ 20095'],
  ['01309', '1309', 'D-01309', 'D-1309'],
  ['5020', 'A-5020', 'AT-5020', 'a 5020'],
  ['LV-1050', '1050', 'LV1050'],
  ['FI-00500', '00500', '500', 'FIN-00500'],
  ['F-69002', '69002', 'FR 69002'],
  ['SE-113 50', '113 50', '11350', 'S-113 50'],
  ['02139-4307', '02139', '2139', '021394307'],
  ['1017 AB', '1017AB', 'NL-1017 AB', '1017 ab'],
  ['M1 1AE', 'M11AE', 'm1 1ae'],
  ['A65 F4E2', 'A65F4E2', 'a65-f4e2'],
  ['〒150-0002', '150-0002', '1500002', '１５０-０００２'],
  ['CEP 20040-020', '20040-020', '20040020'],
  ['31-001', '31001', 'PL-31-001'],
];

for (const same of spellings) {
  test(`${same[0]}: all spellings of the postal code agree, and another code does not`, () => {
    for (const one of same)
      for (const other of same) assert.equal(levelOf(one, other), 'normalised', `${one} ${other}`);
    for (const others of spellings) {
      if (others === same) continue;
      for (const one of same)
        for (const other of others) assert.notEqual(levelOf(one, other), 'normalised', `${one} ${other}`);
    }
  });
}

test('codes of two countries differ, and the same code without a country agrees', () => {
  assert.equal(levelOf('A-1010', 'CH-1010'), 'different');
  assert.equal(levelOf('A-1010', '1010'), 'normalised');
  assert.equal(levelOf('VLT 1117', 'SLM 1117'), 'different');
});

test('a postal code with one other digit is similar, and the short form of a code is less precise', () => {
  assert.equal(levelOf('20095', '20096'), 'similar');
  assert.equal(levelOf('00100', '01000'), 'similar');
  for (const [code, area] of [
    ['1250-096', '1250'],
    ['1017 AB', '1017'],
    ['M1 1AE', 'M1'],
    ['A65 F4E2', 'A65'],
  ] as const) {
    assert.equal(levelOf(code, area), 'precision', code);
    assert.equal(levelOf(area, code), 'precision', code);
  }
});

test('a postal code of symbols or letters only still has a form to compare', () => {
  for (const value of ['-', 'CEP', 'D-', 'ABC', '〒'])
    assert.ok(
      postalCodeForms(value).every((form) => typeof form === 'string') && postalCodeForms(value).length > 0,
      value,
    );
});
