import { Type } from 'typebox';
import { Check } from 'typebox/schema';
import { isObject } from '../../kernel/is-object.ts';
import { type ClaimName, claimNames, oidcName } from '../register/claims.ts';

/** A field that a column can be imported into. */
export type ImportField = ClaimName | 'email' | 'phone' | 'language' | RecordFlag | FormerField;

/** Boolean fields of a record. */
export const recordFlags = ['underReview', 'locked', 'deceased'] as const;
/** One of `recordFlags`. */
export type RecordFlag = (typeof recordFlags)[number];

/** Lists of former values as JSON: see former-values.ts. */
export const formerFields = ['formerNames', 'formerAddresses'] as const;
/** One of `formerFields`. */
export type FormerField = (typeof formerFields)[number];

/** A text field other than the id. */
export type TextField = Exclude<ImportField, 'citizenId' | RecordFlag | FormerField>;

/** All text fields without the id, in the order of the statements of an import. */
export const textFields: readonly TextField[] = [
  ...claimNames.filter((name) => name !== 'citizenId'),
  'email',
  'phone',
  'language',
];

/** A field that an import may set besides the id. */
export type StoredField = TextField | RecordFlag | FormerField;

/** All fields, in the order in which messages list them. */
export const importFields: readonly ImportField[] = ['citizenId', ...textFields, ...recordFlags, ...formerFields];

/** The column of the table `citizen` that stores this field. */
export function columnOf(field: ImportField): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The columns of a field, joined with a blank, and the format of a date. */
type ColumnSource = { readonly columns: readonly string[]; readonly dateFormat?: string };

/** The source of each imported field. */
export type ColumnMapping = { readonly [field in ImportField]?: ColumnSource };

/** The mapping cannot be used. The message is for the person who wrote it. */
export class MappingFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MappingFault';
  }
}

/**
 * Reads a mapping from a JSON file: `"familyName": "surname"`, `"streetAddress": ["street_number",
 * "address_1"]`, `"birthDate": {"column": "date_of_birth", "format": "DD.MM.YYYY"}`.
 */
export function parseMapping(value: unknown): ColumnMapping {
  if (!isObject(value))
    throw new MappingFault('expected a JSON object such as {"citizenId": "id", "familyName": "surname"}');
  const mapping: { [field in ImportField]?: ColumnSource } = {};
  for (const [name, source] of Object.entries(value)) {
    const field = importFields.find((candidate) => candidate === name);
    if (field === undefined) {
      throw new MappingFault(`unknown field ${name}; the fields are ${importFields.join(', ')}`);
    }
    mapping[field] = parseSource(name, source);
  }
  return requireId(mapping);
}

const columnSource = Type.Union([
  Type.String({ minLength: 1 }),
  Type.Array(Type.String(), { minItems: 1 }),
  Type.Object({ column: Type.String(), format: Type.Optional(Type.String()) }),
]);

function parseSource(field: string, source: unknown): ColumnSource {
  if (!Check(columnSource, source))
    throw new MappingFault(
      `${field}: expected a column name, a list of column names, or {"column": …, "format": "DD.MM.YYYY"}`,
    );
  if (typeof source === 'string') return { columns: [source] };
  if (Array.isArray(source)) return { columns: source };
  const { column, format } = source;
  return { columns: [column], ...(format === undefined ? {} : { dateFormat: requireDateFormat(field, format) }) };
}

/** Reads a mapping from the command line: `citizenId=rec_id,streetAddress=no+street,birthDate=dob:YYYYMMDD`. */
export function parseInlineMapping(text: string): ColumnMapping {
  const members = new Map<string, unknown>();
  for (const pair of text.split(',')) {
    const [, name, columns, format] = /^\s*(\w+)\s*=\s*([^:]+?)\s*(?::\s*(\S+)\s*)?$/.exec(pair) ?? [];
    if (name === undefined || columns === undefined) {
      throw new MappingFault('expected name=column,name=column; several columns are joined with +');
    }
    if (members.has(name)) throw new MappingFault(`${name} is mapped twice`);
    const source =
      format === undefined ? columns.split('+').map((column) => column.trim()) : { column: columns, format };
    members.set(name, source);
  }
  return parseMapping(Object.fromEntries(members));
}

function requireDateFormat(field: string, format: string): string {
  if (field !== 'birthDate') throw new MappingFault(`${field} cannot have a format; only birthDate can`);
  const once = (part: string) => format.split(part).length === 2;
  if (!['YYYY', 'MM', 'DD'].every(once))
    throw new MappingFault('expected a date format with YYYY, MM and DD once each');
  return format;
}

function requireId(mapping: ColumnMapping): ColumnMapping {
  if (mapping.citizenId !== undefined) return mapping;
  throw new MappingFault('the mapping has no column for citizenId');
}

/** Usual names of columns: a file with these names needs no mapping. */
const customaryColumns: Readonly<Record<string, readonly string[]>> = {
  citizenId: ['id', 'personid', 'recid', 'nationalid', 'uniqueid'],
  givenName: ['firstname', 'givennames', 'forename', 'forenames'],
  familyName: ['surname', 'lastname'],
  birthFamilyName: ['birthname', 'maidenname'],
  birthDate: ['dateofbirth', 'dob', 'birthdate'],
  birthPlace: ['placeofbirth'],
  streetAddress: ['street', 'address', 'address1'],
  postalCode: ['postcode', 'zip', 'zipcode'],
  locality: ['suburb', 'city', 'town'],
  documentNumber: ['socsecid', 'ssn', 'passportnumber', 'idnumber'],
  nationality: ['nationalities', 'citizenship'],
  email: ['mail', 'emailaddress'],
  phone: ['phonenumber', 'mobile', 'telephone'],
};

/** The mapping for columns named like our fields, like claims of OpenID Connect, or with a usual name. */
export function inferMapping(header: readonly string[]): ColumnMapping {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const columns = new Map(header.map((column) => [plain(column), column]));
  const mapping: { [field in ImportField]?: ColumnSource } = {};
  for (const field of importFields) {
    const claim = claimNames.find((name) => name === field);
    const names = [
      plain(field),
      ...(claim === undefined ? [] : [plain(oidcName(claim))]),
      ...(customaryColumns[field] ?? []),
    ];
    const found = names.map((name) => columns.get(name)).find((column) => column !== undefined);
    if (found !== undefined) mapping[field] = { columns: [found] };
  }
  if (mapping.citizenId === undefined)
    throw new MappingFault('no column has a usual name for citizenId; name its column in the mapping');
  const number = columns.get('streetnumber') ?? columns.get('housenumber');
  const street = mapping.streetAddress;
  if (number !== undefined && street !== undefined) mapping.streetAddress = { columns: [number, ...street.columns] };
  return mapping;
}
