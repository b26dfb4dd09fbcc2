import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const testDataFolder = process.env['TEST_DATA'] ?? resolve(import.meta.dirname, '../../../shared/data');

/**
 * The path of a public data set or test vector, or undefined where the sets are not on this machine; they are never part
 * of the repository. A test then skips loudly; `TESTS_REQUIRE_ALL=true` makes the absence a failure instead.
 */
export function testDataPath(relativePath: string): string | undefined {
  const path = resolve(testDataFolder, relativePath);
  if (existsSync(path)) return path;
  if (process.env['TESTS_REQUIRE_ALL'] === 'true') throw new Error(`test data ${relativePath} is required and absent`);
  return undefined;
}

/** Why a test that needs the sets does not run; printed as its skip reason. */
export const testDataSkipReason = 'SKIPPED: public test data not found; set TEST_DATA to its folder';
