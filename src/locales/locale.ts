import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import nb from './nb.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };

/** The texts of mails, letters, text messages and pages in one language. A text with placeholders goes through `formatMessage`. */
export type Locale = typeof en;

const locales: readonly Locale[] = [en, nb, de, fr, es, pt, it, nl];

/** The languages of the pages and messages of this server. */
export const pageLanguages: readonly string[] = locales.map(({ language }) => language);

/** By the first part of a language tag. Citizens who read Nynorsk, and the old tag of Norwegian, get Bokmål. */
const localesByLanguage: ReadonlyMap<string, Locale> = new Map([
  ...locales.map((locale) => [locale.language, locale] as const),
  ['no', nb],
  ['nn', nb],
]);

/** The texts for a language tag (BCP 47); in English when the language has no catalogue. */
export function localeFor(tag: string | undefined): Locale {
  return findLocale(tag) ?? en;
}

/** The texts in the first language of an `Accept-Language` header that has a catalogue. Quality values are ignored. */
export function localeForHeader(header: string | undefined): Locale {
  const tags = (header ?? '').split(',').map((range) => range.split(';', 1)[0]);
  return tags.map(findLocale).find((locale) => locale !== undefined) ?? en;
}

/** The texts for a language tag (BCP 47); undefined when the language has no catalogue. */
export function findLocale(tag: string | undefined): Locale | undefined {
  const language = /^\s*([a-z]{2,3})(?=-|\s*$)/i.exec(tag ?? '')?.[1] ?? '';
  return localesByLanguage.get(language.toLowerCase());
}
