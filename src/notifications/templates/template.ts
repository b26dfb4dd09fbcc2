import type { TemplateId } from '../../kernel/id.ts';
import { parseLanguageTag } from '../../kernel/language-tag.ts';
import type { Issue, IssueCode } from '../../kernel/refusal.ts';
import { placeholderNamesIn } from '../text/markdown.ts';

/** The text of a template in one language; the tag (BCP 47) is canonical. */
export type TemplateText = {
  readonly language: string;
  readonly subject?: string | undefined;
  readonly message: string;
};

/** The texts of one message in several languages. All of them have the same placeholders. */
export type Template = {
  readonly id: TemplateId;
  readonly clientId: string;
  /** Shown to people in the list of templates. */
  readonly name: string;
  readonly defaultLanguage: string;
  readonly texts: readonly TemplateText[];
  readonly createdAt: number;
};

/** A template without its texts, with their languages and placeholders. */
export type TemplateHead = Omit<Template, 'texts'> & {
  readonly languages: readonly string[];
  readonly placeholders: readonly string[];
};

/** The head of a template, for lists. */
export function templateHeadOf({ texts, ...template }: Template): TemplateHead {
  const placeholders = new Set(texts.flatMap((text) => [...placeholdersOfText(text)]));
  return { ...template, languages: texts.map(({ language }) => language), placeholders: [...placeholders] };
}

/** The names of the placeholders in a text and its subject. */
export function placeholdersOfText({ subject = '', message }: Omit<TemplateText, 'language'>): ReadonlySet<string> {
  return new Set([...placeholderNamesIn(message), ...placeholderNamesIn(subject)]);
}

/**
 * Finds the text for a language by lookup (RFC 4647, section 3.4): for `de-CH-1996` the one in `de-CH`, else in `de`. If there is none, it
 * takes a variant of the language: for `nl` the one in `nl-BE`. Undefined when there is neither.
 */
export function textForLanguage(texts: readonly TemplateText[], requested: string): TemplateText | undefined {
  const own = lookupRangesOf((parseLanguageTag(requested) ?? requested).toLowerCase());
  const ranges = [...own, ...(norwegianVariants[own.at(-1) ?? ''] ?? [])];
  const tags = texts.map((text) => ({ text, tag: text.language.toLowerCase() }));
  const find = (fits: (tag: string, range: string) => boolean) =>
    ranges.flatMap((range) => tags.filter(({ tag }) => fits(tag, range)).map(({ text }) => text))[0];
  return find((tag, range) => tag === range) ?? find((tag, range) => tag.startsWith(`${range}-`));
}

/** Norwegian has a tag for each of its written forms and one for both. A reader of one can read the others. */
const norwegianVariants: Readonly<Record<string, readonly string[]>> = {
  nb: ['no', 'nn'],
  nn: ['no', 'nb'],
  no: ['nb', 'nn'],
};

/** The range and its shorter forms (RFC 4647): each drops the last subtag, and a single-letter subtag before it. */
function lookupRangesOf(range: string): string[] {
  const shorter = range.replace(/(?:-[a-z\d])?-[^-]*$/, '');
  return shorter === range ? [range] : [range, ...lookupRangesOf(shorter)];
}

/** The text in the language of the citizen, if there is one, else in the default language. */
export function textForCitizen(
  { texts, defaultLanguage }: Template,
  citizenLanguage: string | undefined,
): TemplateText {
  const text = textForLanguage(texts, citizenLanguage ?? defaultLanguage) ?? textForLanguage(texts, defaultLanguage);
  if (text === undefined) throw new TypeError('the template has no text in its default language');
  return text;
}

/** The issues of the languages of a new template: malformed or repeated tags, and a default language without a text. */
export function languageIssues(texts: readonly TemplateText[], defaultLanguage: string): Issue[] {
  const issues: Issue[] = [];
  const add = (pointer: string, code: IssueCode, detail: string) => issues.push({ in: 'body', pointer, code, detail });
  const tags = texts.map(({ language }) => parseLanguageTag(language));
  for (const [index, tag] of tags.entries()) {
    const pointer = `/texts/${index}/language`;
    if (tag === undefined) add(pointer, 'malformed', 'must be a language tag (BCP 47), such as fr or nl-BE');
    else if (tags.indexOf(tag) < index) add(pointer, 'repeated', `has a second text in ${tag}: keep one of them`);
  }
  const preferred = parseLanguageTag(defaultLanguage);
  if (preferred === undefined || !tags.includes(preferred)) {
    const has = tags.filter((tag) => tag !== undefined).join(', ');
    const detail = `must be one of the languages of texts (${has}): add a text in this language, or name one of these`;
    add('/defaultLanguage', 'not-allowed', detail);
  }
  return issues;
}

/** The limit of missing placeholders that an issue names. */
const maxNamed = 10;

/** One issue for each text that lacks a placeholder of another text. Otherwise the value would be missing in that language. */
export function placeholderIssues(texts: readonly TemplateText[]): Issue[] {
  const needed = texts.map(placeholdersOfText);
  const all = new Set(needed.flatMap((names) => [...names]));
  return needed.flatMap((names, index) => {
    const missing = all.difference(names);
    if (missing.size === 0) return [];
    const listed = [...missing].slice(0, maxNamed).map((name) => `((${name}))`);
    const more = missing.size > maxNamed ? ` and ${missing.size - maxNamed} more` : '';
    const from = texts
      .filter((_text, other) => !needed[other]?.isDisjointFrom(missing))
      .map(({ language }) => language);
    const detail = `lacks ${listed.join(', ')}${more}, which the text in ${from.join(', ')} has: every language needs the same values`;
    return [{ in: 'body', pointer: `/texts/${index}/message`, code: 'required', detail }];
  });
}
