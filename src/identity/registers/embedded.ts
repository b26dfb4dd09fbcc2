import type { Read, Row } from '../../store/db.ts';
import { textField, textOrNull } from '../../store/row-fields.ts';
import type { FormerField } from '../import/import-fields.ts';
import {
  type Contact,
  type FormerAddress,
  type FormerName,
  mostCandidates,
  mostOfFamily,
  type Register,
  type RegisterRecord,
  type RivalKeys,
  type Rivals,
  type SearchKeys,
} from '../register.ts';

const recordColumns = `citizen_id, given_name, family_name, birth_family_name, birth_date, birth_place, street_address,
  postal_code, locality, country, document_number, nationality, under_review, locked, own_lock, deceased, former_names, former_addresses`;

const findSql = `select ${recordColumns} from citizen where citizen_id = $1`;

const searchAnyNameSql = `select ${recordColumns} from citizen where birth_date = $1 order by family_key limit $2`;

/** The searches by keys of names: as many keys each, for a statement of its own for every number would be one too many. */
const keyCounts = [2, 8, 32] as const;
const byNames = keyCounts.map((count) => {
  const keys = parameters(0, count);
  const [day, month, year, mostOfDay] = parameters(count, 4);
  const [from, to, mostOfPeriod] = parameters(count, 3);
  const [mostRivals] = parameters(count, 1);
  const ofDay = `family_key in (${keys}) and birth_date in (${day}, ${month}, ${year})`;
  const ofPeriod = `birth_date >= ${from} and birth_date < ${to}`;
  const now = `select ${recordColumns} from citizen where`;
  const former = `select ${recordColumns} from citizen where citizen_id in (select citizen_id from former_name where`;
  // Each in the order of the tree that it goes along, so that nobody has to sort a crowd.
  const byDate = 'order by birth_date, family_key limit';
  const byName = 'order by family_key limit';
  const formerly = 'order by family_key, birth_date limit';
  return {
    count,
    ofDay: `${now} ${ofDay} ${byDate} ${mostOfDay}`,
    // By the births of the period on SQLite, which uses no index for what is cast, and not by all bearers of a name. To
    // PostgreSQL, which has a tree of names by date, it is no cast.
    ofPeriod: `${now} cast(family_key as text) in (${keys}) and ${ofPeriod} ${byName} ${mostOfPeriod}`,
    formerOfDay: `${former} ${ofDay} ${formerly} ${mostOfDay})`,
    formerOfPeriod: `${former} family_key in (${keys}) and ${ofPeriod} ${formerly} ${mostOfPeriod})`,
    both: `${now} family_key in (${keys}) and given_key in (${keys}) limit ${mostRivals}`,
    family: `${now} family_key in (${keys}) ${byName} ${mostRivals}`,
    // A record without a given name may be a twin too.
    twins: `${now} family_key in (${keys}) and birth_date = ${day} and (given_key in (${keys}) or given_key is null)
      ${byDate} ${month}`,
  };
});
const byStreetSql = `select ${recordColumns} from citizen
  where street_key in ($1, $2) and postal_code in ($3, $4) limit $5`;

function parameters(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `$${from + at + 1}`);
}

/** The statements for as many keys, with the keys: the last of them repeated, and none beyond the most. */
function forKeys(keys: readonly string[]) {
  const statements = byNames.find(({ count }) => keys.length <= count) ?? byNames[byNames.length - 1];
  if (statements === undefined) throw new Error('there is no statement for keys');
  const args = Array.from({ length: statements.count }, (_, at) => keys[Math.min(at, keys.length - 1)] ?? '');
  return { statements, args };
}

const contactSql = `select citizen_id, given_name, family_name, email, phone, language, street_address, postal_code,
  locality, country, deceased from citizen where citizen_id = $1`;

/** The register in our own tables, filled by the importer. */
export function embeddedRegister(read: Read): Register {
  return {
    find: async (citizenId) => {
      const [row] = await read(findSql, [citizenId]);
      return row === undefined ? undefined : toRecord(row);
    },
    search: async (keys) => (await search(read, keys)).map(toRecord),
    rivals: async (keys) => await rivals(read, keys),
    twins: async ({ familyKeys, birthDate }) => {
      const { statements, args } = forKeys(familyKeys);
      return (await read(statements.twins, [...args, birthDate, most])).map(toRecord);
    },
    contactOf: async (citizenId) => {
      const [row] = await read(contactSql, [citizenId]);
      return row === undefined ? undefined : toContact(row);
    },
    exists: async (citizenId) =>
      (await read('select 1 as found from citizen where citizen_id = $1', [citizenId])).length > 0,
  };
}

