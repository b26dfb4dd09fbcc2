import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { LabelledPair } from '../../src/identity/evaluation/evaluate-policy.ts';
import type { Claims } from '../../src/identity/register/claims.ts';
import { testDataPath } from './test-data.ts';

/** A public set: originals are the register, duplicates the claims. Pairs are all true ones and all difficult impostors. */
export type FebrlSet = {
  readonly register: readonly Claims[];
  readonly claims: readonly Claims[];
  readonly pairs: readonly LabelledPair[];
};

type Row = Readonly<Record<string, string>>;

/** Set 1, 2 or 3; undefined if TEST_DATA does not have it. */
export function readFebrlSet(set: 1 | 2 | 3): FebrlSet | undefined {
  const rows = readRows(set);
  return rows === undefined ? undefined : toFebrlSet(rows);
}

/** All three sets as one register, so that the people of each set are impostors for the others. */
export function readAllFebrlSets(): FebrlSet | undefined {
  const sets = ([1, 2, 3] as const).map((set) =>
    readRows(set)?.map((row) => ({ ...row, rec_id: `set${set}${idOf(row)}` })),
  );
  return sets.some((rows) => rows === undefined) ? undefined : toFebrlSet(sets.flatMap((rows) => rows ?? []));
}

function readRows(set: 1 | 2 | 3): Row[] | undefined {
  const path = testDataPath(`febrl/dataset${set}.csv`);
  return path === undefined ? undefined : parse(readFileSync(path), { columns: true, trim: true });
}

function toFebrlSet(rows: readonly Row[]): FebrlSet {
  const originals = rows.filter((row) => idOf(row).endsWith('-org'));
  const duplicates = rows.filter((row) => !idOf(row).endsWith('-org'));
  const blocks = new Map<string, Row[]>();
  const byNumber = new Map(originals.map((row) => [numberOf(row), row]));
  for (const row of originals)
    for (const key of blockingKeysOf(row)) blocks.set(key, [...(blocks.get(key) ?? []), row]);
  const pairs = duplicates.flatMap((row) => {
    const original = byNumber.get(numberOf(row));
    const sharing = new Set(blockingKeysOf(row).flatMap((key) => blocks.get(key) ?? []));
    const others = [...sharing].filter((other) => other !== original);
    const pair = (record: Row | undefined, same: boolean) => ({ claim: idOf(row), record: idOf(record), same });
    return [pair(original, true), ...others.map((other) => pair(other, false))];
  });
  return { register: originals.map(claimsOf), claims: duplicates.map(claimsOf), pairs };
}

function idOf(row: Row | undefined): string {
  return row?.['rec_id'] ?? '';
}

function numberOf(row: Row): string {
  return idOf(row).replace(/-(org|dup).*$/, '');
}

/** Values that an impostor shares with the person, as in the published figures. Pairs without a shared value are too easy. */
function blockingKeysOf(row: Row): string[] {
  const { given_name: given, surname, date_of_birth: born, soc_sec_id: number, state, address_1: street } = row;
  const { street_number: streetNumber, postcode } = row;
  const key = (name: string, ...parts: (string | undefined)[]) =>
    parts.every((part) => part !== undefined && part !== '') ? [`${name} ${parts.join('|')}`] : [];
  return [
    ...key('names', ...[given, surname].sort()),
    ...key('born', born),
    ...key('number', number),
    ...key('state', state, street),
    ...key('house', streetNumber, street),
    ...key('postcode', postcode),
  ];
}

function claimsOf(row: Row): Claims {
  const claims = {
    citizenId: row['rec_id'],
    givenName: row['given_name'],
    familyName: row['surname'],
    birthDate: (row['date_of_birth'] ?? '').replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3'),
    streetAddress: [row['street_number'], row['address_1']].filter((part) => part !== '').join(' '),
    postalCode: row['postcode'],
    locality: row['suburb'],
    documentNumber: row['soc_sec_id'],
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== ''));
}
