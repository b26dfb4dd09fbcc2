import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDay, formatMinute } from './date-format.ts';

const lastMsOfFebruary = Date.UTC(2028, 1, 29, 23, 59, 59, 999);

test('a date is the UTC day in words of the language, or in figures if there is no catalogue', () => {
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

test('a date is the day in the given time zone', () => {
  const inTokyo = ['de', 'xx'].map((language) => formatDay(language, lastMsOfFebruary, 'Asia/Tokyo'));
  assert.deepEqual([...inTokyo, formatDay('de', lastMsOfFebruary)], ['1. März 2028', '2028-03-01', '29. Februar 2028']);
});

test('a date with a time is in UTC, in English with the day before the month', () => {
  assert.match(formatMinute('en', lastMsOfFebruary), /^29 February 2028 at 11:59\spm$/);
  assert.match(formatMinute('de', lastMsOfFebruary), /^29\. Februar 2028.*23:59$/);
});
