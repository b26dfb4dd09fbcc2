import type { Read, Row } from '../../db/database.ts';
import { maxCandidates, maxNarrowed, type SearchDetails } from '../register/register.ts';

/** The limit of one search: one more than can be compared, which shows that there are too many. */
export const searchLimit: number = maxCandidates + 1;

/** The number of dates in a search by names and dates. */
export const searchDateCount = 4;

/** The placeholders of `count` parameters after the first `from`. */
export function parameters(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `$${from + at + 1}`);
}

/** The rows without repeated citizens. */
export function distinctCitizens(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row['citizen_id'], row])).values()];
}

/** Codes are compared without blanks and punctuation, in lower case. */
function codeOf(column: string): string {
  return `lower(replace(replace(replace(${column}, ' ', ''), '-', ''), '/', ''))`;
}

/** The statements of a narrowed search by `count` name keys and `searchDateCount` dates, which are their first arguments. */
export function createNarrowingStatements(columns: string, count: number) {
  const keys = parameters(0, count);
  const dates = parameters(count, searchDateCount);
  const [first, second, third, fourth] = parameters(count + searchDateCount, 4);
  const addressDates = parameters(0, searchDateCount);
  const [street, code, mostOfAddress] = parameters(searchDateCount, 3);
  const namedThatDay = `family_key in (${keys}) and birth_date in (${dates})`;
  // 2: the street or document number agrees; 1: only the postal code.
  const agreement = `case when street_key = ${first} or ${codeOf('document_number')} = ${second} then 2
    when ${codeOf('postal_code')} = ${third} then 1 else 0 end as agreement`;
  const selectDetailed = (source: string) =>
    `select * from (select ${columns}, ${agreement} from ${source}) as candidates
      where agreement > 0 order by agreement desc limit ${fourth}`;
  return {
    bothNames: `select ${columns} from citizen where ${namedThatDay} and given_key in (${keys}) limit ${first}`,
    address: `select ${columns} from citizen
      where street_key = ${street} and postal_code = ${code} and birth_date in (${addressDates}) limit ${mostOfAddress}`,
    // No index has these values, so the number of records that are read is limited.
    detailed: selectDetailed(
      `(select * from citizen where ${namedThatDay} order by birth_date, family_key limit ${maxNarrowed}) as born`,
    ),
    formerDetailed: selectDetailed(
      `citizen where citizen_id in (select citizen_id from former_name where ${namedThatDay}
        order by family_key, birth_date limit ${maxNarrowed})`,
    ),
  };
}

/**
 * Candidates among more people of one name and birth date than can be compared: those with both names, or who agree in a detail. If
 * these are too many as well, those who agree in a detail, then those who agree in street or document number. Each step keeps all people
 * who agree, so that an equally good candidate is not lost. More than `maxCandidates` rows: still too many.
 */
export async function narrowSearch(
  read: Read,
  statements: ReturnType<typeof createNarrowingStatements>,
  { keys, dates }: { readonly keys: readonly string[]; readonly dates: readonly string[] },
  { street, postalCode, documentNumber }: SearchDetails,
): Promise<readonly Row[]> {
  // No record has these.
  const [noStreet, noCode] = [-1, ''];
  const codes = [codeForm(documentNumber) ?? noCode, codeForm(postalCode) ?? noCode];
  const keysAndDates = [...keys, ...dates];
  const detailArgs = [...keysAndDates, street ?? noStreet, ...codes, searchLimit];
  const [bothNames, address, ...detailed] = await Promise.all([
    read(statements.bothNames, [...keysAndDates, searchLimit]),
    read(statements.address, [...dates, street ?? noStreet, postalCode ?? noCode, searchLimit]),
    read(statements.detailed, detailArgs),
    read(statements.formerDetailed, detailArgs),
  ]);
  const agreeing = distinctCitizens([...address, ...detailed.flat()]);
  const all = distinctCitizens([...bothNames, ...agreeing]);
  const isStreetOrNumberStated = street !== undefined || documentNumber !== undefined;
  const isDetailStated = isStreetOrNumberStated || postalCode !== undefined;
  const inStreetOrNumber = distinctCitizens([...address, ...detailed.flat().filter((row) => row['agreement'] === 2)]);
  const narrower = [all, ...(isDetailStated ? [agreeing] : []), ...(isStreetOrNumberStated ? [inStreetOrNumber] : [])];
  // Rows beyond the limit only show that there are too many.
  return narrower.find((rows) => rows.length <= maxCandidates) ?? all.slice(0, searchLimit);
}

function codeForm(code: string | undefined): string | undefined {
  return code?.replaceAll(/[ /-]/g, '').toLowerCase();
}
