import type { CountryCode, PhoneNumber } from 'libphonenumber-js/min';
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

/** A slash at any other place is before an extension or a second number. */
const slashAfterAreaCode = /^(\s*(?:(?:\+|00)\d{1,3}[\s.-]*)?(?:\(0\)\s*)?\(?\d{1,5}\)?\s*)\/(?=\s*\d{4})/;

/** The digits with a leading `+`, if the text has one; undefined for a text with anything but a number and its separators. */
function dialledDigits(text: string): string | undefined {
  const plain = removeInvisible(text)
    .normalize('NFKC')
    .replace(/^\s*tel:/i, '')
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(slashAfterAreaCode, '$1')
    .replaceAll(/[\s().\p{Pd}\u2212\u200c\u200d]/gu, '');
  return /^\+?\d{5,20}$/.test(plain) ? plain : undefined;
}

/** Some write `(0)` after the country code, also in countries that have no such prefix. */
function withoutZeroInBrackets(text: string, parse: ParsePhone): string | undefined {
  const dialled = /^[^(]*\(0\)/.test(text) ? dialledDigits(text.replace('(0)', '')) : undefined;
  return dialled === undefined ? undefined : parse(dialled);
}

function parseDialled(library: PhoneLibrary, digits: string, country: string | undefined): string | undefined {
  if (digits.startsWith('+')) {
    const found = library.parsePhoneNumberFromString(digits, { extract: false });
    return found?.isPossible() ? found.number : undefined;
  }
  if (country !== undefined && library.isSupportedCountry(country)) {
    const found = library.parsePhoneNumberFromString(digits, { extract: false, defaultCountry: country });
    if (found?.isPossible() && isComplete(digits, found, longestNumberOf(library, country))) return found.number;
  }
  return digits.startsWith('00') ? parseDialled(library, `+${digits.slice(2)}`, undefined) : undefined;
}

/** Local numbers, which have no area code, are shorter. */
const minDigitsWithCode = 10;

/**
 * Whether a number without `+` is written in full. A German number without its first 0 may be a local one, which belongs to another person
 * in another town. A number without such a prefix is complete if it has the customary form or the longest length of its country: a
 * spreadsheet removes a first 0.
 */
function isComplete(digits: string, found: PhoneNumber, longest: number | undefined): boolean {
  if (found.nationalNumber !== digits) return digits.startsWith('0') || digits.length >= minDigitsWithCode;
  const written = found.formatNational();
  // A number that starts with the country code may be an international one that lacks a digit.
  const isFull = digits.length === longest && !digits.startsWith(found.countryCallingCode);
  return isFull || (written !== digits && written.replaceAll(/\D/g, '') === digits);
}

function longestNumberOf(library: PhoneLibrary, country: CountryCode): number | undefined {
  const metadata = new library.Metadata();
  metadata.selectNumberingPlan(country);
  return metadata.numberingPlan?.possibleLengths().at(-1);
}
