import type { TryLetter } from '../ports.ts';
import { letterAddressOf } from '../postal-address.ts';
import { type LetterParts, printLetter } from './letter-job.ts';

/** Stands in where no address may be looked at; every letter with it fits into its window. */
const someAddress = 'Name\nStreet 1\nPlace';

/** Sets letters as they would be printed, and throws them away. When the press breaks nothing is known against a letter. */
export function createTryLetter(parts: LetterParts, onFault: (fault: unknown) => void): TryLetter {
  return async ({ contact, content, ...letter }) => {
    const address = (contact && letterAddressOf(contact)) ?? someAddress;
    try {
      const set = await printLetter(parts, { ...letter, address, content, subject: content.subject, notification: '' });
      return typeof set === 'string' ? set : undefined;
    } catch (fault) {
      onFault(fault);
      return undefined;
    }
  };
}
