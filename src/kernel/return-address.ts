/** This many of the widest letters fit above the address of a letter. */
const maxLength = 120;
const maxLines = 6;

/** Describes the texts that `parseReturnAddress` accepts, for the message of a refusal. */
export const returnAddressRequirement = `1 to ${maxLines} lines with commas between them, at most ${maxLength} characters`;

/** The lines of a return address, from the setting or of a client, as they are printed; undefined if the text is not valid. */
export function parseReturnAddress(text: string): readonly string[] | undefined {
  const lines = text.split(',').map((line) => line.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim());
  return text.length > maxLength || lines.length > maxLines || lines.includes('') ? undefined : lines;
}
