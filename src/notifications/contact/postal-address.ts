import type { CitizenContact } from '../notification/contact.ts';

/** The lines for an envelope; undefined when the citizen has no name or no postal address. */
export function letterAddressOf({ name, postalLines, nameAfterAddress }: CitizenContact): string | undefined {
  if (name === undefined || postalLines === undefined || postalLines.length === 0) return undefined;
  return (nameAfterAddress === true ? [...postalLines, name] : [name, ...postalLines]).join('\n');
}
