import type { TemplateId } from '../../kernel/id.ts';
import { parseLanguageTag } from '../../kernel/language-tag.ts';
import type { Issue } from '../../kernel/refusal.ts';
import { placeholderNamesIn } from '../text/markdown.ts';

/** What a template says in one language; the tag (BCP 47) in its canonical form. */
export type TemplateText = {
  readonly language: string;
  readonly subject?: string | undefined;
  readonly message: string;
};

/** Texts of a client for one message to many, each in the own language. They need the same values, whichever is chosen. */
export type Template = {
  readonly id: TemplateId;
  readonly clientId: string;
  /** For people, to tell it from others. */
  readonly name: string;
  readonly defaultLanguage: string;
  readonly texts: readonly TemplateText[];
  readonly createdAt: number;
};

/** What a list has of a template: its languages, and the placeholders that all its texts share. */
export type TemplateHead = Omit<Template, 'texts'> & {
  readonly languages: readonly string[];
  readonly placeholders: readonly string[];
};

/** The template without its texts. */
export function templateHeadOf({ texts, ...template }: Template): TemplateHead {
  const placeholders = new Set(texts.flatMap((text) => [...placeholdersOfText(text)]));
  return { ...template, languages: texts.map(({ language }) => language), placeholders: [...placeholders] };
}

/** The names of the values that a text needs. */
export function placeholdersOfText({ subject = '', message }: Omit<TemplateText, 'language'>): ReadonlySet<string> {
  return new Set([...placeholderNamesIn(message), ...placeholderNamesIn(subject)]);
}

/**
 * The text for a language, found by lookup (RFC 4647, section 3.4): for `de-CH-1996` one in `de-CH`, else in `de`. Where there is none,
 * one in a variant of it: who reads `nl` reads `nl-BE` sooner than another language. Undefined where there is neither.
 */
export function textForLanguage(texts: readonly TemplateText[], requested: string): TemplateText | undefined {
  const own = lookupRangesOf((parseLanguageTag(requested) ?? requested).toLowerCase());
  const ranges = [...own, ...(norwegianVariants[own.at(-1) ?? ''] ?? [])];
  const tags = texts.map((text) => ({ text, tag: text.language.toLowerCase() }));
  const find = (fits: (tag: string, range: string) => boolean) =>
    ranges.flatMap((range) => tags.filter(({ tag }) => fits(tag, range)).map(({ text }) => text))[0];
  return find((tag, range) => tag === range) ?? find((tag, range) => tag.startsWith(`${range}-`));
}

/** Norwegian has a tag of its own for each way of writing it, and one for both: who reads one reads the others. */
const norwegianVariants: Readonly<Record<string, readonly string[]>> = {
  nb: ['no', 'nn'],
  nn: ['no', 'nb'],
  no: ['nb', 'nn'],
};

/** The range itself, then without its last part each time, and without a single letter or digit that would end it. */
function lookupRangesOf(range: string): string[] {
  const shorter = range.replace(/(?:-[a-z\d])?-[^-]*$/, '');
  return shorter === range ? [range] : [range, ...lookupRangesOf(shorter)];
}

/** The text in the language of the citizen, where it is known and there is one; else in the default language. */
export function textForCitizen(
  { texts, defaultLanguage }: Template,
  citizenLanguage: string | undefined,
): TemplateText {
  const text =
    (citizenLanguage === undefined ? undefined : textForLanguage(texts, citizenLanguage)) ??
    textForLanguage(texts, defaultLanguage);
  if (text === undefined) throw new TypeError('a template without a text in its default language');
  return text;
}

/** What is wrong about the languages of a new template; where nothing is, `texts` has them in their canonical form. */
export function languageIssues(given: readonly TemplateText[], defaultLanguage: string): Issue[] {
  const issues: Issue[] = [];
  const add = (pointer: string, code: string, detail: string) => issues.push({ in: 'body', pointer, code, detail });
  const tags = given.map(({ language }) => parseLanguageTag(language));
  for (const [index, tag] of tags.entries()) {
    const pointer = `/texts/${index}/language`;
    if (tag === undefined) add(pointer, 'malformed', 'must be the tag of a language (BCP 47), as fr or nl-BE');
    else if (tags.indexOf(tag) < index) add(pointer, 'repeated', `there is a text in ${tag} already: keep one of them`);
  }
  const preferred = parseLanguageTag(defaultLanguage);
  if (preferred === undefined || !tags.includes(preferred)) {
    const has = tags.filter((tag) => tag !== undefined).join(', ');
    const detail = `must be one of the languages of texts (${has}): add a text in this language, or name one of these`;
    add('/defaultLanguage', 'not-allowed', detail);
  }
  return issues;
}

/** So many values are named of those that a text lacks. */
const maxNamed = 10;

/** The values that a text lacks and another one has: each would be asked for in vain, or stand in one language alone. */
export function placeholderIssues(texts: readonly TemplateText[]): Issue[] {
  const needed = texts.map(placeholdersOfText);
  const all = new Set(needed.flatMap((names) => [...names]));
  return needed.flatMap((names, index) => {
    const missing = all.difference(names);
    if (missing.size === 0) return [];
    const those = [...missing].slice(0, maxNamed).map((name) => `((${name}))`);
    const more = missing.size > maxNamed ? ` and ${missing.size - maxNamed} more` : '';
    const from = texts
      .filter((_text, other) => !needed[other]?.isDisjointFrom(missing))
      .map(({ language }) => language);
    const detail = `lacks ${those.join(', ')}${more}, which stand in the text in ${from.join(', ')}: every language needs the same values`;
    return [{ in: 'body', pointer: `/texts/${index}/message`, code: 'missing', detail }];
  });
}
