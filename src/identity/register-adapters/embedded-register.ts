import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Row } from '../../db/database.ts';
import { textOrNull } from '../../db/row-fields.ts';
import { columnOf, type FormerField } from '../import/import-fields.ts';
import { type ClaimName, claimNames } from '../register/claims.ts';
import { toContact } from '../register/contact-details.ts';
import {
  type CompetingCandidateKeys,
  type CompetingCandidates,
  claimedValuesOf,
  type FormerAddress,
  type FormerName,
  maxFamilyMembers,
  type Register,
  type RegisterRecord,
  type SearchKeys,
} from '../register/register.ts';
import {
  createNarrowingStatements,
  distinctCitizens,
  narrowSearch,
  parameters,
  searchDateCount,
  searchLimit,
} from './narrowed-search.ts';

// Every claim is a member.
const claimColumns = Object.fromEntries(claimNames.map((claim) => [claim, columnOf(claim)])) as Record<
  ClaimName,
  string
>;
const recordColumns = [
  ...Object.values(claimColumns),
  'under_review, locked, locked_by_citizen, deceased, former_names, former_addresses',
].join(', ');

const findRecordRow = lookupByKey('citizen', 'citizen_id', recordColumns);

const searchAnyNameSql = `select ${recordColumns} from citizen where birth_date = $1 order by family_key limit $2`;

function createSearchStatements(count: number) {
  const keys = parameters(0, count);
  const dates = parameters(count, searchDateCount);
  const [mostOfDay, bornThatDay] = parameters(count + searchDateCount, 2);
  const [from, to, mostOfPeriod] = parameters(count, 3);
  const [limit, mostOfNamesakes] = parameters(count, 2);
  const ofDay = `family_key in (${keys}) and birth_date in (${dates})`;
  const ofPeriod = `birth_date >= ${from} and birth_date < ${to}`;
  const selectCurrent = `select ${recordColumns} from citizen where`;
  const selectFormer = `select ${recordColumns} from citizen where citizen_id in (select citizen_id from former_name where`;
  // Each order is that of the index used, so that the database does not sort.
  const byDate = 'order by birth_date, family_key limit';
  const byName = 'order by family_key limit';
  const orderFormer = 'order by family_key, birth_date limit';
  return {
    count,
    ofDay: `${selectCurrent} ${ofDay} ${byDate} ${mostOfDay}`,
    anyNameOrOfDay: `select * from (${selectCurrent} birth_date = ${bornThatDay} ${byName} ${mostOfDay}) as born_that_day
      union all select * from (${selectCurrent} ${ofDay} ${byDate} ${mostOfDay}) as named`,
    // The cast makes SQLite search by birth date and not by name: it uses no index for a cast value. PostgreSQL ignores the cast and uses
    // its index over name and date.
    ofPeriod: `${selectCurrent} cast(family_key as text) in (${keys}) and ${ofPeriod} ${byName} ${mostOfPeriod}`,
    formerOfDay: `${selectFormer} ${ofDay} ${orderFormer} ${mostOfDay})`,
    formerOfPeriod: `${selectFormer} family_key in (${keys}) and ${ofPeriod} ${orderFormer} ${mostOfPeriod})`,
    both: `${selectCurrent} family_key in (${keys}) and given_key in (${keys}) limit ${limit}`,
    family: `${selectCurrent} family_key in (${keys}) ${byName} ${limit}`,
    // A record without a given name may be a namesake too.
    namesakes: `${selectCurrent} family_key in (${keys}) and birth_date = ${limit} and (given_key in (${keys}) or given_key is null)
      ${byDate} ${mostOfNamesakes}`,
    narrowing: createNarrowingStatements(recordColumns, count),
  };
}

/** Statements exist for a few numbers of keys only, to limit the number of prepared statements. */
const smallStatements = [createSearchStatements(2), createSearchStatements(8)];
const largestStatements = createSearchStatements(32);

const byStreetSql = `select ${recordColumns} from citizen
  where street_key in ($1, $2) and postal_code in ($3, $4) limit $5`;

/** The statements for this number of keys, and the keys: the last one is repeated, and keys beyond the largest number are dropped. */
function statementsForKeys(keys: readonly string[]) {
  const statements = smallStatements.find(({ count }) => keys.length <= count) ?? largestStatements;
  return { statements, args: repeatLast(keys, statements.count) };
}

const findContactRow = lookupByKey(
  'citizen',
  'citizen_id',
  'citizen_id, given_name, family_name, email, phone, language, street_address, postal_code, locality, country, deceased',
);
const findCitizenId = lookupByKey('citizen', 'citizen_id', 'citizen_id');

/** The register in the tables that an import fills. */
export function createEmbeddedRegister(read: Read): Register {
  return {
    find: async (citizenId) => {
      const [row] = await findRecordRow(read, citizenId);
      return row && toRecord(row);
    },
    search: async (keys) => (await searchByKeys(read, keys)).map(toRecord),
    searchCompeting: async (keys) => await searchCompeting(read, keys),
    searchExactNamesakes: async ({ familyKeys, birthDate }) => {
      const { statements, args } = statementsForKeys(familyKeys);
      return (await read(statements.namesakes, [...args, birthDate, searchLimit])).map(toRecord);
    },
    contactOf: async (citizenId) => {
      const [row] = await findContactRow(read, citizenId);
      return row && toContact((field) => textOrNull(row, columnOf(field)), row['deceased'] === true);
    },
    exists: async (citizenId) => (await findCitizenId(read, citizenId)).length > 0,
  };
}

