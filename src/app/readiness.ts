import { createCallTimeout, timedOut } from '../jobs/call-timeout.ts';
import { countReadinessCheck } from '../jobs/lease.ts';
import { checkEventsWritable } from '../ledger/commit.ts';
import type { AppContext } from './app-context.ts';

class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** A database that takes longer to store a row is not ready: requests would wait without an answer. */
const storeTimeoutMs = 5_000;
/** Checks within this time share one stored row, because each one is synced to disk. */
const storeEveryMs = 1_000;

type ReadinessDeps = Pick<AppContext, 'db' | 'claim' | 'log' | 'timer'> & { readonly stopwatch?: () => number };

/**
 * Checks that the database can be read, stores events, and completes a commit: no operation answers without an event. A commit that
 * stores nothing does not wait for a synchronous standby, so the check stores a row. Calls during a check share its result, and a
 * check that takes too long counts as failed until it ends. The reason of a failure is logged once, until a check succeeds.
 */
export function createReadinessCheck(deps: ReadinessDeps): () => Promise<boolean> {
  const { db, claim, log, timer, stopwatch = () => performance.now() } = deps;
  const limit = createCallTimeout(timer, storeTimeoutMs);
  let checking: Promise<boolean> | undefined;
  let isHung = false;
  let isReported = false;
  let storedAt = Number.NEGATIVE_INFINITY;

  function reportFailure(message: string, options?: ErrorOptions): false {
    if (!isReported) log.fault('database', new NotReady(message, options));
    isReported = true;
    return false;
  }

  async function check(): Promise<boolean> {
    try {
      await Promise.all([db.read('select 1 as up'), claim(checkEventsWritable)]);
      const now = stopwatch();
      if (now - storedAt >= storeEveryMs) {
        await claim(countReadinessCheck);
        storedAt = now;
      }
      if (isReported) log.notice('the database stores events again');
      isReported = false;
      return true;
    } catch (cause) {
      return reportFailure('not ready: the database does not store events', { cause });
    } finally {
      isHung = false;
    }
  }

  return async () => {
    if (isHung) return false;
    checking ??= check().finally(() => {
      checking = undefined;
    });
    const result = await limit.waitFor(checking);
    if (result !== timedOut) return result;
    isHung = checking !== undefined;
    return reportFailure(
      `not ready: the database has stored nothing for ${storeTimeoutMs / 1_000} s; check its disk and its synchronous standby`,
    );
  };
}
