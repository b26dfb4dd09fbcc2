import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { agreesToPrecision, dateExists, dateForm, existingDatePart, registeredBirthDate } from './birth-date.ts';

test('an unknown day or month is removed from the form of a date', () => {
  assert.deepEqual(['1980-02-07', '1980-02-00', '1980-00-00', '1980-02', '1980'].map(dateForm), [
    '1980-02-07',
    '1980-02',
    '1980',
    '1980-02',
    '1980',
  ]);
});

test('a date exists exactly if the calendar of JavaScript returns it', () => {
  const part = (most: number) => fc.integer({ min: 0, max: most });
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 9999 }), part(14), part(33), (year, month, day) => {
      const two = (n: number) => String(n).padStart(2, '0');
      const text = `${year}-${two(month)}-${two(day)}`;
      const instant = new Date(`${text}T00:00:00Z`);
      const expected = !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
      assert.equal(dateExists(text), expected);
    }),
    { numRuns: 2_000 },
  );
});

test('dates agree to the precision of the shorter one', () => {
  assert.deepEqual(
    [
      agreesToPrecision('1980', '1980-02-07'),
      agreesToPrecision('1980-02-07', '1980-02'),
      agreesToPrecision('1980-02-07', '1980-02-08'),
      agreesToPrecision('1980-0', '1980-02'),
      agreesToPrecision('1981', '1980-02-07'),
    ],
    [true, true, false, false, false],
  );
});

test('a registered date that does not exist is reduced to the part that exists', () => {
  for (const [date, part] of [
    ['1967-02-03', '1967-02-03'],
    ['1967-02-30', '1967-02'],
    ['1967-02-99', '1967-02'],
    ['1967-13-01', '1967'],
    ['1967-00-07', '1967'],
    ['1967-13', '1967'],
    ['1967-02', '1967-02'],
    ['1967', '1967'],
  ] as const) {
    assert.equal(existingDatePart(date), part);
    assert.equal(registeredBirthDate(date), part);
  }
  assert.deepEqual([null, '7.2.80', '1980-02-00', ''].map(registeredBirthDate), [null, '7.2.80', '1980-02', '']);
});
