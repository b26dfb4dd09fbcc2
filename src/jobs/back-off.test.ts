import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryDelayMs } from './back-off.ts';

const policy = { attempts: 72, firstDelayMs: 5_000, longestDelayMs: 3_600_000 };
const lowest = (bytes: number) => new Uint8Array(bytes);
const highest = (bytes: number) => new Uint8Array(bytes).fill(255);

test('a delay is random between half and all of a value that doubles up to its maximum', () => {
  const range = [1, 2, 3, 10, 11, 72, 100_000].map((attempt) => [
    retryDelayMs(policy, attempt, lowest),
    retryDelayMs(policy, attempt, highest),
  ]);
  assert.deepEqual(range, [
    [2_500, 5_000],
    [5_000, 10_000],
    [10_000, 20_000],
    [1_280_000, 2_560_000],
    [1_800_000, 3_600_000],
    [1_800_000, 3_600_000],
    [1_800_000, 3_600_000],
  ]);
});
