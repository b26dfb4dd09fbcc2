import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterQuiet, quietFault } from './quiet-hours.ts';

const noon = Date.UTC(2026, 0, 15, 12);
const hours = (timeZone: string) => ({ channels: ['sms'] as const, from: 8, until: 20, timeZone });

/** The zone's name in letter cases that all differ. */
function spellings(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, bits) =>
    Array.from(name, (letter, place) => ((bits >> place) & 1 ? letter.toUpperCase() : letter.toLowerCase())).join(''),
  );
}

test('however a time zone is spelled, it holds and makes one format', (t) => {
  const made = t.mock.method(Intl, 'DateTimeFormat');
  for (const name of spellings('pacific/auckland', 200)) {
    assert.equal(afterQuiet([hours(name)], 'sms', noon), Date.UTC(2026, 0, 15, 19));
  }
  assert.equal(made.mock.callCount(), 1);
});

test('the zones that were not used for long are forgotten, and hold again', (t) => {
  const made = t.mock.method(Intl, 'DateTimeFormat');
  const zones = ['Asia/Tokyo', ...Intl.supportedValuesOf('timeZone').slice(0, 100), 'Asia/Tokyo'];
  const opens = zones.map((zone) => afterQuiet([hours(zone)], 'sms', noon));
  assert.deepEqual(opens.at(-1), opens[0]);
  assert.equal(made.mock.callCount(), zones.length);
});

test('only a name that is known is a time zone, and no look-alike of one', () => {
  for (const good of ['Europe/Lisbon', 'europe/lisbon', 'UTC']) assert.equal(quietFault(hours(good)), undefined, good);
  for (const bad of ['Europe/Nowhere', 'Asia/\u212aolkata', '', 'Lisbon']) {
    assert.equal(quietFault(hours(bad)), 'timeZone is a name of the IANA database, as Europe/Lisbon', bad);
  }
});
