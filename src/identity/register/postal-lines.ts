import { formatAddress } from 'localized-address-format';
import { findCountryCode, languageOfCountry, regionName } from './country-name.ts';
import { isNoAddress } from './no-address.ts';
import type { RegisterContact } from './register.ts';

/** The lines of an address on an envelope. */
export type PostalLines = {
  /** Without the name; the country is last, for a letter that goes abroad. */
  readonly postalLines: readonly string[];
  /** Whether the name follows the address, as within China, Japan and Korea. */
  readonly nameAfterAddress: boolean;
};

/** Posts that expect the town in capitals only on letters from abroad. */
const mixedCaseTowns: ReadonlySet<string> = new Set(['AT', 'CH', 'DE', 'LI']);
/** The place of the name in the lines. */
const nameMark = '\ue000';

/**
 * The lines of an address by the rules of its country: where the town and the postal code are, and the name of the country in the
 * language of the sending country (`home`, ISO 3166-1), if the letter goes abroad. The lines of the street stay as they are. Undefined
 * without a street or a town, and for a note such as "no fixed abode".
 */
export function postalLinesOf(
  { streetAddress, postalCode, locality, country }: RegisterContact['postalAddress'],
  home: string | undefined,
): PostalLines | undefined {
  if (streetAddress === null || locality === null) return undefined;
  const street = streetAddress.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  if (street.length === 0 || street.some(isNoAddress) || isNoAddress(locality)) return undefined;
  const code = country === null ? home : findCountryCode(country, home);
  const isHome = country === null || (code !== undefined && code === home);
  const isCapital = code !== undefined && !(isHome && mixedCaseTowns.has(code));
  const town = isCapital ? locality.toLocaleUpperCase(languageOfCountry(code)) : locality;
  const place = { street, town, postalCode: postalCode?.toUpperCase() ?? '' };
  const lines = placeLines(place, code).map((line) => withoutPrefix(line, place.postalCode, isHome));
  const nameAt = lines.indexOf(nameMark);
  const countryLine = isHome || country === null ? undefined : countryLineOf(country, code, home);
  const last = countryLine === undefined || lines.includes(countryLine) ? [] : [countryLine];
  return {
    postalLines: [...lines.filter((line) => line !== nameMark), ...last],
    nameAfterAddress: isHome && nameAt > 0,
  };
}

type Place = { readonly street: readonly string[]; readonly town: string; readonly postalCode: string };

/** The lines in the order of a country, with `nameMark`. */
function placeLines({ street, town, postalCode }: Place, code: string | undefined): readonly string[] {
  const atEnd = (...lines: readonly string[]) => [nameMark, ...street, ...lines.filter(Boolean)];
  if (code === undefined) return atEnd([postalCode, town].filter(Boolean).join(' '));
  const isEastAsian = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test([...street, town].join(''));
  const parts = { postalCountry: code, name: nameMark, addressLines: [...street], postalCode };
  const isComplete = (lines: readonly string[]) => {
    const others = lines.filter((line) => !street.includes(line)).map((line) => line.toUpperCase());
    const isPrinted = (part: string) => others.some((line) => line.includes(part.toUpperCase()));
    return street.every((line) => lines.includes(line)) && isPrinted(town) && isPrinted(postalCode);
  };
  // Some formats have no town. Then it is the region, such as an emirate or a prefecture.
  const formats = [{ locality: town }, { administrativeArea: town }].map((more) =>
    formatAddress({ ...parts, ...more }, isEastAsian ? 'local' : 'latin'),
  );
  return formats.find(isComplete) ?? atEnd(town, postalCode);
}

/** Removes the prefix of a postal code, such as `SE-`, within the country, or if the code already has it. */
function withoutPrefix(line: string, postalCode: string, isHome: boolean): string {
  const at = postalCode === '' ? -1 : line.indexOf(postalCode);
  const prefix = at < 0 ? '' : line.slice(0, at);
  const isAdded = /^[A-Z]{1,2}-?$/.test(prefix) && (isHome || postalCode.startsWith(prefix));
  return isAdded ? line.slice(at) : line;
}

/** The name of the country in capitals. English is added to a script that posts abroad may not read. */
function countryLineOf(country: string, code: string | undefined, home: string | undefined): string {
  if (code === undefined) return country.toUpperCase();
  const language = languageOfCountry(home);
  const name = (regionName(code, language) ?? country).toLocaleUpperCase(language);
  const english = regionName(code, 'en')?.toUpperCase() ?? name;
  return /^[\p{sc=Latin}\P{L}]+$/u.test(name) ? name : `${name} / ${english}`;
}
