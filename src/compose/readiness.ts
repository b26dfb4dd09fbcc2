import type { House } from '../compose.ts';
import { storeNoEvent } from '../ledger/commit.ts';

/**
 * Whether requests can be served: the database can be read, and takes events, without which no operation answers. Who asks
 * meanwhile gets the same answer. Why it is not is told once, however often it is asked.
 */
export function createReadiness({ db, claim, log }: Pick<House, 'db' | 'claim' | 'log'>): () => Promise<boolean> {
  let looking: Promise<boolean> | undefined;
  let isTold = false;

  async function look(): Promise<boolean> {
    try {
      await Promise.all([db.read('select 1 as up'), claim(storeNoEvent)]);
      if (isTold) log.notice('the database takes events again');
      isTold = false;
      return true;
    } catch (fault) {
      if (!isTold) log.fault('database', new Error('not ready: the database takes no events', { cause: fault }));
      isTold = true;
      return false;
    }
  }

  return () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
}
