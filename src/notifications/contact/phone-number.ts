/** A number in E.164, blanks and usual signs left out, and a `(0)` that is dialled at home only; undefined for anything else. */
export function parsePhone(text: string): string | undefined {
  const number = text.replace(/^(\s*\+\d{1,3}\s*)\(0\)/, '$1').replaceAll(/[\s().\u00a0\u2011-]/g, '');
  return /^\+[1-9]\d{6,14}$/.test(number) ? number : undefined;
}
