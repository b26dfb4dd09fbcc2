/** Fills the placeholders of a text; `write` encodes each value. */
type FillPlaceholders = (text: string, write?: (value: string) => string) => string;

/** A longer URL is not a link: it stays text. */
const maxUrlLength = 2_000;

/** The end of the URL that starts at `from`: before an unmatched parenthesis, such as the `)` after a link. */
export function findUrlEnd(line: string, from: number): number {
  const run = /[^\s<>"'[\]]*/y;
  run.lastIndex = from;
  const characters = run.exec(line)?.[0] ?? '';
  if (characters.length > maxUrlLength) return from + characters.length;
  let depth = 0;
  let end = 0;
  for (let at = 0; at < characters.length && depth >= 0; at += 1) {
    if (characters[at] === '(') depth += 1;
    else if (characters[at] === ')') depth -= 1;
    if (depth === 0) end = at + 1;
  }
  return from + end;
}

/**
 * Removes what follows a URL in a sentence: closing quotation marks, punctuation, and text after a Chinese or Japanese mark, which is
 * written without a space.
 */
export function trimTrailingPunctuation(url: string): string {
  const end = url.search(/[\p{Pi}\p{Pf}\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/u);
  // By characters: a pattern that ends in $ would take quadratic time for a URL with many punctuation marks.
  const characters = Array.from(end < 0 ? url : url.slice(0, end));
  const last = characters.findLastIndex((character) => !/[.,;:!?*]|(?=[^\0-\x7f])\p{P}/u.test(character));
  return characters.slice(0, last + 1).join('');
}

/**
 * The href of a link; undefined when it is not allowed. The URL is parsed before its values are filled into its parts. The values must not
 * change its structure: no path segment may disappear or become `..` (test/attacks/template-links.test.ts).
 */
export function safeHrefOf(target: string, fill: FillPlaceholders): string | undefined {
  if (target.length > maxUrlLength || !URL.canParse(target)) return undefined;
  const { protocol, username, password, host, origin, pathname, search, hash } = new URL(target);
  // A user name before an @ looks like the host. A placeholder in the host would let a value choose the host.
  if (protocol !== 'https:' || username !== '' || password !== '' || /[()]/.test(host)) return undefined;
  if (pathname.split('/').some((segment) => !staysInPath(segment, fill(segment)))) return undefined;
  const filled = `${origin}${fill(pathname + search + hash, encodeUrlValue)}`;
  return URL.canParse(filled) && new URL(filled).href === filled ? filled : undefined;
}

/** Servers decode a path segment before they resolve `..`, and some decode it twice. */
function staysInPath(segment: string, filled: string): boolean {
  if (filled === segment) return true;
  const decodedSegments = filled.replaceAll(/%(?:25)*2e/gi, '.').split(/[/\\]|%(?:25)*(?:2f|5c)/i);
  return filled !== '' && !decodedSegments.some((one) => one === '.' || one === '..');
}

/** Encodes a value for a URL: everything except letters, digits and `-_.~` (RFC 3986, section 2.3). */
export function encodeUrlValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
