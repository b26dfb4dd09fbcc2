import { UnavailableError } from '../../kernel/unavailable-error.ts';
import { letterAddressOf } from '../contact/postal-address.ts';
import type { CitizenContact } from '../notification/contact.ts';
import type { ReasonCode } from '../notification/reason.ts';
import type { LetterInput } from './letter-data.ts';
import { type LetterDeps, renderLetterPdf } from './render-letter.ts';

/** Returns why a letter cannot be printed, or undefined if it can. Without a contact, only the text of the sender is checked. */
export type CheckLetter = (
  letter: Omit<LetterInput, 'address' | 'subject' | 'largePrint' | 'notification'> & {
    readonly contact: CitizenContact | undefined;
  },
) => Promise<ReasonCode | undefined>;

/** Used if the address of the citizen must not be read; it always fits into the window. */
const sampleAddress = 'Name\nStreet 1\nPlace';

/** At most this many checks wait for the typesetter: one letter may take seconds, and each waiting request holds its body. */
export const maxConcurrentLetterChecks = 20;

/**
 * Creates the check of a preview: it renders the letter and discards it. It reports no reason if the typesetter fails, and
 * throws `UnavailableError` if too many checks are waiting.
 */
export function createLetterCheck(deps: LetterDeps, onFault: (fault: unknown) => void): CheckLetter {
  let waiting = 0;
  return async ({ contact, content, ...letter }) => {
    if (waiting >= maxConcurrentLetterChecks) {
      const problem = `${maxConcurrentLetterChecks} previews are waiting for the typesetter`;
      throw new UnavailableError('capacity-reduced', problem);
    }
    waiting += 1;
    const address = (contact && letterAddressOf(contact)) ?? sampleAddress;
    const largePrint = contact?.largePrint;
    try {
      const { subject } = content;
      const input = { ...letter, address, largePrint, content, subject, notification: '' };
      const result = await renderLetterPdf(deps, input);
      return typeof result === 'string' ? result : undefined;
    } catch (fault) {
      onFault(fault);
      return undefined;
    } finally {
      waiting -= 1;
    }
  };
}
