import type { Statement, Value } from '../store/db.ts';
import { createMultiRow } from '../store/multi-row.ts';
import type { ImportField } from './import-fields.ts';

/** The columns that an import fills, each with the field that it holds. */
const fieldColumns = [
  ['given_name', 'givenName'],
  ['family_name', 'familyName'],
  ['birth_family_name', 'birthFamilyName'],
  ['birth_date', 'birthDate'],
  ['birth_place', 'birthPlace'],
  ['street_address', 'streetAddress'],
  ['postal_code', 'postalCode'],
  ['locality', 'locality'],
  ['country', 'country'],
  ['document_number', 'documentNumber'],
  ['email', 'email'],
  ['phone', 'phone'],
  ['language', 'language'],
] as const satisfies readonly (readonly [string, ImportField])[];

/** The fields of text beside the id, in the order of the columns. */
export const textFields = fieldColumns.map(([, field]) => field);

const columns = [...fieldColumns.map(([column]) => column), 'under_review', 'family_key', 'imported_by'];

const upsert = createMultiRow(
  `insert into citizen (citizen_id, ${columns.join(', ')}) values`,
  columns.length + 1,
  `on conflict (citizen_id) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
);

/** A citizen as imported: the id, and the values of all columns, the id first. */
export type ImportedCitizen = { readonly citizenId: string; readonly values: readonly Value[] };

/** The values in the order of the columns; `texts` are those of `textFields`. */
export function citizenValues(
  citizenId: string,
  texts: readonly (string | null)[],
  rest: { readonly underReview: boolean; readonly familyKey: string; readonly importId: string },
): readonly Value[] {
  return [citizenId, ...texts, rest.underReview, rest.familyKey, rest.importId];
}

/** The statements that write these citizens, over what was known of them; no id may come twice. */
export function storeCitizens(citizens: readonly ImportedCitizen[]): Statement[] {
  return upsert(citizens.map(({ values }) => values));
}
