import { checkEventsWritable } from '../ledger/commit.ts';
import type { AppContext } from './app-context.ts';

class NotReady extends Error {
  override readonly name = 'NotReady';
}

/**
 * Checks that the database can be read and stores events: no operation answers without an event. Calls during a check share
 * its result. The reason of a failure is logged once, until a check succeeds.
 */
export function createReadinessCheck({
  db,
  claim,
  log,
}: Pick<AppContext, 'db' | 'claim' | 'log'>): () => Promise<boolean> {
  let checking: Promise<boolean> | undefined;
  let isReported = false;

  async function check(): Promise<boolean> {
    try {
      await Promise.all([db.read('select 1 as up'), claim(checkEventsWritable)]);
      if (isReported) log.notice('the database takes events again');
      isReported = false;
      return true;
    } catch (fault) {
      if (!isReported) log.fault('database', new NotReady('not ready: the database takes no events', { cause: fault }));
      isReported = true;
      return false;
    }
  }

  return () => {
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return checking;
  };
}
