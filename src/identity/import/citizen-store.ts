import type { SqlValue, Statement } from '../../db/database.ts';
import { createMultiRowBuilder } from '../../db/multi-row-statement.ts';
import { columnOf, type StoredField } from './import-fields.ts';

/** The search key of a further family name. `present`: another spelling of the present name. */
export type OtherName = { readonly kind: 'birth' | 'former' | 'present'; readonly key: string };

/** An imported citizen. `values` are in the column order of `createCitizenStore`. */
export type ImportedCitizen = {
  readonly citizenId: string;
  readonly values: readonly SqlValue[];
  readonly otherNames: readonly OtherName[];
};

/** Returns the statements that insert or update these citizens. No id may occur twice. */
export type StoreCitizens = (citizens: readonly ImportedCitizen[]) => Statement[];

/** Creates the statements of one import. The columns are id, `fields`, their keys and imported_by; other columns keep their values. */
export function createCitizenStore(fields: readonly StoredField[]): StoreCitizens {
  const fieldColumns = fields.map(columnOf);
  const keyNames = keyColumns(fields);
  const columns = ['citizen_id', ...fieldColumns, ...keyNames, 'imported_by'];
  const updates = [...fieldColumns, ...keyNames.filter((key) => key !== 'family_key'), 'imported_by'].map(
    (column) => `${column} = excluded.${column}`,
  );
  const upsertCitizens = createMultiRowBuilder(
    `insert into citizen (${columns.join(', ')}) values`,
    columns.length,
    `on conflict (citizen_id) do update set ${[...updates, ...familyKeyUpdate(fields)].join(', ')}`,
  );
  const replaceOtherNames = createOtherNameStatements(fields);
  return (citizens) => [...upsertCitizens(citizens.map(({ values }) => values)), ...replaceOtherNames(citizens)];
}

/** The key columns that an import of these fields writes. */
function keyColumns(fields: readonly StoredField[]): string[] {
  const own = fields.flatMap((field) =>
    field === 'givenName' ? ['given_key'] : field === 'streetAddress' ? ['street_key'] : [],
  );
  return [...own, 'family_key'];
}

const kindOfField: { readonly [field in StoredField]?: OtherName['kind'] } = {
  familyName: 'present',
  birthFamilyName: 'birth',
  formerNames: 'former',
};
const insertNames = createMultiRowBuilder(
  'insert into former_name (citizen_id, kind, family_key, birth_date) values',
  4,
  'on conflict (citizen_id, kind, family_key) do nothing',
);
const updateNameDates = createMultiRowBuilder(
  `update former_name set birth_date = coalesce((select citizen.birth_date from citizen
    where citizen.citizen_id = former_name.citizen_id), '') where citizen_id in (`,
  1,
  ')',
);

/** The statements that run after those of the citizens: they replace the imported kinds of names, and update the birth dates of all names. */
function createOtherNameStatements(fields: readonly StoredField[]): StoreCitizens {
  const kinds = fields.flatMap((field) => kindOfField[field] ?? []);
  const deleteNames = createMultiRowBuilder(
    `delete from former_name where kind in ('${kinds.join("', '")}') and citizen_id in (`,
    1,
    ')',
  );
  return (citizens) => {
    const ids = citizens.map(({ citizenId }) => [citizenId]);
    const names = citizens.flatMap(({ citizenId, otherNames }) =>
      otherNames.map(({ kind, key }) => [citizenId, kind, key, '']),
    );
    return [
      ...(kinds.length === 0 ? [] : deleteNames(ids)),
      ...insertNames(names),
      ...(kinds.length === 0 && !fields.includes('birthDate') ? [] : updateNameDates(ids)),
    ];
  };
}

/** People without a family name are found by their given name. */
function familyKeyUpdate(fields: readonly string[]): string[] {
  if (fields.includes('familyName')) return ['family_key = excluded.family_key'];
  if (!fields.includes('givenName')) return [];
  return ['family_key = case when citizen.family_name is null then excluded.family_key else citizen.family_key end'];
}
