import { WriteRefused } from '../../db/database.ts';

const maxTries = 20;

/** The notification had changed at each try. */
class RetryLimitReached extends Error {
  override readonly name = 'RetryLimitReached';
}

/**
 * Runs a change of a notification. When its unit was refused (`rows`) because of a concurrent change, it runs again from the stored
 * state. Throws `RetryLimitReached` after 20 tries.
 */
export async function retryOnConflict<T>(change: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    try {
      return await change();
    } catch (fault) {
      if (!(fault instanceof WriteRefused && fault.kind === 'rows')) throw fault;
    }
  }
  throw new RetryLimitReached(`the notification had changed at each of ${maxTries} tries`);
}
