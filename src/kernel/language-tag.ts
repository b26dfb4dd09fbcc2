/** The pattern of a language tag, for schemas. */
export const languageTagPattern = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$';

/** The canonical form of a language tag (RFC 5646): `deu` becomes `de`, `nb_NO` becomes `nb-NO`; undefined for other texts. */
export function parseLanguageTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0];
  } catch {
    // `getCanonicalLocales` throws for a text that is no tag.
    return undefined;
  }
}
