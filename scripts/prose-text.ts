import { LanguageVariant, SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';

/** A piece of prose in a file. `text` is as long as the source that it covers. Code in it is masked. */
export interface Prose {
  readonly kind: 'comment' | 'string' | 'title' | 'document' | 'heading';
  /** Offset of `text` in the file. */
  readonly start: number;
  readonly text: string;
}

/** The prose and the names of one source file. */
export interface SourceText {
  readonly prose: readonly Prose[];
  /** Each identifier once, with the offset of its first use. */
  readonly identifiers: ReadonlyMap<string, number>;
}

interface Token {
  readonly kind: SyntaxKind;
  readonly start: number;
  readonly end: number;
  /** The places of `${…}` in a template. */
  readonly holes?: readonly (readonly [start: number, end: number])[];
}

/** Replaces code, addresses and paths in prose, so that no rule reads them as words. */
export const maskCharacter = '▪';
const notProse =
  /(`+)[^`]+\1|\bhttps?:\/\/[^\s)'"]+|(?<![\w-])[\w.@*-]*\/[\w.*-][\w./*-]*|\b[\w-]+\.(?:ts|js|json|sql|md)\b|<\/?[a-z][^<>]*>|&\w+;/g;

/** After one of these tokens a slash is a division. After any other token it starts a regular expression. */
const endsOperand = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.PrivateIdentifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.ThisKeyword,
  SyntaxKind.SuperKeyword,
]);
const titleFunctions = new Set(['test', 'it', 'describe', 'suite']);

/** Comments, string literals, test titles and identifiers of a TypeScript or JavaScript file. */
export function readSource(text: string): SourceText {
  const tokens = tokenize(text);
  const code = tokens.filter((token) => !isComment(token));
  const identifiers = new Map<string, number>();
  const prose = commentsOf(text, tokens);
  for (const [index, token] of code.entries()) {
    if (token.kind === SyntaxKind.Identifier || token.kind === SyntaxKind.PrivateIdentifier) {
      const name = text.slice(token.start, token.end);
      if (!identifiers.has(name)) identifiers.set(name, token.start);
    } else if (isString(token)) {
      const kind = isTestTitle(text, code.slice(Math.max(0, index - 6), index)) ? 'title' : 'string';
      const literal = literalText(text, token);
      if (kind === 'title' || isProse(literal)) prose.push({ kind, start: token.start + 1, text: maskCode(literal) });
    }
  }
  return { prose, identifiers };
}

/** No token starts here: the text is not TypeScript, or an earlier slash was read as a division. */
export class UnreadableSource extends Error {
  constructor(text: string, offset: number) {
    super(`no token in line ${text.slice(0, offset).split('\n').length}`);
  }
}

/** Splits the text into tokens. A template is one `TemplateExpression` token, followed by the tokens of its expressions. */
function tokenize(text: string): Token[] {
  const scanner = createScanner(false, LanguageVariant.Standard, text);
  const tokens: Token[] = [];
  const templates: { start: number; depth: number; holes: [start: number, end: number][] }[] = [];
  let previous: SyntaxKind | undefined;
  let depth = 0;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if (kind === SyntaxKind.WhitespaceTrivia || kind === SyntaxKind.NewLineTrivia) continue;
    const template = templates.at(-1);
    const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
    if (isSlash && (previous === undefined || !endsOperand.has(previous))) kind = scanner.reScanSlashToken();
    else if (kind === SyntaxKind.CloseBraceToken && template?.depth === depth)
      kind = scanner.reScanTemplateToken(false);
    else if (kind === SyntaxKind.CloseBraceToken) depth -= 1;
    else if (kind === SyntaxKind.OpenBraceToken) depth += 1;
    const token = { kind, start: scanner.getTokenStart(), end: scanner.getTokenEnd() };
    // The scanner of TypeScript 7.0 does not advance at a # that starts no name.
    if (token.start === token.end) throw new UnreadableSource(text, token.start);
    const hole = template?.holes.at(-1);
    if (kind === SyntaxKind.TemplateHead) {
      templates.push({ start: token.start, depth, holes: [[token.end - 2, token.end]] });
    } else if (kind === SyntaxKind.TemplateMiddle && hole !== undefined) {
      hole[1] = token.start + 1;
      template?.holes.push([token.end - 2, token.end]);
    } else if (kind === SyntaxKind.TemplateTail && hole !== undefined && template !== undefined) {
      hole[1] = token.start + 1;
      templates.pop();
      const { start, holes } = template;
      tokens.push({ kind: SyntaxKind.TemplateExpression, start, end: token.end, holes });
    } else tokens.push(token);
    if (!isComment(token)) previous = kind;
  }
  // A template is added at its end, so the tokens are not in order.
  return tokens.sort((one, other) => one.start - other.start);
}

function isComment({ kind }: Token): boolean {
  return kind === SyntaxKind.SingleLineCommentTrivia || kind === SyntaxKind.MultiLineCommentTrivia;
}

function isString({ kind }: Token): boolean {
  return (
    kind === SyntaxKind.StringLiteral ||
    kind === SyntaxKind.NoSubstitutionTemplateLiteral ||
    kind === SyntaxKind.TemplateExpression
  );
}

/** Whether these tokens end in `test(`, `test.skip(`, `t.test(` and the like; `pattern.test(` takes no title. */
function isTestTitle(text: string, before: readonly Token[]): boolean {
  const words = before.map(({ start, end }) => text.slice(start, end));
  if (words.pop() !== '(') return false;
  if (/^(?:skip|only|todo)$/.test(words.at(-1) ?? '') && words.at(-2) === '.') words.splice(-2);
  return titleFunctions.has(words.pop() ?? '') && (words.pop() !== '.' || words.pop() === 't');
}

