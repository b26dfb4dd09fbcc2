/** So many digits a number keeps, whatever they are. */
const exactDigits = 15;
/** No id has more digits; an exponent could ask for any number of them. */
const maxDigits = 1_000;

/**
 * JSON that others wrote; throws what `JSON.parse` throws. A number with too many digits for one becomes a text: a whole
 * one its digits, however it is written, any other what was written. Registers number persons and providers count
 * messages in 64 bits, and rounded, the ids of two would be one.
 */
export function parseJsonLossless(text: string): unknown {
  // A reviver takes many times as long, and few texts need it.
  return /\d[\d.]{15}/.test(text) ? JSON.parse(text, reviveLosslessNumber) : JSON.parse(text);
}

function reviveLosslessNumber(...[, value, context]: readonly unknown[]): unknown {
  if (typeof value !== 'number') return value;
  // The third argument of a reviver (ECMAScript 2026); of a number it has the text.
  const { source = '' } = context as { readonly source?: string };
  const [, sign = '', integerPart = '', fractionPart = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source) ?? [];
  const digits = `${integerPart}${fractionPart}`;
  if (digits.length <= exactDigits || String(value) === source) return value;
  const pointIndex = integerPart.length + Number(exponent);
  if (pointIndex < 0 || pointIndex > maxDigits || /[1-9]/.test(digits.slice(pointIndex))) return source;
  return `${sign}${BigInt(digits.slice(0, pointIndex).padEnd(pointIndex, '0'))}`;
}
