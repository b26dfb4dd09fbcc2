import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { formatInstant, parseInstant } from './clock.ts';

test('a date-time is parsed, unless its day or hour does not exist', () => {
  assert.equal(parseInstant('2024-02-29T00:00:00Z'), Date.UTC(2024, 1, 29));
  for (const none of ['2025-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T25:00:00Z']) {
    assert.equal(parseInstant(none), undefined, none);
  }
});

test('a date-time of RFC 3339 is parsed, and other texts that Date accepts are rejected', () => {
  const at = Date.UTC(2026, 0, 31, 10, 30);
  for (const one of ['2026-01-31T12:00:00+01:30', '2026-01-31t10:30:00z', '2026-01-31T10:30:00.0000000000Z']) {
    assert.equal(parseInstant(one), at, one);
  }
  const others = [
    '2026-01-31',
    '2026-01-31T10:30Z',
    '2026-01-31T10:30:00',
    '2026-01-31 10:30:00Z',
    '2026-01-31T10:30:00.Z',
  ];
  for (const none of [...others, '2026-01-31T10:30:00Z\n', '+002026-01-31T10:30:00Z', '2026-12-31T23:59:60Z']) {
    assert.equal(parseInstant(none), undefined, none);
  }
});

test('an instant parses as Temporal parses it, and is formatted as RFC 3339 with a year of four digits', () => {
  const part = (least: number, most: number) =>
    fc.integer({ min: least, max: most }).map((n) => String(n).padStart(2, '0'));
  const year = fc.oneof(fc.constantFrom('0000', '0001', '1969', '1970', '2100', '9999'), part(1000, 9999));
  const offset = fc.oneof(
    fc.constant('Z'),
    fc
      .tuple(fc.constantFrom('+', '-'), part(0, 24), part(0, 61))
      .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
  );
  const edges = (texts: readonly string[], other: fc.Arbitrary<string>) => fc.oneof(fc.constantFrom(...texts), other);
  const date = edges(
    ['0000-01-01', '2000-02-29', '2100-02-29', '9999-12-31'],
    fc.tuple(year, part(0, 13), part(0, 32)).map((parts) => parts.join('-')),
  );
  const time = edges(
    ['00:00:00', '23:59:59', '24:00:00'],
    fc.tuple(part(0, 25), part(0, 61), part(0, 59)).map((parts) => parts.join(':')),
  );
  const text = fc.tuple(date, time, offset).map(([day, hour, zone]) => `${day}T${hour}${zone}`);
  const expected = (input: string): string | undefined => {
    const known = temporalOf(input);
    return known !== undefined && /^\d{4}-/.test(known) ? known : undefined;
  };
  fc.assert(
    fc.property(text, (input) => {
      const at = parseInstant(input);
      assert.equal(at === undefined ? undefined : formatInstant(at), expected(input), input);
    }),
    { numRuns: 5_000 },
  );
});

function temporalOf(input: string): string | undefined {
  try {
    return Temporal.Instant.from(input).toString({ smallestUnit: 'millisecond' });
  } catch {
    return undefined;
  }
}
