/** As many of the widest letters fit above an address. */
const maxLength = 120;
const maxLines = 6;

/** What an address to return letters to has to be, in words. */
export const returnAddressRequirement = `1 to ${maxLines} lines with commas between them, at most ${maxLength} characters`;

/**
 * The lines of an address that letters come back to, of the setting or of a client, as they are printed; undefined where it is
 * none.
 */
export function parseReturnAddress(text: string): readonly string[] | undefined {
  const lines = text.split(',').map((line) => line.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim());
  return text.length > maxLength || lines.length > maxLines || lines.includes('') ? undefined : lines;
}
