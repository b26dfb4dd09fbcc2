import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill/full';
import { sameInOtherCalendar } from './calendars.ts';

const dayMs = 86_400_000;
const dayOf = (year: number) => Date.UTC(year, 0, 1) / dayMs;
const written = (year: number, month: number, day: number) =>
  `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;

/** By the number of the day since the epoch (Richards, in the Explanatory Supplement to the Astronomical Almanac, 15.11). */
function julian(epochDay: number): string {
  const f = epochDay + 2_440_588 + 1401;
  const e = 4 * f + 3;
  const h = 5 * Math.floor((e % 1461) / 4) + 2;
  const month = ((Math.floor(h / 153) + 2) % 12) + 1;
  return written(Math.floor(e / 1461) - 4716 + Math.floor((14 - month) / 12), month, Math.floor((h % 153) / 5) + 1);
}

test('a date since 1583 agrees with its Julian form, and the next day does not', () => {
  const turns = [1600, 1700, 1800, 1900, 2000, 2100].flatMap((year) =>
    Array.from({ length: 60 }, (_, after) => dayOf(year) + 31 + after),
  );
  const others = fc.sample(fc.integer({ min: dayOf(1583), max: dayOf(2200) }), 2_000);
  for (const day of [...turns, ...others]) {
    const ours = new Date(day * dayMs).toISOString().slice(0, 10);
    const theirs = julian(day);
    // Some 29 February of the Julian calendar does not exist in the Gregorian one.
    const isDate = new Date(`${theirs}T00:00:00Z`).toISOString().startsWith(theirs);
    assert.equal(sameInOtherCalendar(ours, theirs), isDate, `${ours} ${theirs}`);
    assert.ok(!sameInOtherCalendar(ours, julian(day + 1)), ours);
  }
});

test('a date agrees with its Hijri, Jalali, Ethiopian and Buddhist forms', () => {
  const calendar = fc.constantFrom('islamic-umalqura', 'islamic-civil', 'persian', 'ethiopic', 'buddhist');
  fc.assert(
    fc.property(fc.integer({ min: dayOf(1900), max: dayOf(2030) }), calendar, (day, name) => {
      const ours = Temporal.Instant.fromEpochMilliseconds(day * dayMs)
        .toZonedDateTimeISO('UTC')
        .toPlainDate();
      const theirs = ours.withCalendar(name);
      assert.ok(sameInOtherCalendar(ours.toString(), written(theirs.eraYear ?? theirs.year, theirs.month, theirs.day)));
    }),
    { numRuns: 2_000 },
  );
});
