/** Parses a phone number into E.164. It drops spaces, common separators and a national `(0)`; undefined when it is invalid. */
export function parsePhone(text: string): string | undefined {
  const number = text.replace(/^(\s*\+\d{1,3}\s*)\(0\)/, '$1').replaceAll(/[\s().\u00a0\u2011-]/g, '');
  return /^\+[1-9]\d{6,14}$/.test(number) ? number : undefined;
}
