/** The value at a JSON pointer (RFC 6901), or undefined; the empty pointer is the whole value. */
export function valueAtPointer(value: unknown, pointer: string): unknown {
  let current = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    // Any object can be indexed by name; the member stays unknown.
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

/** The string, number or boolean at a JSON pointer as text; empty for anything else. */
export function textAtPointer(value: unknown, pointer: string): string {
  const found = valueAtPointer(value, pointer);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : '';
}
