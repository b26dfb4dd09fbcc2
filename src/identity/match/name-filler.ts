/** Fillers for a name that the person does not have, in lower case: first name unknown, last name unknown, no first name. */
const fillers = new Set([
  'fnu',
  'lnu',
  'nfn',
  'nln',
  'nmn',
  'xx',
  'xxx',
  'xxxx',
  'unknown',
  'n/a',
  'f.n.u.',
  'l.n.u.',
  'no name',
  'unbekannt',
  'no given name',
  'no family name',
]);

/** Whether an office wrote the text because the person has no such name. A text without letters is one. */
export function isNameFiller(text: string): boolean {
  if (text.length > maxFillerLength) return false;
  return fillers.has(text.trim().toLowerCase()) || !/\p{L}/u.test(text);
}

const maxFillerLength = 16;
