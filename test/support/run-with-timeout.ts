import { runInNewContext } from 'node:vm';

/** What a call gives that must not take for ever, whatever its text: it is stopped after a time that is far more than it needs. */
export function runWithTimeout<T>(call: () => T): T {
  return runInNewContext('call()', { call }, { timeout: 20_000 });
}
