/**
 * The tag (BCP 47, RFC 5646) of a language as a register may write it: `deu` is `de`, `nb_NO` is `nb-NO`. Undefined where it is
 * none: what is not in the form of a tag may stand in no header and no page.
 */
export function parseLanguageTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0];
  } catch {
    // Not in the form of a tag.
    return undefined;
  }
}
