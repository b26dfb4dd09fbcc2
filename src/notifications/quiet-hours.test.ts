import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterQuiet, quietFault } from './quiet-hours.ts';

const noon = Date.UTC(2026, 0, 15, 12);
const hours = (timeZone: string) => ({ channels: ['sms'] as const, from: 8, until: 20, timeZone });

const time = (text: string) => Date.parse(`2026-01-${text}Z`);

test('hours open at from and close at until, over midnight too, and by the quarters of their zone', () => {
  const opens: ReadonlyArray<[from: number, until: number, at: string, then: string]> = [
    [8, 20, '15T07:59:59.999', '15T08:00'],
    [8, 20, '15T19:59:59.999', '15T19:59:59.999'],
    [8, 20, '15T20:00', '16T08:00'],
    [20, 6, '15T19:59', '15T20:00'],
    [20, 6, '15T23:30', '15T23:30'],
    [20, 6, '15T05:59:59.999', '15T05:59:59.999'],
    [20, 6, '15T06:00', '15T20:00'],
    [8, 0, '16T00:00', '16T08:00'],
    [24, 8, '15T08:00', '16T00:00'],
  ];
  for (const [from, until, at, then] of opens) {
    const opened = afterQuiet([{ ...hours('UTC'), from, until }], 'sms', time(at));
    assert.equal(opened, time(then), `${from} to ${until} at ${at}`);
  }
  assert.equal(afterQuiet([hours('Asia/Kathmandu')], 'sms', time('15T01:00')), time('15T02:15'));
  assert.equal(afterQuiet([hours('UTC'), undefined], 'email', time('15T03:00')), time('15T03:00'));
});

test('two that have hours are both heard, and where they leave no common hour the first alone', () => {
  const after = (mine: [number, number], theirs: [number, number], at: string) =>
    afterQuiet(
      [mine, theirs].map(([from, until]) => ({ ...hours('UTC'), from, until })),
      'sms',
      time(at),
    );
  assert.equal(after([8, 20], [18, 22], '15T12:00'), time('15T18:00'));
  assert.equal(after([8, 12], [14, 16], '15T09:00'), time('15T09:00'));
  assert.equal(after([8, 12], [14, 16], '15T13:00'), time('16T08:00'));
});

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

test('hours that are none are refused, and those over midnight or up to it are not', () => {
  const fault = (from: number, until: number) => quietFault({ from, until, timeZone: 'UTC' });
  for (const [from, until] of [
    [8, 8],
    [24, 0],
    [0, 0],
    [24, 24],
    [-1, 8],
    [8, 25],
    [8.5, 9],
  ] as const) {
    assert.equal(fault(from, until), 'from and until are two different hours from 0 to 24', `${from} to ${until}`);
  }
  for (const [from, until] of [
    [0, 24],
    [20, 8],
    [8, 0],
    [24, 8],
    [8, 24],
  ] as const)
    assert.equal(fault(from, until), undefined);
});
