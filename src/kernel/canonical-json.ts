import canonicalize from 'canonicalize';

/** The values that canonical JSON can hold; numbers must be finite, strings well formed. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };

class NotJsonError extends Error {
  constructor(value: unknown) {
    super(`canonical JSON has no form for a value of type ${typeof value}`);
    this.name = 'NotJsonError';
  }
}

/** The canonical JSON text of a value (RFC 8785). Throws for a number that is not finite and for a lone surrogate. */
export function canonicalJson(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new NotJsonError(value);
  return text;
}
