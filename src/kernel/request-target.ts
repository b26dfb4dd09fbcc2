/** The path in a request target (RFC 9112, section 3.2.1), as it stands there. */
export function pathOf(target = ''): string {
  return target.split('?', 1)[0] ?? '';
}

/** The query in it, behind the first question mark; empty where there is none. */
export function queryOf(target = ''): string {
  return target.slice(pathOf(target).length + 1);
}
