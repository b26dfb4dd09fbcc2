import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLocalTime } from './local-time.ts';

test('a local time is the instant in its time zone, also next to a change of the clocks', () => {
  const instantOf = (text: string, zone: string) => {
    const at = parseLocalTime(text, zone);
    return at === undefined ? undefined : new Date(at).toISOString();
  };
  const cases = [
    ['2026-11-30T10:00', 'UTC', '2026-11-30T10:00:00.000Z'],
    ['2026-11-30T10:00', 'Europe/Oslo', '2026-11-30T09:00:00.000Z'],
    ['2026-03-29T03:30', 'Europe/Oslo', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T03:30', 'Europe/Oslo', '2026-10-25T02:30:00.000Z'],
    ['2026-11-30T10:00', 'America/St_Johns', '2026-11-30T13:30:00.000Z'],
    ['2026-13-30T10:00', 'UTC', undefined],
    ['tomorrow', 'UTC', undefined],
  ] as const;
  for (const [text, zone, expected] of cases) assert.equal(instantOf(text, zone), expected, `${text} ${zone}`);
});
