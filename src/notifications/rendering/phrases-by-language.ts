import { localDateAt } from '../../kernel/local-date.ts';
import { memoize } from '../../kernel/lru-cache.ts';
import { dutchPhrases } from '../languages/dutch.ts';
import { englishPhrases } from '../languages/english.ts';
import { frenchPhrases } from '../languages/french.ts';
import { germanPhrases } from '../languages/german.ts';
import { italianPhrases } from '../languages/italian.ts';
import { norwegianPhrases } from '../languages/norwegian.ts';
import type { Phrases } from '../languages/phrases.ts';
import { portuguesePhrases } from '../languages/portuguese.ts';
import { spanishPhrases } from '../languages/spanish.ts';

/** By the first part of a language tag. */
const phrasesByLanguage: Readonly<Record<string, Phrases>> = {
  en: englishPhrases,
  no: norwegianPhrases,
  nb: norwegianPhrases,
  nn: norwegianPhrases,
  de: germanPhrases,
  fr: frenchPhrases,
  es: spanishPhrases,
  pt: portuguesePhrases,
  it: italianPhrases,
  nl: dutchPhrases,
};

/** The words for a language tag (BCP 47), English where there are none. */
export function phrasesFor(language: string | undefined): Phrases {
  return phrasesByLanguage[supportedLanguageOf(language)] ?? englishPhrases;
}

/** The day of an instant in a time zone in words of that language, or as ISO 8601 has it where there are none. */
export function formatDay(language: string | undefined, at: number, timeZone = 'UTC'): string {
  const known = supportedLanguageOf(language);
  if (known === '') return localDateAt(timeZone, at);
  return dayFormatOf(`${known} ${timeZone}`).format(at);
}

/** Made once for each language and time zone: to make one takes as long as to write a hundred days. */
const dayFormatOf = memoize(2 * Object.keys(phrasesByLanguage).length, (languageAndZone) => {
  const [language = '', timeZone] = languageAndZone.split(' ');
  return new Intl.DateTimeFormat(dateLocaleOf(language), { dateStyle: 'long', timeZone });
});

/** By which dates of a language are written: English as the world does, the day before the month. */
export function dateLocaleOf(language: string): string {
  return language === 'en' ? 'en-001' : language;
}

/** The words in the first language of an `Accept-Language` header that is known here, in the order in which it names them. */
export function phrasesForHeader(header: string | undefined): Phrases {
  const languages = (header ?? '').split(',').map((range) => supportedLanguageOf(range.split(';', 1)[0]));
  return phrasesFor(languages.find((language) => language !== ''));
}

function supportedLanguageOf(tag: string | undefined): string {
  const language = /^\s*([a-z]{2,3})(?=-|\s*$)/i.exec(tag ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(phrasesByLanguage, language) ? language : '';
}
