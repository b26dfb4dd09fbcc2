import type { Statement, Value } from '../store/db.ts';
import { createMultiRow } from '../store/multi-row.ts';
import type { ImportField } from './import-fields.ts';

/** The column of each field of text beside the id. */
const textColumns = {
  givenName: 'given_name',
  familyName: 'family_name',
  birthFamilyName: 'birth_family_name',
  birthDate: 'birth_date',
  birthPlace: 'birth_place',
  streetAddress: 'street_address',
  postalCode: 'postal_code',
  locality: 'locality',
  country: 'country',
  documentNumber: 'document_number',
  email: 'email',
  phone: 'phone',
  language: 'language',
} as const satisfies { readonly [field in Exclude<ImportField, 'citizenId' | 'underReview'>]: string };

export type TextField = keyof typeof textColumns;

/** The fields of text beside the id, in the order in which an import states them. */
export const textFields = Object.keys(textColumns) as readonly TextField[];

/** A citizen as imported. `values` are in the order of the columns of its import: see `createCitizenStore`. */
export type ImportedCitizen = { readonly citizenId: string; readonly values: readonly Value[] };

/** The statements that write these citizens, over what was known of them; no id may come twice. */
export type StoreCitizens = (citizens: readonly ImportedCitizen[]) => Statement[];

/**
 * Makes the store of one import. It writes the fields that the import has, in the order of `fields`, and leaves the
 * others as an earlier import set them: id, these fields, family_key, imported_by.
 */
export function createCitizenStore(fields: readonly (TextField | 'underReview')[]): StoreCitizens {
  const named = fields.map((field) => (field === 'underReview' ? 'under_review' : textColumns[field]));
  const columns = ['citizen_id', ...named, 'family_key', 'imported_by'];
  const replaced = [...named, 'imported_by'].map((column) => `${column} = excluded.${column}`);
  const rows = createMultiRow(
    `insert into citizen (${columns.join(', ')}) values`,
    columns.length,
    `on conflict (citizen_id) do update set ${[...replaced, ...replacedKey(fields)].join(', ')}`,
  );
  return (citizens) => rows(citizens.map(({ values }) => values));
}

/** A person without a family name is found by the given name. */
function replacedKey(fields: readonly string[]): string[] {
  if (fields.includes('familyName')) return ['family_key = excluded.family_key'];
  if (!fields.includes('givenName')) return [];
  return ['family_key = case when citizen.family_name is null then excluded.family_key else citizen.family_key end'];
}
