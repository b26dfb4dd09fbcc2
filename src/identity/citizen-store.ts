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

/** A citizen as imported; `texts` are the values of `textFields`. */
export type ImportedCitizen = {
  readonly citizenId: string;
  readonly texts: readonly (string | null)[];
  readonly underReview: boolean;
  readonly familyKey: string;
};

/** The statements that write these citizens, over what was known of them; no id may come twice. */
export function storeCitizens(citizens: readonly ImportedCitizen[], importId: string): Statement[] {
  return upsert(
    citizens.map(({ citizenId, texts, underReview, familyKey }): Value[] => {
      return [citizenId, ...texts, underReview, familyKey, importId];
    }),
  );
}
