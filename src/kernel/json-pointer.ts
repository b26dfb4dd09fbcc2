/** The value at a JSON pointer (RFC 6901) in what a provider sent, or undefined; the empty pointer is the whole. */
export function valueAtPointer(value: unknown, pointer: string): unknown {
  let current = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    // Any object can be asked for a member by name; what is there stays unknown.
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

/** The word at a JSON pointer: a text, a number or a mark as text, and of anything else none. */
export function textAtPointer(value: unknown, pointer: string): string {
  const found = valueAtPointer(value, pointer);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : '';
}
