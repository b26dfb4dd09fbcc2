import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const testDataFolder = process.env['TEST_DATA'] ?? resolve(import.meta.dirname, '../../../shared/data');

/**
 * The path of a public data set or test vector; undefined if this machine does not have it. The repository does not contain
 * the sets. A test without its set is skipped with a reason; with `TESTS_REQUIRE_ALL=true`, it fails.
 */
export function testDataPath(relativePath: string): string | undefined {
  const path = resolve(testDataFolder, relativePath);
  if (existsSync(path)) return path;
  if (process.env['TESTS_REQUIRE_ALL'] === 'true')
    throw new Error(`expected the test data ${relativePath}: it is missing`);
  return undefined;
}

/** The skip reason of tests whose data set is missing. */
export const testDataSkipReason = 'SKIPPED: public test data not found; set TEST_DATA to its folder';

/** Numbers from 0 to below 1, the same for the same seed (mulberry32): a failure can be run again. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
