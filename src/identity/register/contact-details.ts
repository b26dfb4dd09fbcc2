import { removeInvisible } from '../../kernel/invisible-characters.ts';
import { parseLanguageTag } from '../../kernel/language-tag.ts';
import { createPhoneParser } from '../../kernel/phone-number.ts';
import type { Register, RegisterContact } from './register.ts';

type ContactField =
  | 'citizenId'
  | 'givenName'
  | 'familyName'
  | 'email'
  | 'phone'
  | 'language'
  | keyof RegisterContact['postalAddress'];

/** The contact data of a record, as `textOf` reads its values. */
export function toContact(textOf: (field: ContactField) => string | null, deceased: boolean): RegisterContact {
  return {
    citizenId: textOf('citizenId') ?? '',
    name: [textOf('givenName'), textOf('familyName')].filter((name) => name !== null).join(' '),
    email: textOf('email'),
    phone: textOf('phone'),
    language: textOf('language'),
    deceased,
    postalAddress: {
      streetAddress: textOf('streetAddress'),
      postalCode: textOf('postalCode'),
      locality: textOf('locality'),
      country: textOf('country'),
    },
  };
}

/**
 * Reads the contact data of a citizen in the form that notifications use; undefined for an unknown id. Phone numbers without a country code
 * are numbers of `phoneCountry`. An address that cannot be parsed stays as it is, and its channel reports `address-invalid`.
 */
export function createContactDetails(register: Pick<Register, 'contactOf'>, phoneCountry: string | undefined) {
  const parsePhone = createPhoneParser(phoneCountry);
  return async (citizenId: string) => {
    const contact = await register.contactOf(citizenId);
    if (contact === undefined) return undefined;
    const { name, email, phone, language, deceased, postalAddress } = contact;
    return {
      name,
      email: email === null ? undefined : removeInvisible(email).trim(),
      phone: phone === null ? undefined : ((await parsePhone(phone)) ?? phone),
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
