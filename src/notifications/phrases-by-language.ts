import { remembering } from '../kernel/recent.ts';
import { dayAt } from './delivery/local-day.ts';
import { dutch } from './languages/dutch.ts';
import { english } from './languages/english.ts';
import { french } from './languages/french.ts';
import { german } from './languages/german.ts';
import { italian } from './languages/italian.ts';
import { norwegian } from './languages/norwegian.ts';
import type { Phrases } from './languages/phrases.ts';
import { portuguese } from './languages/portuguese.ts';
import { spanish } from './languages/spanish.ts';

/** By the first part of a language tag. */
const byLanguage: Readonly<Record<string, Phrases>> = {
  en: english,
  no: norwegian,
  nb: norwegian,
  nn: norwegian,
  de: german,
  fr: french,
  es: spanish,
  pt: portuguese,
  it: italian,
  nl: dutch,
};

/** The words for a language tag (BCP 47), English where there are none. */
export function phrasesOf(language: string | undefined): Phrases {
  return byLanguage[languageOf(language)] ?? english;
}

/** The day of an instant in a time zone in words of that language, or as ISO 8601 has it where there are none. */
export function dayIn(language: string | undefined, at: number, timeZone = 'UTC'): string {
  const known = languageOf(language);
  if (known === '') return dayAt(timeZone, at);
  return dayFormatOf(`${known} ${timeZone}`).format(at);
}

/** Made once for each language and time zone: to make one takes as long as to write a hundred days. */
const dayFormatOf = remembering(2 * Object.keys(byLanguage).length, (languageAndZone) => {
  const [language = '', timeZone] = languageAndZone.split(' ');
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeZone });
});

/** By which dates of a language are written: English as the world does, the day before the month. */
export function localeOf(language: string): string {
  return language === 'en' ? 'en-001' : language;
}

/** The words in the first language of an `Accept-Language` header that is known here, in the order in which it names them. */
export function wishedPhrases(header: string | undefined): Phrases {
  const named = (header ?? '').split(',').map((range) => languageOf(range.split(';', 1)[0]));
  return phrasesOf(named.find((language) => language !== ''));
}

function languageOf(tag: string | undefined): string {
  const language = /^\s*([a-z]{2,3})(?=-|\s*$)/i.exec(tag ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(byLanguage, language) ? language : '';
}
