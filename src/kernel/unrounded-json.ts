/** So many digits a number keeps, whatever they are. */
const digitsKept = 15;
/** No id has more digits; an exponent could ask for any number of them. */
const mostDigits = 1_000;

/**
 * JSON that others wrote; throws what `JSON.parse` throws. A number with too many digits for one becomes a text: a whole
 * one its digits, however it is written, any other what was written. Registers number persons and providers count
 * messages in 64 bits, and rounded, the ids of two would be one.
 */
export function parseUnrounded(text: string): unknown {
  // A reviver takes many times as long, and few texts need it.
  return /\d[\d.]{15}/.test(text) ? JSON.parse(text, unrounded) : JSON.parse(text);
}

function unrounded(...[, value, context]: readonly unknown[]): unknown {
  if (typeof value !== 'number') return value;
  // The third argument of a reviver (ECMAScript 2026); of a number it has the text.
  const { source = '' } = context as { readonly source?: string };
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source) ?? [];
  const digits = `${whole}${part}`;
  if (digits.length <= digitsKept || String(value) === source) return value;
  const point = whole.length + Number(exponent);
  if (point < 0 || point > mostDigits || /[1-9]/.test(digits.slice(point))) return source;
  return `${sign}${BigInt(digits.slice(0, point).padEnd(point, '0'))}`;
}