async function searchByKeys(read: Read, keys: SearchKeys): Promise<readonly Row[]> {
  const { birthDate, anyName, details } = keys;
  if (anyName === true && birthDate.length === 10) {
    const bornThatDay = await searchAnyName(read, keys);
    // Too many people have this birth date, so names restrict the search.
    if (bornThatDay.length < searchLimit) return bornThatDay;
  }
  const { present, former, args } = nameSearches(keys);
  const found = distinctCitizens((await Promise.all([read(present, args), read(former, args)])).flat());
  if (found.length < searchLimit || details === undefined || !isSearchedByDate(keys)) return found;
  const { statements, args: nameKeys } = statementsForKeys(keys.familyKeys);
  return await narrowSearch(read, statements.narrowing, { keys: nameKeys, dates: datesOf(keys) }, details);
}

/** Everybody born on that day; with `otherDates` also people with one of the keys and one of these dates. */
async function searchAnyName(read: Read, { familyKeys, birthDate, otherDates = [] }: SearchKeys) {
  if (otherDates.length === 0) return await read(searchAnyNameSql, [birthDate, searchLimit]);
  const { statements, args } = statementsForKeys(familyKeys);
  const dates = repeatLast(otherDates, searchDateCount);
  return await read(statements.anyNameOrOfDay, [...args, ...dates, searchLimit, birthDate]);
}

/** Whether the dates are compared as texts. Otherwise the whole month or year is searched. */
function isSearchedByDate({ birthDate, onlyAsPrecise }: SearchKeys): boolean {
  return birthDate.length === 10 || onlyAsPrecise === true;
}

function datesOf({ birthDate, otherDates = [] }: SearchKeys): string[] {
  return repeatLast(
    [...new Set([birthDate, birthDate.slice(0, 7), birthDate.slice(0, 4), ...otherDates])],
    searchDateCount,
  );
}

function repeatLast(values: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, at) => values[Math.min(at, values.length - 1)] ?? '');
}

/** The searches by present and by former names. Each is limited and reads one index range per key. */
function nameSearches(keys: SearchKeys) {
  const { statements, args } = statementsForKeys(keys.familyKeys);
  if (isSearchedByDate(keys))
    return {
      present: statements.ofDay,
      former: statements.formerOfDay,
      args: [...args, ...datesOf(keys), searchLimit],
    };
  const year = keys.birthDate.slice(0, 4);
  // For an incomplete date the whole year is searched; '~' sorts after every digit and hyphen.
  return {
    present: statements.ofPeriod,
    former: statements.formerOfPeriod,
    args: [...args, year, `${year}~`, searchLimit],
  };
}

async function searchCompeting(
  read: Read,
  { names, families, streets, postalCodes }: CompetingCandidateKeys,
): Promise<CompetingCandidates> {
  const noRows: readonly Row[] = [];
  const searchNames = async (which: 'both' | 'family', keys: readonly string[], limit: number) => {
    if (keys.length === 0) return noRows;
    const { statements, args } = statementsForKeys(keys);
    return await read(statements[which], [...args, limit]);
  };
  const searchStreet = async () => {
    const [[street], [code]] = [streets, postalCodes];
    if (street === undefined || code === undefined) return noRows;
    return await read(byStreetSql, [street, streets[1] ?? street, code, postalCodes[1] ?? code, searchLimit]);
  };
  const [namesakes, family, neighbours] = await Promise.all([
    searchNames('both', names, searchLimit),
    searchNames('family', families, maxFamilyMembers + 1),
    searchStreet(),
  ]);
  const rows = [...namesakes, ...(family.length > maxFamilyMembers ? [] : family), ...neighbours];
  return {
    records: distinctCitizens(rows).map(toRecord),
    tooMany: namesakes.length === searchLimit,
    tooManyNeighbours: neighbours.length === searchLimit,
  };
}

function toRecord(row: Row): RegisterRecord {
  return {
    ...claimedValuesOf((claim) => textOrNull(row, claimColumns[claim])),
    underReview: row['under_review'] === true,
    locked: row['locked'] === true,
    lockedByCitizen: row['locked_by_citizen'] === true,
    deceased: row['deceased'] === true,
    ...formerOf(row),
  };
}

function formerOf(row: Row): Pick<RegisterRecord, FormerField> {
  const names = row['former_names'];
  const addresses = row['former_addresses'];
  // The importer checked them (import/former-values.ts).
  return {
    ...(typeof names === 'string' ? { formerNames: JSON.parse(names) as FormerName[] } : {}),
    ...(typeof addresses === 'string' ? { formerAddresses: JSON.parse(addresses) as FormerAddress[] } : {}),
  };
}
