/**
 * The canonical language tag (BCP 47, RFC 5646) of a tag from the register: `deu` becomes `de`, `nb_NO` becomes `nb-NO`.
 * Undefined for any other text, which must not reach a header or page.
 */
export function parseLanguageTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0];
  } catch {
    // `getCanonicalLocales` throws for a text that is no tag.
    return undefined;
  }
}
