/** A line and a column of a text, both from 1. The column counts characters, not bytes. */
type TextPosition = { readonly line: number; readonly column: number };

/**
 * Where a text stops being JSON (RFC 8259); undefined for JSON. `JSON.parse` names a position in some of its messages only, and
 * quotes the text in them, which can be personal data. A text that ends too early stops at its end, an invalid string at its
 * first quotation mark.
 */
export function locateJsonFault(text: string): TextPosition | undefined {
  const at = indexOfFault(text);
  if (at === undefined) return undefined;
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

/** The tokens that can follow. The states with `-or-end` also allow the end of the innermost list or object. */
type Expected = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'comma-or-end' | 'nothing';

const space = /[ \t\n\r]*/y;
const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Without recursion, because a body can be nested deeper than the stack. */
function indexOfFault(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = endOf(space, text, 0) ?? 0;
  while (at < text.length) {
    const char = text.charAt(at);
    const isValue: boolean = expected === 'value' || expected === 'value-or-end';
    let end: number | undefined = at + 1;
    if (isValue && (char === '{' || char === '[')) {
      open.push(char);
      expected = char === '{' ? 'name-or-end' : 'value-or-end';
    } else if (isValue && char !== ']') {
      end = endOf(char === '"' ? string : scalar, text, at);
      expected = open.length === 0 ? 'nothing' : 'comma-or-end';
    } else if ((expected === 'name' || expected === 'name-or-end') && char === '"') {
      end = endOf(string, text, at);
      expected = 'colon';
    } else if (expected === 'colon' && char === ':') expected = 'value';
    else if (expected === 'comma-or-end' && char === ',') expected = open.at(-1) === '{' ? 'name' : 'value';
    else if (expected.endsWith('-or-end') && char === (open.at(-1) === '{' ? '}' : ']')) {
      open.pop();
      expected = open.length === 0 ? 'nothing' : 'comma-or-end';
    } else return at;
    if (end === undefined) return at;
    at = endOf(space, text, end) ?? end;
  }
  return expected === 'nothing' ? undefined : at;
}
