import anyAscii from 'any-ascii';

/** The spelling of a text of any script in the characters of ASCII. A character without a spelling is omitted. */
export function latinSpelling(text: string): string {
  return anyAscii(text);
}
