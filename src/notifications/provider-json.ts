/**
 * What a provider wrote as JSON; undefined where it is none. An integer that is too large for a number becomes its digits,
 * since providers count messages in 64 bits: rounded, the ids of two messages would be one.
 */
export function parseProviderJson(text: string): unknown {
  try {
    // A reviver takes many times as long, and few bodies need it.
    return /\d{16}/.test(text) ? JSON.parse(text, unrounded) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unrounded(...[, value, context]: readonly unknown[]): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  // The third argument of a reviver (ECMAScript 2026); of a number it has the text.
  const { source = '' } = context as { readonly source?: string };
  return /^-?\d+$/.test(source) ? source : value;
}
