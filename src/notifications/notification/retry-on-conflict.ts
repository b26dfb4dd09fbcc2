import { WriteRefused } from '../../db/database.ts';

const maxTries = 20;

/**
 * Runs a change of a notification, and again from what is stored by then while somebody else changed it in between (its
 * unit was refused for the rows it expects).
 */
export async function retryOnConflict<T>(change: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    try {
      return await change();
    } catch (fault) {
      if (!(fault instanceof WriteRefused && fault.kind === 'rows')) throw fault;
    }
  }
  throw new Error('the notification changed again each time a change of it was to be stored');
}
