import { memoize } from '../../kernel/lru-cache.ts';

const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
/** Names in registers that are parts of a country, or another name of it. */
const otherNames: Readonly<Record<string, string>> = {
  england: 'GB',
  'great britain': 'GB',
  'northern ireland': 'GB',
  scotland: 'GB',
  wales: 'GB',
  usa: 'US',
};

const namesOf = memoize(4, (language) => new Intl.DisplayNames([language, 'en'], { type: 'region', fallback: 'none' }));

const codes = letters.flatMap((first) => letters.map((second) => first + second)).filter((code) => code !== 'ZZ');

/** The codes of all countries by their names in a language, in lower case; `own`: each in its own language. */
const codesByName = memoize(4, (language) => {
  const nameOf = (code: string) => regionName(code, language === 'own' ? languageOfCountry(code) : language);
  return new Map(codes.map((code) => [nameOf(code)?.toLowerCase(), code]));
});

/** The name of a country, such as `Portugal`; undefined for an unknown code. */
export function regionName(code: string, language: string): string | undefined {
  return namesOf(language).of(code);
}

/** The language that most people of a country read; English without a country. */
export function languageOfCountry(code: string | undefined): string {
  return code === undefined ? 'en' : new Intl.Locale(`und-${code}`).maximize().language;
}

/** The code (ISO 3166-1) of a country that is given as its code, or by its name in English, in its own language, or in that of `home`. */
export function findCountryCode(text: string, home: string | undefined): string | undefined {
  const word = text.trim().toLowerCase();
  if (/^[a-z]{2}$/.test(word)) {
    // `UK` is an alias of `GB`.
    const { region } = new Intl.Locale(`und-${word}`);
    return region !== undefined && region !== 'ZZ' && regionName(region, 'en') !== undefined ? region : undefined;
  }
  const languages = ['en', 'own', languageOfCountry(home)];
  return otherNames[word] ?? languages.map((language) => codesByName(language).get(word)).find(Boolean);
}
