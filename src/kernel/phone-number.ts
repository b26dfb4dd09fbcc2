import type { PhoneNumber } from 'libphonenumber-js/min';
import { removeInvisible } from './invisible-characters.ts';
import { memoize } from './lru-cache.ts';

/** Parses a phone number into E.164; undefined if it is invalid, or if the text does not say which country it belongs to. */
export type ParsePhone = (text: string) => string | undefined;

type PhoneLibrary = typeof import('libphonenumber-js/min');

/** Numbers that differ only after these characters have the same country, prefix and possible lengths. */
const shapeLength = 5;
const cachedShapes = 8_192;

/**
 * Creates a parser for phone numbers. Numbers without `+` or `00` are read as numbers of `country` (ISO 3166-1 alpha-2); without a country
 * they are invalid. Loads the numbering plans of all countries, which takes about 0.1 s, so load the parser only if there is a number.
 */
export async function loadPhoneParser(country: string | undefined): Promise<ParsePhone> {
  const library = await import('libphonenumber-js/min');
  const parse = (digits: string) => parseDialled(library, digits, country);
  // One parse takes 0.1 ms, too long for each row of an import.
  const numberOfShape = memoize(cachedShapes, (shape) => parse(shape) ?? '');
  return (text) => {
    const dialled = dialledDigits(text);
    if (dialled === undefined) return undefined;
    const rest = dialled.slice(shapeLength);
    const zeros = '0'.repeat(rest.length);
    const number = numberOfShape(dialled.slice(0, shapeLength) + zeros);
    return number.length > rest.length && number.endsWith(zeros)
      ? number.slice(0, number.length - rest.length) + rest
      : (parse(dialled) ?? withoutZeroInBrackets(text, parse));
  };
}

/** The same parser for a process that may meet no number: it is loaded with the first one. */
export function createPhoneParser(country: string | undefined): (text: string) => Promise<string | undefined> {
  let loading: Promise<ParsePhone> | undefined;
  return async (text) => {
    loading ??= loadPhoneParser(country);
    const parse = await loading;
    return parse(text);
  };
}

/** The digits with a leading `+`, if the text has one; undefined for a text with anything but a number and its separators. */
function dialledDigits(text: string): string | undefined {
  const plain = removeInvisible(text)
    .normalize('NFKC')
    .replace(/^\s*tel:/i, '')
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    // A slash after an area code is a separator; a slash before an extension is not.
    .replaceAll(/[\s().\p{Pd}\u2212\u200c\u200d]|\/(?=\s*\d{4})/gu, '');
  return /^\+?\d{5,20}$/.test(plain) ? plain : undefined;
}

/** Some write `(0)` after the country code, also in countries that have no such prefix. */
function withoutZeroInBrackets(text: string, parse: ParsePhone): string | undefined {
  const dialled = /^[^(]*\(0\)/.test(text) ? dialledDigits(text.replace('(0)', '')) : undefined;
  return dialled === undefined ? undefined : parse(dialled);
}

function parseDialled(library: PhoneLibrary, digits: string, country: string | undefined): string | undefined {
  const isInternational = digits.startsWith('+');
  const hasCountry = country !== undefined && library.isSupportedCountry(country);
  if (isInternational || hasCountry) {
    const options = hasCountry ? { extract: false, defaultCountry: country } : { extract: false };
    const found = library.parsePhoneNumberFromString(digits, options);
    if (found?.isPossible() && (isInternational || isComplete(digits, found))) return found.number;
  }
  return digits.startsWith('00') ? parseDialled(library, `+${digits.slice(2)}`, undefined) : undefined;
}

/**
 * Whether a number without `+` is written in full. A German number without its first 0 may be a local one, which belongs to another person
 * in another town. A number without such a prefix is complete if it has the customary form of its country.
 */
function isComplete(digits: string, found: PhoneNumber): boolean {
  if (found.nationalNumber !== digits) return true;
  const written = found.formatNational();
  return written !== digits && written.replaceAll(/\D/g, '') === digits;
}
