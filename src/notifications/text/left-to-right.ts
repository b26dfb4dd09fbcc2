import { textDirection } from '../../kernel/text-direction.ts';

/**
 * A phone number or reference for a text in this language. In a right-to-left language it starts with a left-to-right mark: without it,
 * its groups of digits would be shown in reverse order (UAX #9, rules W2 and W7).
 */
export function leftToRight(language: string, value: string): string {
  return textDirection(language) === 'rtl' ? `\u200e${value}` : value;
}

const rightToLeftLetter = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** A number with a country code in groups, such as +962 6 123 4567. A mark before it means that the sender has already marked it. */
const phoneNumber = /(?<![\p{L}\d+\u200e])\+\d(?:[ ()./-]{0,2}\d){5,14}/gu;

/** Whether a text has a letter of a script that is written from right to left. */
export function hasRightToLeftLetter(text: string): boolean {
  return rightToLeftLetter.test(text);
}

/** Puts a left-to-right mark before each international phone number of a text. */
export function markPhoneNumbers(text: string): string {
  return text.replaceAll(phoneNumber, '\u200e$&');
}
