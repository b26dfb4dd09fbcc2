/**
 * JSON that others wrote; throws what `JSON.parse` throws. An integer that is too large for a number becomes its digits:
 * registers number persons and providers count messages in 64 bits, and rounded, the ids of two would be one.
 */
export function parseUnrounded(text: string): unknown {
  // A reviver takes many times as long, and few texts need it.
  return /\d{16}/.test(text) ? JSON.parse(text, unrounded) : JSON.parse(text);
}

function unrounded(...[, value, context]: readonly unknown[]): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  // The third argument of a reviver (ECMAScript 2026); of a number it has the text.
  const { source = '' } = context as { readonly source?: string };
  return /^-?\d+$/.test(source) ? source : value;
}
