/** A text of a catalogue that does not follow the format, or that was formatted without one of its values. */
class MessageFormatError extends Error {
  override readonly name = 'MessageFormatError';
}

type Placeholder = {
  readonly name: string;
  readonly cases?: ReadonlyMap<string, string>;
};

const pluralCase = /\s*(=\d+|zero|one|two|few|many|other)\s*\{/y;

/**
 * Fills in the placeholders of a text in the syntax of ICU MessageFormat. Of ICU, it has `{name}` and
 * `{name, plural, =1 {…} one {…} other {…}}`, without `#` and without quoting: a package for all of ICU needs a parser of
 * thousands of lines. Values are inserted unchanged, so a page must escape the result.
 */
export function formatMessage(
  language: string,
  message: string,
  values: Readonly<Record<string, string | number>>,
): string {
  return parseMessage(message)
    .map((part) => {
      if (typeof part === 'string') return part;
      const value = values[part.name];
      if (value === undefined) throw new MessageFormatError(`no value for the placeholder {${part.name}}`);
      if (part.cases === undefined) return String(value);
      const { cases } = part;
      const category = new Intl.PluralRules(language).select(Number(value));
      return formatMessage(language, cases.get(`=${value}`) ?? cases.get(category) ?? cases.get('other') ?? '', values);
    })
    .join('');
}

/** The names of the placeholders of a text, sorted. Throws when the text does not follow the format. */
export function placeholdersOf(message: string): string[] {
  const names = parseMessage(message).flatMap((part) =>
    typeof part === 'string' ? [] : [part.name, ...[...(part.cases?.values() ?? [])].flatMap(placeholdersOf)],
  );
  return [...new Set(names)].sort();
}

function parseMessage(message: string): (string | Placeholder)[] {
  const parts: (string | Placeholder)[] = [];
  let at = 0;
  for (let open = message.indexOf('{'); open !== -1; open = message.indexOf('{', at)) {
    const close = closingBrace(message, open);
    parts.push(message.slice(at, open), parsePlaceholder(message.slice(open + 1, close)));
    at = close + 1;
  }
  const rest = message.slice(at);
  if (rest.includes('}')) throw new MessageFormatError(`a "}" without its "{": ${message}`);
  return [...parts, rest];
}

function parsePlaceholder(text: string): Placeholder {
  const [, name = '', plural] = /^(\w+)(?:, plural,(.*))?$/s.exec(text) ?? [];
  if (name === '') throw new MessageFormatError(`expected {name} or {name, plural, …}, received {${text}}`);
  if (plural === undefined) return { name };
  const cases = new Map<string, string>();
  for (let at = 0; at < plural.trimEnd().length; ) {
    pluralCase.lastIndex = at;
    const selector = pluralCase.exec(plural)?.[1];
    if (selector === undefined) throw new MessageFormatError(`expected a case such as one {…}: {${text}}`);
    const open = pluralCase.lastIndex - 1;
    const close = closingBrace(plural, open);
    cases.set(selector, plural.slice(open + 1, close));
    at = close + 1;
  }
  if (!cases.has('other')) throw new MessageFormatError(`a plural needs the case other: {${text}}`);
  return { name, cases };
}

function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  throw new MessageFormatError(`a "{" without its "}": ${text}`);
}
