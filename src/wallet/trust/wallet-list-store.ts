import type { Read, Row, Statement } from '../../db/database.ts';
import { bytesField, enumField, integerField, integerOrNull, textField } from '../../db/row-fields.ts';

const roles = ['issuers', 'status'] as const;
/** `issuers`: a list of trusted entities. `status`: a status list. */
export type WalletListRole = (typeof roles)[number];

/** The key of a stored list: the name of a kind of credential, and the address. */
export type WalletListKey = { readonly credential: string; readonly url: string };

/** A list that the job has to fetch. */
export type DueList = WalletListKey & { readonly role: WalletListRole; readonly nextFetchAt: number };

/** A list as it was fetched; times in epoch ms. */
export type FetchedList = { readonly fetchedAt: number; readonly expiresAt: number; readonly content: Uint8Array };

/** The lists of one kind and role: the number, and the times of those that were fetched. */
export type WalletListSummary = {
  readonly credential: string;
  readonly role: WalletListRole;
  readonly count: number;
  readonly missing: number;
  readonly oldestFetchedAt: number | null;
  readonly earliestExpiresAt: number;
};

/** Remembers an address of WALLET_TRUST, so that the job fetches it. Does nothing if it is known. */
export function rememberList({ credential, url }: WalletListKey, role: WalletListRole, now: number): Statement {
  return {
    sql: `insert into wallet_list (credential, url, role, next_fetch_at, expires_at) values ($1, $2, $3, $4, $4)
      on conflict (credential, url) do nothing returning url`,
    args: [credential, url, role, now],
  };
}

/** Attack: a compromised issuer names a new status list in each credential. */
const maxListsPerCredential = 10_000;

/** Remembers the status list that a credential names. Does nothing if it is known, or if there are too many. */
export function rememberNamedList({ credential, url }: WalletListKey, now: number): Statement {
  return {
    sql: `insert into wallet_list (credential, url, role, next_fetch_at, expires_at)
      select $1, $2, 'status', $3, $3 where (select count(*) from wallet_list where credential = $1) < ${maxListsPerCredential}
      on conflict (credential, url) do nothing returning url`,
    args: [credential, url, now],
  };
}

/** Takes a due list for this process: no other process fetches it before `nextFetchAt`. Returns a row if it was taken. */
export function takeDueList({ credential, url, nextFetchAt: seen }: DueList, nextFetchAt: number): Statement {
  return {
    sql: `update wallet_list set next_fetch_at = $4 where credential = $1 and url = $2 and next_fetch_at = $3 returning url`,
    args: [credential, url, seen, nextFetchAt],
  };
}

/** Stores a fetched list. Returns no row if the stored list has a higher sequence number. */
export function storeFetchedList(
  { credential, url }: WalletListKey,
  {
    fetchedAt,
    expiresAt,
    content,
    nextFetchAt,
    sequenceNumber,
  }: FetchedList & { readonly nextFetchAt: number; readonly sequenceNumber: number },
): Statement {
  return {
    sql: `update wallet_list set fetched_at = $3, expires_at = $4, content = $5, next_fetch_at = $6, sequence_number = $7
      where credential = $1 and url = $2 and (sequence_number is null or sequence_number <= $7) returning url`,
    args: [credential, url, fetchedAt, expiresAt, content, nextFetchAt, sequenceNumber],
  };
}

/** Forgets a list. */
export function deleteList({ credential, url }: WalletListKey): Statement {
  return { sql: 'delete from wallet_list where credential = $1 and url = $2 returning url', args: [credential, url] };
}

/** Forgets the status lists that expired before `before`, so that the server has not fetched them since: the issuer has withdrawn them. */
export function deleteWithdrawnStatusLists(before: number): Statement {
  return {
    sql: "delete from wallet_list where role = 'status' and expires_at < $1 returning url",
    args: [before],
  };
}

/**
 * The lists to fetch now: lists of issuers first, then known lists, then the longest waiting. Attack: a compromised issuer names many lists on
 * a host that does not answer, so that the lists of others expire.
 */
export async function findDueLists(read: Read, now: number, limit: number): Promise<readonly DueList[]> {
  const rows = await read(
    `select credential, url, role, next_fetch_at from wallet_list where next_fetch_at <= $1
      order by role, fetched_at is null, next_fetch_at limit $2`,
    [now, limit],
  );
  return rows.map((row) => ({
    ...keyOf(row),
    role: enumField(row, 'role', roles),
    nextFetchAt: integerField(row, 'next_fetch_at'),
  }));
}

/** When each list of trusted entities was fetched. */
export async function findIssuerLists(
  read: Read,
): Promise<readonly (WalletListKey & { readonly fetchedAt: number })[]> {
  const rows = await read(
    "select credential, url, fetched_at from wallet_list where role = 'issuers' and fetched_at is not null",
  );
  return rows.map((row) => ({ ...keyOf(row), fetchedAt: integerField(row, 'fetched_at') }));
}

/** When a list was fetched; undefined if it is not known, and null before it was fetched. */
export async function findFetchTime(
  read: Read,
  { credential, url }: WalletListKey,
): Promise<number | null | undefined> {
  const [row] = await read('select fetched_at from wallet_list where credential = $1 and url = $2', [credential, url]);
  return row === undefined ? undefined : integerOrNull(row, 'fetched_at');
}

/** A list that was fetched. */
export async function findFetchedList(
  read: Read,
  { credential, url }: WalletListKey,
): Promise<FetchedList | undefined> {
  const [row] = await read(
    `select fetched_at, expires_at, content from wallet_list
      where credential = $1 and url = $2 and content is not null`,
    [credential, url],
  );
  if (row === undefined) return undefined;
  const [fetchedAt, expiresAt] = [integerField(row, 'fetched_at'), integerField(row, 'expires_at')];
  return { fetchedAt, expiresAt, content: bytesField(row, 'content') };
}

/** The numbers and times of all lists, for metrics and for the doctor. */
export async function summarizeLists(read: Read): Promise<readonly WalletListSummary[]> {
  const rows = await read(
    `select credential, role, count(*) as lists, count(*) - count(fetched_at) as missing,
        min(fetched_at) as oldest_fetched_at, min(expires_at) as earliest_expires_at
      from wallet_list group by role, credential order by role, credential`,
  );
  return rows.map((row) => ({
    credential: textField(row, 'credential'),
    role: enumField(row, 'role', roles),
    count: integerField(row, 'lists'),
    missing: integerField(row, 'missing'),
    oldestFetchedAt: integerOrNull(row, 'oldest_fetched_at'),
    earliestExpiresAt: integerField(row, 'earliest_expires_at'),
  }));
}

function keyOf(row: Row): WalletListKey {
  return { credential: textField(row, 'credential'), url: textField(row, 'url') };
}