async function search(read: Read, keys: SearchKeys): Promise<readonly Row[]> {
  const { birthDate, anyName } = keys;
  if (anyName === true && birthDate.length === 10) {
    const born = await read(searchAnyNameSql, [birthDate, most]);
    // So many were born that day that names have to tell which of them to compare.
    if (born.length < most) return born;
  }
  const { now, former, args } = keyed(keys);
  return distinct((await Promise.all([read(now, args), read(former, args)])).flat());
}

function distinct(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row['citizen_id'], row])).values()];
}

const most = mostCandidates + 1;

/** Both searches by name: under today's, and under other ones. Each is one range of an index for a key, and bounded. */
function keyed({ familyKeys, birthDate }: SearchKeys) {
  const { statements, args } = forKeys(familyKeys);
  const year = birthDate.slice(0, 4);
  if (birthDate.length === 10) {
    const dates = [birthDate, birthDate.slice(0, 7), year];
    return { now: statements.ofDay, former: statements.formerOfDay, args: [...args, ...dates, most] };
  }
  // Of a part of a date the whole year is looked through; '~' sorts behind every digit and hyphen.
  return { now: statements.ofPeriod, former: statements.formerOfPeriod, args: [...args, year, `${year}~`, most] };
}

async function rivals(read: Read, { names, families, streets, postalCodes }: RivalKeys): Promise<Rivals> {
  const none: readonly Row[] = [];
  const bySeveral = async (which: 'both' | 'family', keys: readonly string[], limit: number) => {
    if (keys.length === 0) return none;
    const { statements, args } = forKeys(keys);
    return await read(statements[which], [...args, limit]);
  };
  const byStreet = async () => {
    const [[street], [code]] = [streets, postalCodes];
    if (street === undefined || code === undefined) return none;
    return await read(byStreetSql, [street, streets[1] ?? street, code, postalCodes[1] ?? code, most]);
  };
  const [namesakes, family, neighbours] = await Promise.all([
    bySeveral('both', names, most),
    bySeveral('family', families, mostOfFamily + 1),
    byStreet(),
  ]);
  const found = [...namesakes, ...(family.length > mostOfFamily ? [] : family), ...neighbours];
  return { records: distinct(found).map(toRecord), crowd: namesakes.length === most || neighbours.length === most };
}

function toRecord(row: Row): RegisterRecord {
  return {
    citizenId: textField(row, 'citizen_id'),
    givenName: textOrNull(row, 'given_name'),
    familyName: textOrNull(row, 'family_name'),
    birthFamilyName: textOrNull(row, 'birth_family_name'),
    birthDate: textOrNull(row, 'birth_date'),
    birthPlace: textOrNull(row, 'birth_place'),
    streetAddress: textOrNull(row, 'street_address'),
    postalCode: textOrNull(row, 'postal_code'),
    locality: textOrNull(row, 'locality'),
    country: textOrNull(row, 'country'),
    documentNumber: textOrNull(row, 'document_number'),
    nationality: textOrNull(row, 'nationality'),
    underReview: row['under_review'] === true,
    locked: row['locked'] === true,
    ownLock: row['own_lock'] === true,
    deceased: row['deceased'] === true,
    ...formerOf(row),
  };
}

function formerOf(row: Row): Pick<RegisterRecord, FormerField> {
  const names = row['former_names'];
  const addresses = row['former_addresses'];
  if (typeof names !== 'string' && typeof addresses !== 'string') return {};
  // Written by the importer, which checked them: see import-former.ts.
  return {
    ...(typeof names === 'string' ? { formerNames: JSON.parse(names) as FormerName[] } : {}),
    ...(typeof addresses === 'string' ? { formerAddresses: JSON.parse(addresses) as FormerAddress[] } : {}),
  };
}

function toContact(row: Row): Contact {
  const names = [textOrNull(row, 'given_name'), textOrNull(row, 'family_name')];
  return {
    citizenId: textField(row, 'citizen_id'),
    name: names.filter((name) => name !== null).join(' '),
    email: textOrNull(row, 'email'),
    phone: textOrNull(row, 'phone'),
    language: textOrNull(row, 'language'),
    deceased: row['deceased'] === true,
    postalAddress: {
      streetAddress: textOrNull(row, 'street_address'),
      postalCode: textOrNull(row, 'postal_code'),
      locality: textOrNull(row, 'locality'),
      country: textOrNull(row, 'country'),
    },
  };
}
