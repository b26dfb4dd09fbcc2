import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInstant } from './clock.ts';

test('an instant is one that exists', () => {
  assert.equal(parseInstant('2024-02-29T00:00:00Z'), Date.UTC(2024, 1, 29));
  for (const none of ['2025-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T25:00:00Z']) {
    assert.equal(parseInstant(none), undefined, none);
  }
});
