/** The path in a request target (RFC 9112, section 3.2.1), as it stands there. */
export function requestPath(target = ''): string {
  return target.split('?', 1)[0] ?? '';
}

/** The query in it, behind the first question mark; empty where there is none. */
export function requestQuery(target = ''): string {
  return target.slice(requestPath(target).length + 1);
}
