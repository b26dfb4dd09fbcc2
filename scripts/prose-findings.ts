import { allowedNames, namePhrases, nameWords, openingRules, wordRules } from './prose-rules.ts';
import { maskCharacter, maskCode, type Prose, readJson, readMarkdown, readSource, readYaml } from './prose-text.ts';

/** A rejected text or name, with its line (from 1) and the alternative. */
export interface Finding {
  readonly line: number;
  readonly found: string;
  readonly use: string;
}

interface Match {
  readonly index: number;
  readonly found: string;
  readonly use: string;
}

const words = wordRules.map(({ words, use, allowed }) => ({
  pattern: wholeWords(words),
  use,
  allowed: allowed === undefined ? undefined : wholeWords(allowed),
}));
/** One pattern for all words. Most texts match none, so this saves the other searches. */
const anyWord = new RegExp(words.map(({ pattern }) => pattern.source).join('|'), 'i');
const openings = openingRules.map(({ opening, use }) => ({ pattern: new RegExp(`^${opening}`), use }));
const exampleAfterAs = new RegExp(`, as ${maskCharacter}+(?=[.,;:)]|\\s*$)`, 'gm');
const allowedName = new Set(allowedNames);
const nameWordRules = Object.entries(nameWords);
const namePhraseRules = Object.entries(namePhrases);

function wholeWords(source: string): RegExp {
  return new RegExp(`(?<![\\w-])(?:${source.replaceAll(' ', '\\s+')})(?![\\w])`, 'gi');
}

/** Whether string literals are checked. Comments, names and test titles always are. */
export interface Scope {
  readonly strings: boolean;
}

/** Everything in a file that the rules reject, in the order of its lines. */
export function findInFile(path: string, text: string, scope: Scope = { strings: true }): readonly Finding[] {
  const isSource = /\.[jt]s$/.test(path);
  const { prose, identifiers } = isSource
    ? readSource(text)
    : { prose: readDocument(path, text), identifiers: new Map<string, number>() };
  const matches = prose
    .filter(({ kind }) => scope.strings || kind !== 'string')
    .flatMap((each) => findInProse(each).map((match) => ({ ...match, index: each.start + match.index })));
  const fileName = path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '');
  const names = !isSource ? [] : [...identifiers, [`${fileName} (file name)`, 0] as const];
  for (const [name, index] of names) {
    const use = replacementFor(name.replace(/ .*$/, ''));
    if (use !== undefined) matches.push({ index, found: name, use: `a name with ${use}` });
  }
  return matches
    .sort((one, other) => one.index - other.index)
    .map(({ index, found, use }) => ({ line: lineAt(text, index), found, use }));
}

