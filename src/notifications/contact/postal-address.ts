import type { CitizenContact } from '../notification/contact.ts';

/** The lines for an envelope, name first; undefined when the citizen has no name or no postal address. */
export function letterAddressOf({ name, postalLines }: CitizenContact): string | undefined {
  return name === undefined || postalLines === undefined || postalLines.length === 0
    ? undefined
    : [name, ...postalLines].join('\n');
}
