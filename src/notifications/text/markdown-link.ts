/** Fills the placeholders of a text, each value written by the function. */
type FillPlaceholders = (text: string, write?: (value: string) => string) => string;

/** A longer one is no link: it stays text, whole. */
const maxUrlLength = 2_000;

/** Where the URL that begins here ends: before a parenthesis without a partner, as `)` behind a link. */
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
 * What of it is the URL where it stands in a sentence: not the quotation marks around it, the punctuation behind it, or
 * what goes on behind a mark that Chinese and Japanese write without a blank.
 */
export function trimTrailingPunctuation(url: string): string {
  const end = url.search(/[\p{Pi}\p{Pf}\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/u);
  // Character by character: by a pattern that ends in $ it would take the square of the marks that stand within.
  const characters = Array.from(end < 0 ? url : url.slice(0, end));
  const last = characters.findLastIndex((character) => !/[.,;:!?*]|(?=[^\0-\x7f])\p{P}/u.test(character));
  return characters.slice(0, last + 1).join('');
}

/**
 * Where a link leads, or undefined where it may not be one. The URL is parsed as it was written, and its values are
 * filled into the parts: what comes out has to be the same URL but for them, with no segment of its path gone or turned
 * into a step up (test/attacks/template-links.test.ts).
 */
export function safeHrefOf(target: string, fill: FillPlaceholders): string | undefined {
  if (target.length > maxUrlLength || !URL.canParse(target)) return undefined;
  const { protocol, username, password, host, origin, pathname, search, hash } = new URL(target);
  // A name before an @ looks like the host, and is none; a host with a placeholder would be the value's.
  if (protocol !== 'https:' || username !== '' || password !== '' || /[()]/.test(host)) return undefined;
  if (pathname.split('/').some((segment) => !staysInPath(segment, fill(segment)))) return undefined;
  const filled = `${origin}${fill(pathname + search + hash, encodeUrlValue)}`;
  return URL.canParse(filled) && new URL(filled).href === filled ? filled : undefined;
}

/** Servers decode a segment before they look at it, some of them twice, and walk up where it then says so. */
function staysInPath(segment: string, filled: string): boolean {
  if (filled === segment) return true;
  const steps = filled.replaceAll(/%(?:25)*2e/gi, '.').split(/[/\\]|%(?:25)*(?:2f|5c)/i);
  return filled !== '' && !steps.some((step) => step === '.' || step === '..');
}

/** A value as it may stand in a URL: everything encoded but letters, digits and `-_.~` (RFC 3986, section 2.3). */
export function encodeUrlValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
