import { parseLanguageTag } from './language-tag.ts';

/** The direction of the script in which a language is written. */
export function textDirection(language: string): 'ltr' | 'rtl' {
  return new Intl.Locale(language).getTextInfo().direction === 'rtl' ? 'rtl' : 'ltr';
}

/**
 * The `dir` attribute of an element that contains a whole message. Only a message without a known language has `auto`, which ignores
 * blocks that have a `dir` attribute of their own, so that it would be left to right for a message in Arabic.
 */
export function messageDirection(language: string | null | undefined): 'ltr' | 'rtl' | 'auto' {
  const tag = parseLanguageTag(language ?? '');
  return tag === undefined ? 'auto' : textDirection(tag);
}
