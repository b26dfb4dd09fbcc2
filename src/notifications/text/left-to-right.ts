import { textDirection } from '../../locales/text-direction.ts';

/**
 * A phone number or reference for a text in this language. In a right-to-left language it starts with a left-to-right mark: without it,
 * its groups of digits would be shown in reverse order (UAX #9, rules W2 and W7).
 */
export function leftToRight(language: string, value: string): string {
  return textDirection(language) === 'rtl' ? `\u200e${value}` : value;
}
