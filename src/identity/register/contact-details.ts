import { removeInvisible } from '../../kernel/invisible-characters.ts';
import { parseLanguageTag } from '../../kernel/language-tag.ts';
import { createPhoneParser } from '../../kernel/phone-number.ts';
import type { PostalLines } from './postal-lines.ts';
import type { Register, RegisterContact } from './register.ts';

/** The settings for contact data: the country of phone numbers without a country code, and the country that sends letters. */
type ContactCountries = { readonly phoneCountry: string | undefined; readonly registerCountry: string | undefined };

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
export function createContactDetails(
  register: Pick<Register, 'contactOf'>,
  { phoneCountry, registerCountry }: ContactCountries,
) {
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
      ...(await linesOf(postalAddress, registerCountry)),
    };
  };
}

/** The rules of countries are loaded with the first postal address. */
async function linesOf(
  address: RegisterContact['postalAddress'],
  home: string | undefined,
): Promise<Partial<PostalLines>> {
  if (address.streetAddress === null) return {};
  const { postalLinesOf } = await import('./postal-lines.ts');
  return postalLinesOf(address, home) ?? {};
}
