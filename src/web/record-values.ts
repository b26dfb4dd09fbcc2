import type { OwnRecord } from '../identity/read-own-record.ts';
import { type ClaimName, claimKindOf, claimNames, splitNationalities } from '../identity/register/claims.ts';
import type { FormerAddress, FormerName } from '../identity/register/register.ts';
import { formatDateText } from '../locales/date-format.ts';
import type { CitizenTexts } from './citizen-texts.ts';
import { type Html, html } from './html.ts';

type NamedValue = readonly [name: string, value: Html];

/**
 * Shows the values as in the register, because a different spelling can be the reason for a mismatch. Only dates and the codes of
 * countries and languages become words.
 */
export function recordRows(words: CitizenTexts, record: OwnRecord): NamedValue[] {
  const { record: own, uses, language } = words;
  const named = (name: string) => name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
  const valued = (value: string | null): Html =>
    value === null ? html`${uses.findings.not_available}` : html`<bdi>${value}</bdi>`;
  const claims = claimNames.map((claim) => {
    const value = record[claim];
    return [named(uses.claims[claim]), valued(value === null ? null : readableValue(language, claim, value))] as const;
  });
  const { email, phone, language: spoken } = record;
  return [
    ...claims,
    ...record.formerNames.map((name) => [own.formerName, formerNameText(language, name)] as const),
    ...record.formerAddresses.map((address) => [own.formerAddress, formerAddressText(language, address)] as const),
    [named(own.email), valued(email)],
    [named(own.phone), valued(phone)],
    [named(own.language), valued(spoken === null ? null : displayName(language, 'language', spoken))],
  ];
}

function readableValue(language: string, claim: ClaimName, value: string): string {
  switch (claimKindOf(claim)) {
    case 'date':
      return formatDateText(language, value);
    case 'nations':
      return splitNationalities(value)
        .map((nation) => displayName(language, 'region', nation))
        .join(', ');
    default:
      return claim === 'country' ? displayName(language, 'region', value) : value;
  }
}

function formerNameText(language: string, { givenName, familyName, from, until }: FormerName): Html {
  const name = [givenName, familyName].filter((part) => part !== undefined).join(' ');
  return html`<bdi>${name}</bdi>${periodText(language, from, until)}`;
}

function formerAddressText(language: string, address: FormerAddress): Html {
  const { streetAddress, postalCode, locality, country, from, until } = address;
  const town = [postalCode, locality].filter((part) => part !== undefined).join(' ');
  const lines = [streetAddress, town, country === undefined ? '' : displayName(language, 'region', country)];
  const shown = lines.filter((line) => line !== undefined && line !== '').map((line) => html`<bdi>${line}</bdi><br />`);
  return html`${shown}${periodText(language, from, until)}`;
}

function periodText(language: string, from = '', until = ''): Html | '' {
  if (from === '' && until === '') return '';
  const [start, end] = [from, until].map((day) => formatDateText(language, day));
  return html` (<bdi>${start} – ${end}</bdi>)`;
}

/** The name of a country or language. A value that is no code stays as the import wrote it. */
function displayName(language: string, type: 'language' | 'region', code: string): string {
  try {
    return new Intl.DisplayNames(language, { type }).of(code) ?? code;
  } catch {
    return code;
  }
}
