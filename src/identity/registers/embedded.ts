import type { Read, Row, Value } from '../../store/db.ts';
import type { FormerField } from '../import-fields.ts';
import {
  type Contact,
  type FormerAddress,
  type FormerName,
  mostCandidates,
  type Register,
  type RegisterRecord,
  type SearchKeys,
} from '../register.ts';

const recordColumns = `citizen_id, given_name, family_name, birth_family_name, birth_date, birth_place, street_address,
  postal_code, locality, country, document_number, under_review, locked, deceased, former_names, former_addresses`;

const findSql = `select ${recordColumns} from citizen where citizen_id = $1`;

const searchByDaySql = `select ${recordColumns} from citizen
  where family_key in ($1, $2) and birth_date in ($3, $4, $5) order by family_key, birth_date limit $6`;

const searchByPeriodSql = `select ${recordColumns} from citizen
  where family_key in ($1, $2) and birth_date >= $3 and birth_date < $4 order by family_key, birth_date limit $5`;

const searchFormerByDaySql = `select ${recordColumns} from citizen where citizen_id in (select citizen_id from former_name
  where family_key in ($1, $2) and birth_date in ($3, $4, $5) order by family_key, birth_date limit $6)`;

const searchFormerByPeriodSql = `select ${recordColumns} from citizen where citizen_id in (select citizen_id from former_name
  where family_key in ($1, $2) and birth_date >= $3 and birth_date < $4 order by family_key, birth_date limit $5)`;

const searchAnyNameSql = `select ${recordColumns} from citizen where birth_date = $1 order by citizen_id limit $2`;

const contactSql = `select citizen_id, given_name, family_name, email, phone, language, street_address, postal_code,
  locality, country from citizen where citizen_id = $1`;

/** The register in our own tables, filled by the importer. */
export function embeddedRegister(read: Read): Register {
  return {
    find: async (citizenId) => {
      const [row] = await read(findSql, [citizenId]);
      return row === undefined ? undefined : toRecord(row);
    },
    search: async (keys) => (await search(read, keys)).map(toRecord),
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
  const found = (await Promise.all([read(now, args), read(former, args)])).flat();
  return [...new Map(found.map((row) => [row['citizen_id'], row])).values()];
}

const most = mostCandidates + 1;

/** Both searches by name: under today's, and under a former one. Each is one range of an index, and bounded. */
function keyed({ familyKeys, birthDate }: SearchKeys) {
  const year = birthDate.slice(0, 4);
  if (birthDate.length === 10) {
    const args = [...familyKeys, birthDate, birthDate.slice(0, 7), year, most];
    return { now: searchByDaySql, former: searchFormerByDaySql, args };
  }
  // Of a part of a date the whole year is looked through; '~' sorts behind every digit and hyphen.
  return { now: searchByPeriodSql, former: searchFormerByPeriodSql, args: [...familyKeys, year, `${year}~`, most] };
}

function toRecord(row: Row): RegisterRecord {
  return {
    citizenId: text(row['citizen_id']) ?? '',
    givenName: text(row['given_name']),
    familyName: text(row['family_name']),
    birthFamilyName: text(row['birth_family_name']),
    birthDate: text(row['birth_date']),
    birthPlace: text(row['birth_place']),
    streetAddress: text(row['street_address']),
    postalCode: text(row['postal_code']),
    locality: text(row['locality']),
    country: text(row['country']),
    documentNumber: text(row['document_number']),
    underReview: row['under_review'] === true,
    locked: row['locked'] === true,
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
  const names = [text(row['given_name']), text(row['family_name'])];
  return {
    citizenId: text(row['citizen_id']) ?? '',
    name: names.filter((name) => name !== null).join(' '),
    email: text(row['email']),
    phone: text(row['phone']),
    language: text(row['language']),
    postalAddress: {
      streetAddress: text(row['street_address']),
      postalCode: text(row['postal_code']),
      locality: text(row['locality']),
      country: text(row['country']),
    },
  };
}

function text(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
