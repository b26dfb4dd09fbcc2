import { Unavailable } from '../../kernel/unavailable.ts';
import { letterAddressOf } from '../contact/postal-address.ts';
import type { TryLetter } from '../ports.ts';
import { type LetterParts, printLetter } from './letter-job.ts';

/** Stands in where no address may be looked at; every letter with it fits into its window. */
const someAddress = 'Name\nStreet 1\nPlace';

/** So many wait for the press: one letter may take it seconds, and who asked for it waits with all that it has sent. */
export const mostTried = 20;

/**
 * Sets letters as they would be printed, and throws them away. When the press breaks nothing is known against a letter; when too
 * many wait for it, it is not asked (`Unavailable`).
 */
export function createTryLetter(parts: LetterParts, onFault: (fault: unknown) => void): TryLetter {
  let waiting = 0;
  return async ({ contact, content, ...letter }) => {
    if (waiting >= mostTried)
      throw new Unavailable('capacity-reduced', `${mostTried} dry runs wait for the typesetter already`);
    waiting += 1;
    const address = (contact && letterAddressOf(contact)) ?? someAddress;
    try {
      const set = await printLetter(parts, { ...letter, address, content, subject: content.subject, notification: '' });
      return typeof set === 'string' ? set : undefined;
    } catch (fault) {
      onFault(fault);
      return undefined;
    } finally {
      waiting -= 1;
    }
  };
}
