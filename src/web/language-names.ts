import { pageLanguages } from '../locales/locale.ts';
import type { SelectOption } from './form-parts.ts';

/** The name of a language in the language of the page. */
export function languageName(language: string, tag: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(tag) ?? tag;
  } catch (fault) {
    // A form can have any text here.
    if (fault instanceof RangeError) return tag;
    throw fault;
  }
}

/** The languages of messages by name, and those of `also`. */
export function languageOptions(language: string, also: readonly string[]): readonly SelectOption[] {
  const tags = [...new Set([...pageLanguages, ...also])];
  const options = tags.map((tag): SelectOption => [tag, languageName(language, tag)]);
  return options.sort(([, one], [, other]) => one.localeCompare(other, language));
}
