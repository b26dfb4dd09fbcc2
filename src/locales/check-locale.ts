import { placeholdersOf } from './message-format.ts';

/** A catalogue of texts that lacks a text or a placeholder, or has one that English does not have. */
class IncompleteLocaleError extends Error {
  override readonly name = 'IncompleteLocaleError';
}

/** Throws unless the catalogue of a language has the same keys as `reference`, and the same placeholders under each of them. */
export function checkLocale(reference: object, language: string, locale: object): void {
  const [expected, actual] = [placeholdersByKey(reference), placeholdersByKey(locale)];
  for (const key of new Set([...expected.keys(), ...actual.keys()])) {
    const [wanted, found] = [expected.get(key), actual.get(key)];
    if (wanted === found) continue;
    throw new IncompleteLocaleError(
      `src/locales/${language}.json, ${key}: expected ${describeText(wanted)}, received ${describeText(found)}`,
    );
  }
}

function describeText(placeholders: string | undefined): string {
  return placeholders === undefined ? 'no text' : `a text with the placeholders [${placeholders}]`;
}

function placeholdersByKey(texts: object, prefix = ''): Map<string, string> {
  const entries = Object.entries(texts).flatMap(([name, text]): [string, string][] =>
    typeof text === 'string'
      ? [[`${prefix}${name}`, placeholdersOf(text).join(', ')]]
      : [...placeholdersByKey(text, `${prefix}${name}.`)],
  );
  return new Map(entries);
}
