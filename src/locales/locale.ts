import ar from './ar.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import nb from './nb.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import sv from './sv.json' with { type: 'json' };
import tr from './tr.json' with { type: 'json' };
import uk from './uk.json' with { type: 'json' };

/** The texts of mails, letters, text messages and pages in one language. A text with placeholders goes through `formatMessage`. */
export type Locale = typeof en;

const locales: readonly Locale[] = [en, nb, de, fr, es, pt, it, nl, sv, pl, uk, tr, ar];

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

/**
 * The texts in the language that an `Accept-Language` header prefers (RFC 9110, section 12.5.4). A language that the header does
 * not mention is served only if no mentioned one has a catalogue, in English if possible. A refused language (`q=0`) is never
 * served. If all are refused, the texts are English.
 */
export function localeForHeader(header: string | undefined): Locale {
  const ranges = (header ?? '').split(',').map(parseRange);
  const weights = new Map<Locale, number>();
  for (const { tag, weight } of ranges) {
    const locale = findLocale(tag);
    if (locale !== undefined) weights.set(locale, Math.max(weight, weights.get(locale) ?? 0));
  }
  const ofOthers = ranges.find(({ tag }) => tag === '*')?.weight ?? notMentioned;
  const all = [
    ...weights,
    ...locales.filter((locale) => !weights.has(locale)).map((locale) => [locale, ofOthers] as const),
  ];
  const accepted = all.filter(([, weight]) => weight > 0).toSorted(([, one], [, other]) => other - one);
  return accepted[0]?.[0] ?? en;
}

/** Less than the lowest weight that a header can give. */
const notMentioned = 0.0001;

interface LanguageRange {
  /** A language tag, or `*` for every language that the header does not mention. */
  readonly tag: string;
  /** From 0 (refused) to 1. A missing or unreadable weight is 1. */
  readonly weight: number;
}

function parseRange(range: string): LanguageRange {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
  const [, weight = '1'] =
    parameters.map((parameter) => /^q=([01](?:\.\d{0,3})?)$/i.exec(parameter)).find(Boolean) ?? [];
  return { tag, weight: Math.min(Number(weight), 1) };
}

/** The texts for a language tag (BCP 47); undefined when the language has no catalogue. */
export function findLocale(tag: string | undefined): Locale | undefined {
  const language = /^\s*([a-z]{2,3})(?=-|\s*$)/i.exec(tag ?? '')?.[1] ?? '';
  return localesByLanguage.get(language.toLowerCase());
}
