import { type ClaimName, claimNames, oidcName } from '../register/claims.ts';

/** What a column of an import can be: a claim, a way to reach the citizen, or a mark. */
export type ImportField = ClaimName | 'email' | 'phone' | 'language' | RecordFlag | FormerField;

/** What a record is marked with: true, t, yes, y or 1. */
export const recordFlags = ['underReview', 'locked', 'deceased'] as const;
export type RecordFlag = (typeof recordFlags)[number];

/** Lists of former values with their dates, as JSON: see `import-former.ts`. */
export const formerFields = ['formerNames', 'formerAddresses'] as const;
export type FormerField = (typeof formerFields)[number];

export const importFields: readonly ImportField[] = [
  ...claimNames,
  'email',
  'phone',
  'language',
  ...recordFlags,
  ...formerFields,
];

/** Where a field comes from: columns joined with a blank, and the form of a date. */
export type ColumnSource = { readonly columns: readonly string[]; readonly dateFormat?: string };

/** Which column becomes which field. */
export type ColumnMapping = { readonly [field in ImportField]?: ColumnSource };

/** A mapping that cannot be used, said to the person who wrote it. */
export class MappingFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MappingFault';
  }
}

/**
 * Reads a mapping as it is written in a file: `"familyName": "surname"`, `"streetAddress": ["street_number",
 * "address_1"]`, `"birthDate": {"column": "date_of_birth", "format": "DD.MM.YYYY"}`.
 */
export function parseMapping(value: unknown): ColumnMapping {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MappingFault('a mapping is a JSON object, as {"citizenId": "id", "familyName": "surname"}');
  }
  const mapping: { [field in ImportField]?: ColumnSource } = {};
  for (const [name, source] of Object.entries(value)) {
    const field = importFields.find((candidate) => candidate === name);
    if (field === undefined) {
      throw new MappingFault(`${name} is no field of a citizen; the fields are ${importFields.join(', ')}`);
    }
    mapping[field] = parseSource(name, source);
  }
  return requireId(mapping);
}

function parseSource(field: string, source: unknown): ColumnSource {
  if (typeof source === 'string' && source !== '') return { columns: [source] };
  if (isTexts(source)) return { columns: source };
  if (typeof source === 'object' && source !== null && 'column' in source) {
    const { column } = source;
    const format = 'format' in source ? source.format : undefined;
    if (typeof column === 'string' && format === undefined) return { columns: [column] };
    if (typeof column === 'string' && typeof format === 'string') {
      return { columns: [column], dateFormat: requireDateFormat(field, format) };
    }
  }
  throw new MappingFault(
    `${field}: expected a column name, a list of column names, or {"column": …, "format": "DD.MM.YYYY"}`,
  );
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

/** Reads a mapping as it is written on a command line: `citizenId=rec_id,streetAddress=no+street,birthDate=dob:YYYYMMDD`. */
export function parseInlineMapping(text: string): ColumnMapping {
  const members: Record<string, unknown> = {};
  for (const pair of text.split(',')) {
    const [, name, columns, format] = /^\s*(\w+)\s*=\s*([^:]+?)\s*(?::\s*(\S+)\s*)?$/.exec(pair) ?? [];
    if (name === undefined || columns === undefined) {
      throw new MappingFault('expected name=column,name=column; several columns are joined with +');
    }
    if (name in members) throw new MappingFault(`${name} is mapped twice`);
    members[name] =
      format === undefined ? columns.split('+').map((column) => column.trim()) : { column: columns, format };
  }
  return parseMapping(members);
}

function requireDateFormat(field: string, format: string): string {
  if (field !== 'birthDate') throw new MappingFault(`${field} is no date and takes no format`);
  const once = (part: string) => format.split(part).length === 2;
  if (!['YYYY', 'MM', 'DD'].every(once)) throw new MappingFault('a date format holds YYYY, MM and DD once each');
  return format;
}

function requireId(mapping: ColumnMapping): ColumnMapping {
  if (mapping.citizenId !== undefined) return mapping;
  throw new MappingFault('the mapping names no column for citizenId');
}

/** Names that columns often have; a file with these needs no mapping. */
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

/** The mapping for columns with our own names, those of OpenID Connect, or customary ones. */
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
    throw new MappingFault('no column has a name that stands for citizenId; state which it is');
  const number = columns.get('streetnumber') ?? columns.get('housenumber');
  const street = mapping.streetAddress;
  if (number !== undefined && street !== undefined) mapping.streetAddress = { columns: [number, ...street.columns] };
  return mapping;
}
