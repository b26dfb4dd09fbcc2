/** A pattern for the whole output that a page shows, in which `…` means any text. White space at both ends does not count. */
export function expectedOutput(shown: string): RegExp {
  const parts = shown
    .trim()
    .split('…')
    .map((part) => RegExp.escape(part));
  return new RegExp(`^\\s*${parts.join('.+')}\\s*$`, 's');
}
