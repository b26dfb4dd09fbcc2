import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfLocalDate, isCalendarDate, startOfLocalDate } from './local-date.ts';

const at = (iso: string) => Date.parse(iso);

test('a day starts and ends at midnight of its time zone, also if the clocks change on it', () => {
  assert.equal(startOfLocalDate('Pacific/Pago_Pago', '2026-11-27'), at('2026-11-27T11:00:00Z'));
  assert.equal(endOfLocalDate('Pacific/Pago_Pago', '2026-11-27'), at('2026-11-28T11:00:00Z'));
  assert.equal(startOfLocalDate('Pacific/Kiritimati', '2026-01-01'), at('2025-12-31T10:00:00Z'));
  assert.equal(startOfLocalDate('Asia/Kathmandu', '2026-01-01'), at('2025-12-31T18:15:00Z'));
  const [begin, end] = [startOfLocalDate('Europe/Berlin', '2026-10-25'), endOfLocalDate('Europe/Berlin', '2026-10-25')];
  assert.deepEqual([begin, end], [at('2026-10-24T22:00:00Z'), at('2026-10-25T23:00:00Z')]);
});

test('a date is one of the calendar, from the year 1000 to 2999', () => {
  for (const date of ['2026-11-28', '2028-02-29', '1000-01-01', '2999-12-31']) assert.ok(isCalendarDate(date), date);
  for (const text of ['', '2026-02-29', '2026-13-01', '2026-1-1', '28.11.2026', '0999-01-01', '9999-12-31'])
    assert.ok(!isCalendarDate(text), text);
});
