import type { SqlValue, Statement } from '../../db/database.ts';
import { createMultiRowBuilder } from '../../db/multi-row-statement.ts';
import type { FormerField, ImportField, RecordFlag } from './import-fields.ts';

/** The columns of text fields without the id. */
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
  nationality: 'nationality',
  email: 'email',
  phone: 'phone',
  language: 'language',
} as const satisfies { readonly [field in Exclude<ImportField, 'citizenId' | RecordFlag | FormerField>]: string };

/** A text field other than the id. */
export type TextField = keyof typeof textColumns;

/** All text fields without the id, in the order of the statements of an import. */
export const textFields = Object.keys(textColumns) as readonly TextField[];

/** A field that an import may set besides the id. */
export type StoredField = TextField | RecordFlag | FormerField;

const otherColumns = {
  formerNames: 'former_names',
  formerAddresses: 'former_addresses',
  underReview: 'under_review',
  locked: 'locked',
  deceased: 'deceased',
} as const satisfies { readonly [field in RecordFlag | FormerField]: string };

/** An imported citizen. `values` are in the column order of `createCitizenStore`. */
export type ImportedCitizen = {
  readonly citizenId: string;
  readonly values: readonly SqlValue[];
  /** Search keys of former family names. */
  readonly formerKeys: readonly string[];
  readonly birthKeys: readonly string[];
  /** Further search keys of the present family name, if it has several spellings. */
  readonly otherKeys: readonly string[];
};

/**
 * The statements that insert or update these citizens. No id may occur twice. `repeated` contains at least those ids that occurred in an
 * earlier row of this import.
 */
export type StoreCitizens = (citizens: readonly ImportedCitizen[], repeated: ReadonlySet<string>) => Statement[];

/**
 * Creates the statements of one import. The columns are id, `fields`, their keys and imported_by; other columns keep their values.
 * `hasFormerNames`: whether the table former_name has any row.
 */
export function createCitizenStore(fields: readonly StoredField[], hasFormerNames: boolean): StoreCitizens {
  const columnOf: Readonly<Record<StoredField, string>> = { ...textColumns, ...otherColumns };
  const fieldColumns = fields.map((field) => columnOf[field]);
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
  const formerNames = createFormerNameStatements(fields, hasFormerNames);
  return (citizens, repeated) => [
    ...upsertCitizens(citizens.map(({ values }) => values)),
    ...formerNames(citizens, repeated),
  ];
}

/** The key columns that an import of these fields writes. */
function keyColumns(fields: readonly StoredField[]): string[] {
  const own = fields.flatMap((field) =>
    field === 'givenName' ? ['given_key'] : field === 'streetAddress' ? ['street_key'] : [],
  );
  return [...own, 'family_key'];
}

const deleteOtherKeys = createMultiRowBuilder(
  "delete from former_name where kind = 'today' and citizen_id in (",
  1,
  ')',
);
const deleteBirthNames = createMultiRowBuilder(
  "delete from former_name where kind = 'birth' and citizen_id in (",
  1,
  ')',
);
const deleteFormerNames = createMultiRowBuilder(
  "delete from former_name where kind = 'former' and citizen_id in (",
  1,
  ')',
);
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

/**
 * The statements that update `former_name` after the citizens: its names if the import has any, and the birth dates in it, which any import
 * of dates may change.
 */
function createFormerNameStatements(fields: readonly StoredField[], hasFormerNames: boolean): StoreCitizens {
  const hasBirthNames = fields.includes('birthFamilyName');
  const setsFormerNames = fields.includes('formerNames');
  const hasFamilyNames = fields.includes('familyName');
  const hasBirthDates = fields.includes('birthDate');
  return (citizens, repeated) => {
    const ids =
      hasBirthNames || setsFormerNames || hasBirthDates || hasFamilyNames
        ? citizens.map(({ citizenId }) => [citizenId])
        : [];
    // If the table was empty, only an earlier row of this import can have added names.
    const idsWithNames = hasFormerNames ? ids : ids.filter(([citizenId = '']) => repeated.has(citizenId));
    const rows = citizens.flatMap(({ citizenId, birthKeys, formerKeys, otherKeys }) => [
      ...birthKeys.map((key) => [citizenId, 'birth', key, '']),
      ...[...new Set(formerKeys)].map((key) => [citizenId, 'former', key, '']),
      ...(hasFamilyNames ? otherKeys : []).map((key) => [citizenId, 'today', key, '']),
    ]);
    const namedIds = [...new Set(rows.map(([citizenId = '']) => citizenId))].map((citizenId) => [citizenId]);
    return [
      ...(hasFamilyNames ? deleteOtherKeys(idsWithNames) : []),
      ...(hasBirthNames ? deleteBirthNames(ids) : []),
      ...(setsFormerNames ? deleteFormerNames(ids) : []),
      ...insertNames(rows),
      ...updateNameDates(!hasBirthDates ? namedIds : hasFormerNames ? ids : distinct([...idsWithNames, ...namedIds])),
    ];
  };
}

function distinct(ids: readonly (readonly string[])[]): string[][] {
  return [...new Set(ids.map(([id = '']) => id))].map((id) => [id]);
}

/** People without a family name are found by their given name. */
function familyKeyUpdate(fields: readonly string[]): string[] {
  if (fields.includes('familyName')) return ['family_key = excluded.family_key'];
  if (!fields.includes('givenName')) return [];
  return ['family_key = case when citizen.family_name is null then excluded.family_key else citizen.family_key end'];
}
