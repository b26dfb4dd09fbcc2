import assert from 'node:assert/strict';
import { test } from 'node:test';
import { padNotFoundResponse } from './not-found-padding.ts';

test('that there is no such thing is answered no sooner than five milliseconds, or a multiple, after the question', async () => {
  for (const [alreadyMs, leastMs] of [
    [0, 5],
    [0.1, 5],
    [0.9, 5],
    [1, 5],
    [1.5, 5],
    [6, 10],
    [11, 15],
  ] as const) {
    const startedAt = performance.now() - alreadyMs;
    await padNotFoundResponse(startedAt);
    assert.ok(performance.now() - startedAt >= leastMs, `${alreadyMs}`);
  }
});