function readDocument(path: string, text: string): readonly Prose[] {
  if (path.endsWith('.json')) return readJson(text);
  return path.endsWith('.yaml') ? readYaml(text) : readMarkdown(text);
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Finds rejected words and sentence openings in one text. */
export function findInProse({ kind, text }: Pick<Prose, 'kind' | 'text'>): Match[] {
  const matches = findWords(text);
  if (kind !== 'string' && kind !== 'title')
    for (const match of text.matchAll(exampleAfterAs))
      matches.push({ index: match.index, found: ', as …', use: '"such as"' });
  if (kind === 'heading') return matches;
  for (const sentence of sentencesOf(text, kind)) matches.push(...findOpening(sentence));
  return withoutOverlap(matches);
}

function findWords(text: string): Match[] {
  if (!anyWord.test(text)) return [];
  return words.flatMap(({ pattern, use, allowed }) => {
    const allowedUses = allowed === undefined ? [] : [...text.matchAll(allowed)];
    return [...text.matchAll(pattern)]
      .filter(({ index, 0: found }) => !allowedUses.some((use) => liesWithin(index, found.length, use)))
      .map(({ index, 0: found }) => ({ index, found: found.replaceAll(/\s+/g, ' '), use }));
  });
}

function liesWithin(index: number, length: number, whole: RegExpExecArray): boolean {
  return index >= whole.index && index + length <= whole.index + whole[0].length;
}

interface Sentence {
  readonly index: number;
  readonly text: string;
  /** Test titles and messages of more than three words are sentences, although they may start with a small letter. */
  readonly mayBeginSmall: boolean;
}

const boundary = /[.!?:]["')\]*_]*\s+|\n[ \t]*\n\s*|\n[ \t]*(?:[-*•]|\d+\.)\s+/g;
const boundaryOrCell = new RegExp(`${boundary.source}|\\|`, 'g');
/** Text before the words of a sentence: quotes, emphasis, and in a title the name of an engine or a mark such as [X1]. */
const lead = /^[\s*_"'(>–-]*/;
const titleLead = new RegExp(`^(?:${maskCharacter}+:?\\s+|\\[\\w+\\]\\s*)*`);

function sentencesOf(text: string, kind: Prose['kind']): Sentence[] {
  const first = kind === 'title' ? (titleLead.exec(text)?.[0].length ?? 0) : 0;
  const sentences: Sentence[] = [];
  let start = first;
  const add = (end: number) => {
    const index = start + (lead.exec(text.slice(start, end))?.[0].length ?? 0);
    const sentence = text.slice(index, end);
    const isWhole = kind === 'title' || (kind === 'string' && sentence.trim().split(/\s+/).length > 3);
    if (sentence !== '') sentences.push({ index, text: sentence, mayBeginSmall: isWhole && start === first });
    start = Math.max(start, end);
  };
  for (const match of text.matchAll(kind === 'document' ? boundaryOrCell : boundary)) {
    if (match.index >= first) add(match.index + match[0].length);
  }
  add(text.length);
  return sentences;
}

function findOpening({ index, text, mayBeginSmall }: Sentence): Match[] {
  if (/\?["')\]*_]*\s*$/.test(text)) return [];
  const sentence = mayBeginSmall ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  const rule = openings.find(({ pattern }) => pattern.test(sentence));
  if (rule === undefined) return [];
  return [{ index, found: `${text.trim().split(/\s+/, 4).join(' ')} …`, use: rule.use }];
}

/** Keeps one finding per position, so that the opening of a sentence is not also reported as a word. */
function withoutOverlap(matches: readonly Match[]): Match[] {
  const sorted = matches.toSorted((one, other) => one.index - other.index || other.found.length - one.found.length);
  return sorted.filter(({ index }, at) => at === 0 || sorted[at - 1]?.index !== index);
}

const knownNames = new Map<string, string | undefined>();

/** The alternative for a name with a private word. Undefined for every other name. */
export function replacementFor(name: string): string | undefined {
  if (!knownNames.has(name)) knownNames.set(name, lookUpName(name));
  return knownNames.get(name);
}

/** A name is split at its capitals, digits and underscores; a plural counts as its singular. */
function lookUpName(name: string): string | undefined {
  if (allowedName.has(name)) return undefined;
  const parts = (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((part) => part.toLowerCase());
  const singular = parts.map((part) => part.replace(/(?<=\w\w)s$/, ''));
  const wordsOfName = new Set([...parts, ...singular]);
  const [, word] = nameWordRules.find(([rule]) => wordsOfName.has(rule)) ?? [];
  if (word !== undefined || parts.length === 1) return word;
  const text = ` ${singular.join(' ')} `;
  return namePhraseRules.find(([phrase]) => text.includes(` ${phrase} `))?.[1];
}

const subjectLimit = 72;
const subjectForm = /^[a-z0-9][\w./-]*(?:, [a-z0-9][\w./-]*)*: (?<summary>\S.*)$/;
const noVerb =
  /^(?:an?|the|this|that|these|those|there|it|its|they|each|every|all|any|some|no|not|nothing|nobody|none|one|two|who|whoever|whom|whose|what|whatever|which|when|where|while|if|of|so|behind|in|on|at|by|for|from|to|with|without|after|before|as|how|why|whether|is|are|was|were|has|have|can|may|must|both|other|another|only|more)$/;
const otherForm = /(?:ed|ing|[^s]s)$/;
const imperativeExceptions =
  /^(?:need|feed|seed|embed|exceed|proceed|succeed|speed|shed|weed|bring|ping|ring|string|swing|focus|alias|bias|canvas)$/;

/** Checks the first line of a commit message. */
export function findInSubject(subject: string): readonly Omit<Match, 'index'>[] {
  const findings: Omit<Match, 'index'>[] = [];
  if (subject.length > subjectLimit)
    findings.push({ found: `${subject.length} characters`, use: `at most ${subjectLimit} characters` });
  if (/\.$/.test(subject)) findings.push({ found: 'a period at the end', use: 'no period' });
  const summary = subjectForm.exec(subject)?.groups?.['summary'];
  if (summary === undefined) return [...findings, { found: subject, use: '"area: imperative summary"' }];
  const verb = summary.split(/\s+/)[0] ?? '';
  const isImperative = /^[a-z][a-z-]*$/.test(verb) && !noVerb.test(verb);
  if (!isImperative || (otherForm.test(verb) && !imperativeExceptions.test(verb)))
    findings.push({ found: verb, use: 'an imperative first, such as "add", "fix" or "reject"' });
  // The subject of a rename may contain the old name.
  if (verb === 'rename') return findings;
  return [...findings, ...findWords(maskCode(summary)).map(({ found, use }) => ({ found, use }))];
}
