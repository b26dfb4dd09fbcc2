/** The value at a JSON pointer (RFC 6901) in what a provider sent, or undefined; the empty pointer is the whole. */
export function at(value: unknown, pointer: string): unknown {
  let here = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) return undefined;
    // Any object can be asked for a member by name; what is there stays unknown.
    here = (here as Record<string, unknown>)[name];
  }
  return here;
}

/** The word at a JSON pointer: a text, a number or a mark as text, and of anything else none. */
export function wordAt(value: unknown, pointer: string): string {
  const word = at(value, pointer);
  return typeof word === 'string' || typeof word === 'number' || typeof word === 'boolean' ? String(word) : '';
}
