/** A JavaScript number represents all numbers of 15 digits exactly. */
const exactDigits = 15;
/** No id has more digits, and an exponent such as 1e999999 could request any number of them. */
const maxDigits = 1_000;

/**
 * Parses JSON of other systems, and throws what `JSON.parse` throws. A number with more digits than JavaScript represents
 * becomes a string: an integer with all its digits, any other number as written. Registers number people with 64-bit integers,
 * and rounding would merge two ids.
 */
export function parseJsonLossless(text: string): unknown {
  // A reviver is slow, and few texts need it.
  return /\d[\d.]{15}/.test(text) ? JSON.parse(text, toLosslessNumber) : JSON.parse(text);
}

function toLosslessNumber(...[, value, context]: readonly unknown[]): unknown {
  if (typeof value !== 'number') return value;
  // The third argument of a reviver (ECMAScript 2026) has the source text of a number.
  const { source = '' } = context as { readonly source?: string };
  const [, sign = '', integerPart = '', fractionPart = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source) ?? [];
  const digits = `${integerPart}${fractionPart}`;
  if (digits.length <= exactDigits || String(value) === source) return value;
  const pointIndex = integerPart.length + Number(exponent);
  if (pointIndex < 0 || pointIndex > maxDigits || /[1-9]/.test(digits.slice(pointIndex))) return source;
  return `${sign}${BigInt(digits.slice(0, pointIndex).padEnd(pointIndex, '0'))}`;
}
