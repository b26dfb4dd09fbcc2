import { UnavailableError } from '../../kernel/unavailable-error.ts';
import { letterAddressOf } from '../contact/postal-address.ts';
import type { CitizenContact } from '../notification/contact.ts';
import type { MessageContent } from '../notification/message-content.ts';
import type { ReasonCode } from '../notification/reason.ts';
import { type LetterDeps, renderLetterPdf } from './render-letter.ts';

/**
 * Why a letter could not be printed, or undefined where nothing speaks against it. Without a contact only what the sender
 * wrote is looked at.
 */
export type CheckLetter = (letter: {
  readonly contact: CitizenContact | undefined;
  readonly content: MessageContent;
  readonly sender: string;
  readonly returnAddress?: readonly string[] | undefined;
  readonly language: string | undefined;
  readonly reminder: boolean;
  readonly at: number;
}) => Promise<ReasonCode | undefined>;

/** Stands in where no address may be looked at; every letter with it fits into its window. */
const sampleAddress = 'Name\nStreet 1\nPlace';

/** So many wait for the press: one letter may take it seconds, and who asked for it waits with all that it has sent. */
export const maxConcurrentLetterChecks = 20;

/**
 * Sets letters as they would be printed, and throws them away. When the press breaks nothing is known against a letter; when too
 * many wait for it, it is not asked (`Unavailable`).
 */
export function createLetterCheck(deps: LetterDeps, onFault: (fault: unknown) => void): CheckLetter {
  let waiting = 0;
  return async ({ contact, content, ...letter }) => {
    if (waiting >= maxConcurrentLetterChecks)
      throw new UnavailableError(
        'capacity-reduced',
        `${maxConcurrentLetterChecks} dry runs wait for the typesetter already`,
      );
    waiting += 1;
    const address = (contact && letterAddressOf(contact)) ?? sampleAddress;
    try {
      const result = await renderLetterPdf(deps, {
        ...letter,
        address,
        content,
        subject: content.subject,
        notification: '',
      });
      return typeof result === 'string' ? result : undefined;
    } catch (fault) {
      onFault(fault);
      return undefined;
    } finally {
      waiting -= 1;
    }
  };
}
