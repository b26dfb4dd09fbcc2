import { runInNewContext } from 'node:vm';

/** Returns the result of a call. Throws after 20 seconds, so that a regular expression that never ends fails its test. */
export function runWithTimeout<T>(call: () => T): T {
  return runInNewContext('call()', { call }, { timeout: 20_000 });
}
