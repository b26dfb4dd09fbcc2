import assert from 'node:assert/strict';
import test from 'node:test';
import { createFrequencyCounter, type FrequencyTable } from './frequencies.ts';

const maxValues = 131_072;

/** Counts `countOf(at)` times each of these values, in mixed order, and returns the table and the most values that were in memory. */
function countNames(values: number, countOf: (at: number) => number): { table: FrequencyTable; mostInMemory: number } {
  const tally = createFrequencyCounter();
  let mostInMemory = 0;
  const addAll = () => {
    for (let round = 0, added = -1; added !== 0; round += 1) {
      added = 0;
      for (let at = 0; at < values && (round === 0 || countOf(at) > round); at += 1) {
        // The frequent values come last in the first round.
        tally.add('familyName', `name ${round === 0 ? values - 1 - at : at}`);
        added += 1;
      }
      mostInMemory = Math.max(mostInMemory, tally.size());
    }
  };
  addAll();
  if (tally.startSecondPass().length > 0) addAll();
  const { familyName } = tally.tables();
  assert.ok(familyName);
  return { table: familyName, mostInMemory };
}

const withinPercent = (value: number, expected: number) =>
  assert.ok(Math.abs(value / expected - 1) < 0.01, `${value} is not within 1 % of ${expected}`);

test('a register with few different names is counted exactly in one pass', () => {
  const countOf = (at: number) => 1 + (at % 3);
  const { table } = countNames(1, () => 7);
  assert.deepEqual(table, { total: 7, average: 1, floor: 1, counts: { 'name 0': 7 } });
  const tally = createFrequencyCounter();
  for (let at = 0; at < maxValues; at += 1)
    for (let time = 0; time < countOf(at); time += 1) tally.add('givenName', `${at}`);
  assert.deepEqual(tally.startSecondPass(), []);
});

test('a register with many different names is counted with a limited number of names in memory', () => {
  const values = 300_000;
  // The frequencies of family names fall by their rank, and most names are rare.
  const countOf = (at: number) => Math.max(1, Math.floor(60_000 / (at + 1)));
  const { table, mostInMemory } = countNames(values, countOf);
  assert.ok(mostInMemory <= maxValues, `${mostInMemory} names in memory`);
  let [total, squares] = [0, 0];
  for (let at = 0; at < values; at += 1) {
    total += countOf(at);
    squares += countOf(at) ** 2;
  }
  assert.equal(table.total, total);
  withinPercent(table.average, squares / total ** 2);
  assert.equal(table.floor, countOf(9_999));
  assert.equal(Object.keys(table.counts).length, 10_000);
  // Beyond these, many names have the same count.
  for (let at = 0; at < 7_500; at += 1) assert.equal(table.counts[`name ${at}`], countOf(at), `name ${at}`);
});

test('a register without shared names has accurate frequencies', () => {
  const values = 300_000;
  const { table, mostInMemory } = countNames(values, () => 1);
  assert.ok(mostInMemory <= maxValues, `${mostInMemory} names in memory`);
  assert.deepEqual([table.total, table.floor, Object.keys(table.counts).length], [values, 1, 10_000]);
  withinPercent(table.average, 1 / values);
});
