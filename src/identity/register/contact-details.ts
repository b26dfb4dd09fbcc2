import { parseLanguageTag } from '../../kernel/language-tag.ts';
import type { Register, RegisterContact } from './register.ts';

/** How the register says that a citizen is reached, in the form that notifications use; undefined for an unknown id. */
export function createContactDetails(register: Pick<Register, 'contactOf'>) {
  return async (citizenId: string) => {
    const contact = await register.contactOf(citizenId);
    if (contact === undefined) return undefined;
    const { name, email, phone, language, deceased, postalAddress } = contact;
    return {
      name,
      email: email ?? undefined,
      phone: phone ?? undefined,
      language: language === null ? undefined : parseLanguageTag(language),
      deceased,
      postalLines: postalLinesOf(postalAddress),
    };
  };
}

/** The lines of an address; undefined without a street or a locality. */
function postalLinesOf(address: RegisterContact['postalAddress']): readonly string[] | undefined {
  const { streetAddress, postalCode, locality, country } = address;
  if (streetAddress === null || locality === null) return undefined;
  const place = postalCode === null ? locality : `${postalCode} ${locality}`;
  return [streetAddress, place, ...(country === null ? [] : [country])];
}
