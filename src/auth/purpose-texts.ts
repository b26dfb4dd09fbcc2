/**
 * The purposes of a client in words, for citizens: by purpose, then by language tag. The text of the tag '' is for all
 * languages without a text of their own.
 */
export type PurposeTexts = { readonly [purpose in string]?: { readonly [language in string]?: string } };

/** A purpose with its text, as `parsePurposeText` reads it. `language` is '' for a text for all languages. */
type LabelledPurpose = { readonly purpose: string; readonly language: string; readonly text: string };

const labelledPattern = /^(?<purpose>[^=]+?)\s*(?:@(?<language>[a-z]{2,3}))?\s*=\s*(?<text>.+)$/s;

/** Parses `purpose=Text` or `purpose@de=Text`; undefined for a purpose without a text. */
export function parsePurposeText(part: string): LabelledPurpose | undefined {
  const { purpose, language = '', text } = labelledPattern.exec(part)?.groups ?? {};
  return purpose === undefined || text === undefined ? undefined : { purpose, language, text };
}

/** The texts in the form that `parsePurposeText` reads, for the command line. */
export function formatPurposeTexts(texts: PurposeTexts): string[] {
  return Object.entries(texts).flatMap(([purpose, byLanguage]) =>
    Object.entries(byLanguage ?? {}).map(
      ([language, text]) => `${purpose}${language === '' ? '' : `@${language}`}=${text}`,
    ),
  );
}

/** A purpose in words. `language` is '' if it is not known. */
export type PurposeText = Omit<LabelledPurpose, 'purpose'>;

/** The text of a purpose in a language; undefined if the client registered none that fits. */
export function purposeTextIn(
  texts: PurposeTexts | undefined,
  purpose: string,
  wantedLanguage: string,
): PurposeText | undefined {
  const byLanguage = ownMember(texts, purpose);
  const found = [wantedLanguage.toLowerCase().split('-', 1)[0] ?? '', ''].flatMap((language) => {
    const text = ownMember(byLanguage, language);
    return text === undefined ? [] : { text, language };
  });
  return found[0];
}

/** The names come from requests, and may be those of members that every object inherits. */
function ownMember<T>(object: { readonly [name in string]?: T } | undefined, name: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The texts by purpose, sorted by purpose and language, so that equal texts are stored equally; undefined without any. */
export function groupPurposeTexts(labelled: readonly LabelledPurpose[]): PurposeTexts | undefined {
  if (labelled.length === 0) return undefined;
  const texts = new Map<string, Map<string, string>>();
  const keyOf = ({ purpose, language }: LabelledPurpose) => `${purpose}\0${language}`;
  for (const one of labelled.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    const byLanguage = texts.get(one.purpose) ?? new Map<string, string>();
    texts.set(one.purpose, byLanguage.set(one.language, one.text));
  }
  return Object.fromEntries([...texts].map(([purpose, byLanguage]) => [purpose, Object.fromEntries(byLanguage)]));
}
