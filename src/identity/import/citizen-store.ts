import type { SqlValue, Statement } from '../../db/database.ts';
import { createMultiRowBuilder } from '../../db/multi-row-statement.ts';
import type { FormerField, ImportField, RecordFlag } from './import-fields.ts';

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
  nationality: 'nationality',
  email: 'email',
  phone: 'phone',
  language: 'language',
} as const satisfies { readonly [field in Exclude<ImportField, 'citizenId' | RecordFlag | FormerField>]: string };

export type TextField = keyof typeof textColumns;

/** The fields of text beside the id, in the order in which an import states them. */
export const textFields = Object.keys(textColumns) as readonly TextField[];

/** Whatever an import may set beside the id. */
export type StoredField = TextField | RecordFlag | FormerField;

const otherColumns = {
  formerNames: 'former_names',
  formerAddresses: 'former_addresses',
  underReview: 'under_review',
  locked: 'locked',
  deceased: 'deceased',
} as const satisfies { readonly [field in RecordFlag | FormerField]: string };

/** A citizen as imported. `values` are in the order of the columns of its import: see `createCitizenStore`. */
export type ImportedCitizen = {
  readonly citizenId: string;
  readonly values: readonly SqlValue[];
  /** Keys of former family names, and of that at birth, for searches. */
  readonly formerKeys: readonly string[];
  readonly birthKeys: readonly string[];
  /** Further keys of today's name, where it is spelled in several ways. */
  readonly otherKeys: readonly string[];
};

/**
 * The statements that write these citizens, over what was known of them; no id may come twice. `repeated` has at least those of
 * their ids that an earlier row of this import had.
 */
export type StoreCitizens = (citizens: readonly ImportedCitizen[], repeated: ReadonlySet<string>) => Statement[];

/**
 * Makes the store of one import. It writes the fields that the import has, in the order of `fields`, and leaves the
 * others as an earlier import set them: id, these fields, their keys, imported_by. `anyNames`: whether other names are kept
 * of anybody so far.
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

/** The columns of keys that an import of these fields writes. */
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
 * The statements behind those of the citizens that keep `former_name` in step: names anew where the import has them, and
 * the date of those who have names, which any import of dates may change.
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
    // Where nobody had names, those may have some whom an earlier row of this very import gave them.
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

/** A person without a family name is found by the given name. */
function familyKeyUpdate(fields: readonly string[]): string[] {
  if (fields.includes('familyName')) return ['family_key = excluded.family_key'];
  if (!fields.includes('givenName')) return [];
  return ['family_key = case when citizen.family_name is null then excluded.family_key else citizen.family_key end'];
}
