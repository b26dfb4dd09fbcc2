import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDay, formatMinute } from './date-format.ts';

const lastMsOfFebruary = Date.UTC(2028, 1, 29, 23, 59, 59, 999);

test('a day is that of UTC to its last millisecond, in words of the language, and in figures without a catalogue', () => {
  const days = ['en-US', 'de', 'nn', 'fr', 'xx', undefined].map((language) => [
    formatDay(language, lastMsOfFebruary),
    formatDay(language, lastMsOfFebruary + 1),
  ]);
  assert.deepEqual(days, [
    ['29 February 2028', '1 March 2028'],
    ['29. Februar 2028', '1. März 2028'],
    ['29. februar 2028', '1. mars 2028'],
    ['29 février 2028', '1 mars 2028'],
    ['2028-02-29', '2028-03-01'],
    ['2028-02-29', '2028-03-01'],
  ]);
});

test('a day is that of the time zone that is named', () => {
  const inTokyo = ['de', 'xx'].map((language) => formatDay(language, lastMsOfFebruary, 'Asia/Tokyo'));
  assert.deepEqual([...inTokyo, formatDay('de', lastMsOfFebruary)], ['1. März 2028', '2028-03-01', '29. Februar 2028']);
});

test('a minute is that of UTC, with the day before the month in English', () => {
  assert.match(formatMinute('en', lastMsOfFebruary), /^29 February 2028 at 11:59\spm$/);
  assert.match(formatMinute('de', lastMsOfFebruary), /^29\. Februar 2028.*23:59$/);
});
