import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { nextAllowedTime, quietHoursFault } from './quiet-hours.ts';

const noon = Date.UTC(2026, 0, 15, 12);
const hours = (timeZone: string) => ({ channels: ['sms'] as const, from: 8, until: 20, timeZone });

const time = (text: string) => Date.parse(`2026-01-${text}Z`);

test('allowed hours start at `from` and end at `until`, also over midnight and in zones with quarter-hour offsets', () => {
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
    const opened = nextAllowedTime([{ ...hours('UTC'), from, until }], 'sms', time(at));
    assert.equal(opened, time(then), `${from} to ${until} at ${at}`);
  }
  assert.equal(nextAllowedTime([hours('Asia/Kathmandu')], 'sms', time('15T01:00')), time('15T02:15'));
  assert.equal(nextAllowedTime([hours('UTC'), undefined], 'email', time('15T03:00')), time('15T03:00'));
});

test('two lists of allowed hours both apply, and only the first list if they have no common hour', () => {
  const after = (mine: [number, number], theirs: [number, number], at: string) =>
    nextAllowedTime(
      [mine, theirs].map(([from, until]) => ({ ...hours('UTC'), from, until })),
      'sms',
      time(at),
    );
  assert.equal(after([8, 20], [18, 22], '15T12:00'), time('15T18:00'));
  assert.equal(after([8, 12], [14, 16], '15T09:00'), time('15T09:00'));
  assert.equal(after([8, 12], [14, 16], '15T13:00'), time('16T08:00'));
});

test('allowed hours in an unknown time zone do not delay a message, and hours in a known zone do', () => {
  const unknown = { ...hours('Mars/Olympus_Mons'), from: 8, until: 9 };
  assert.equal(nextAllowedTime([unknown], 'sms', noon), noon);
  assert.equal(nextAllowedTime([hours('UTC'), unknown], 'sms', time('15T03:00')), time('15T08:00'));
});

/** Spellings of a zone name that differ in letter case. */
function spellings(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, bits) =>
    Array.from(name, (letter, index) => ((bits >> index) & 1 ? letter.toUpperCase() : letter.toLowerCase())).join(''),
  );
}

test('spellings of a time zone in any letter case share one cached format', (t) => {
  const made = t.mock.method(Intl, 'DateTimeFormat');
  for (const name of spellings('pacific/auckland', 200)) {
    assert.equal(nextAllowedTime([hours(name)], 'sms', noon), Date.UTC(2026, 0, 15, 19));
  }
  assert.equal(made.mock.callCount(), 1);
});

test('a time zone that was dropped from the cache still applies', (t) => {
  const made = t.mock.method(Intl, 'DateTimeFormat');
  const opensIn = (zone: string) => nextAllowedTime([hours(zone)], 'sms', noon);
  const opens = opensIn('Asia/Tokyo');
  for (const zone of Intl.supportedValuesOf('timeZone').slice(0, 100)) opensIn(zone);
  // Other tests may have cached some of them.
  const before = made.mock.callCount();
  assert.equal(opensIn('Asia/Tokyo'), opens);
  assert.equal(made.mock.callCount(), before + 1);
});

test('a name that only resembles the name of a time zone is refused', () => {
  for (const good of ['Europe/Lisbon', 'europe/lisbon', 'UTC'])
    assert.equal(quietHoursFault(hours(good)), undefined, good);
  for (const bad of ['Europe/Nowhere', 'Asia/\u212aolkata', '', 'Lisbon']) {
    assert.equal(quietHoursFault(hours(bad)), 'timeZone is a name of the IANA database, such as Europe/Lisbon', bad);
  }
});

test('allowed hours outside of 0 to 24 or of no length are refused, and hours over midnight are accepted', () => {
  const fault = (from: number, until: number) => quietHoursFault({ from, until, timeZone: 'UTC' });
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

const zones = [
  'Europe/Lisbon',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Asia/Tehran',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'UTC',
];

/** When the offset of a zone changes, or a day is skipped (Samoa, 2011), in epoch ms. */
function changesOf(zone: string): number[] {
  const changes: number[] = [];
  let from = Temporal.Instant.from('2010-01-01T00:00:00Z').toZonedDateTimeISO(zone).getTimeZoneTransition('next');
  for (; from !== null && from.year < 2040; from = from.getTimeZoneTransition('next'))
    changes.push(from.epochMilliseconds);
  return changes;
}

type Hours = { readonly from: number; readonly until: number; readonly timeZone: string };

function isOpenByTemporal({ from, until, timeZone }: Hours, at: number): boolean {
  const { hour } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  return from < until ? hour >= from && hour < until : hour >= from || hour < until;
}

/** Steps by minutes through two days. */
function openByTemporal(all: readonly Hours[], at: number): number {
  const minuteMs = 60_000;
  const opens = (instant: number) => all.every((one) => isOpenByTemporal(one, instant));
  if (opens(at)) return at;
  const first = Math.ceil(at / minuteMs) * minuteMs;
  for (let next = first; next < first + 2 * 1440 * minuteMs; next += minuteMs) if (opens(next)) return next;
  return all.length > 1 ? openByTemporal(all.slice(0, 1), at) : at;
}

test('allowed hours follow the local clock of their zone, also on days when its offset changes', () => {
  const hour = fc.integer({ min: 0, max: 24 });
  const stated = fc
    .record({ from: hour, until: hour, timeZone: fc.constantFrom(...zones) })
    .filter((one) => quietHoursFault(one) === undefined);
  const dayMs = 86_400_000;
  const near = fc
    .tuple(fc.constantFrom(...zones.flatMap(changesOf)), fc.integer({ min: -dayMs, max: dayMs }))
    .map(([change, apart]) => change + apart);
  const instant = fc.oneof(near, fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2029, 0, 1) }));
  fc.assert(
    fc.property(fc.array(stated, { minLength: 1, maxLength: 2 }), instant, (all, at) => {
      const limits = all.map((one) => ({ ...one, channels: ['sms'] as const }));
      assert.equal(nextAllowedTime(limits, 'sms', at), openByTemporal(all, at));
    }),
    { numRuns: 200 },
  );
});
