/** The path of a request target (RFC 9112, section 3.2.1), still percent-encoded. */
export function requestPath(target = ''): string {
  return target.split('?', 1)[0] ?? '';
}

/** The query of a request target, without the question mark; empty if there is none. */
export function requestQuery(target = ''): string {
  return target.slice(requestPath(target).length + 1);
}