/** The text between the quotes of a literal, with its expressions masked and its escapes blanked. */
function literalText(text: string, token: Token): string {
  let literal = text.slice(token.start + 1, token.end - 1);
  for (const [start, end] of token.holes ?? []) {
    const [from, to] = [start - token.start - 1, end - token.start - 1];
    literal = literal.slice(0, from) + cover(literal.slice(from, to)) + literal.slice(to);
  }
  return blankEscapes(literal);
}

function blankEscapes(literal: string): string {
  return literal.replaceAll(/\\(?:[nrt]|\n)/g, ' \n').replaceAll(/\\[^\s]/g, (escaped) => ` ${escaped.slice(1)}`);
}

const sql =
  /^\s*(?:\/\*[^*]*\*\/\s*)*(?:select|insert|update|delete|create|alter|drop|with|pragma|begin|commit|rollback|explain|set|lock|grant|merge)\s[\s\S]*?(?:\b(?:from|where|set|table|index|trigger|values|select|into|transaction|immediate|role|database|local)\b|=)/;
const sqlFragment =
  /^\s*(?:and|or|where|order by|group by|join|left join|on|on conflict|returning|union|having|limit|for update|not exists|exists|case|coalesce|values|from|set)\b[\s\S]*(?:[=?$<>(]|\bis (?:not )?null\b|\b(?:asc|desc)\b)/;

/** Whether a literal is text for people: not SQL, not a single name, not code. */
function isProse(literal: string): boolean {
  return /[a-z]{2,}[,:;]?\s|\s[a-z]{2,}/i.test(literal) && !sql.test(literal) && !sqlFragment.test(literal);
}

/** The comments. Consecutive line comments are one text, because a sentence can continue on the next line. */
function commentsOf(text: string, tokens: readonly Token[]): Prose[] {
  const prose: { kind: 'comment'; start: number; text: string }[] = [];
  let last: Token | undefined;
  for (const token of tokens) {
    if (isComment(token)) {
      const gap = last === undefined ? '' : text.slice(last.end, token.start);
      const isLine = token.kind === SyntaxKind.SingleLineCommentTrivia;
      const body = commentText(text.slice(token.start, token.end));
      const joined = prose.at(-1);
      if (joined !== undefined && isLine && last?.kind === token.kind && /^[ \t]*\r?\n[ \t]*$/.test(gap))
        joined.text += gap + body;
      else prose.push({ kind: 'comment', start: token.start, text: body });
    }
    last = token;
  }
  return prose.map((each) => ({ ...each, text: maskCode(each.text) }));
}

function commentText(comment: string): string {
  const blank = (marker: string) => ' '.repeat(marker.length);
  if (comment.startsWith('//')) return comment.replace(/^\/+/, blank);
  return comment
    .replace(/^\/\*+/, blank)
    .replace(/\*+\/$/, blank)
    .replaceAll(/^([ \t]*)\*/gm, '$1 ');
}

/** The text of a Markdown file without code blocks. Headings are separate, because a heading is not a sentence. */
export function readMarkdown(text: string): readonly Prose[] {
  const prose: Prose[] = [];
  const body = text
    .replaceAll(/^([ \t]*)(```+|~~~+)[\s\S]*?^[ \t]*\2[ \t]*$/gm, blankOut)
    .replaceAll(/<!--[\s\S]*?-->/g, blankOut)
    .replaceAll(/\]\([^)\s]*\)/g, (link) => `]${cover(link.slice(1))}`)
    .replaceAll(/^#+ .*$/gm, (heading, start: number) => {
      prose.push({ kind: 'heading', start, text: maskCode(heading) });
      return blankOut(heading);
    });
  prose.push({ kind: 'document', start: 0, text: maskCode(body) });
  return prose;
}

/** The comments and the quoted texts of a YAML file, such as the alerts. */
export function readYaml(text: string): readonly Prose[] {
  const comments = [...text.matchAll(/^[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)*/gm)].map(({ index, 0: comment }) => ({
    kind: 'comment' as const,
    start: index,
    text: maskCode(comment.replaceAll('#', ' ')),
  }));
  const strings = [...text.matchAll(/(?<=: )'([^'\n]*)'/g)]
    .filter(([, value = '']) => isProse(value))
    .map(({ index, 1: value = '' }) => ({ kind: 'string' as const, start: index + 1, text: maskCode(value) }));
  return [...comments, ...strings];
}

/** The values of a JSON file. A value without a full stop is a label or a heading. Names, and values of one word, are not prose. */
export function readJson(text: string): readonly Prose[] {
  return [...text.matchAll(/"((?:[^"\\\n]|\\.)*)"(\s*:)?/g)]
    .filter(([, value = '', isName]) => isName === undefined && isProse(value))
    .map(({ index, 1: value = '' }) => {
      const kind = /[.!?]$/.test(value) ? 'string' : 'heading';
      return { kind, start: index + 1, text: maskCode(blankEscapes(value)) };
    });
}

/** Masks code, addresses and paths. The length of the text and all offsets stay the same. */
export function maskCode(text: string): string {
  return text.replaceAll(notProse, cover);
}

function cover(text: string): string {
  return text.replaceAll(/[^\n]/g, maskCharacter);
}

function blankOut(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
