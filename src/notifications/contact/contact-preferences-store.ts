import { openSealed, SealBroken, seal } from '../../crypto/chunked-encryption.ts';
import type { Read, Statement } from '../../db/database.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { ContactOf } from '../notification/contact.ts';
import { applyPreferences, type ContactPreferences, type VerifiedContacts } from './contact-preferences.ts';

/** What reads and seals wishes. */
type PreferencesDeps = { readonly read: Read; readonly citizenKeys: Pick<CitizenKeys, 'keyOf'> };

/** What is kept about how a citizen is reached. */
type StoredPreferences = { readonly preferences: ContactPreferences; readonly verified: VerifiedContacts };

const sealedColumns = ['wishes', 'verified'] as const;
type SealedColumn = (typeof sealedColumns)[number];

/** What a citizen wishes and what was verified; empty where nothing is kept, or where the citizen was erased. */
export async function findPreferences(
  { read, citizenKeys }: PreferencesDeps,
  citizenId: string,
): Promise<StoredPreferences> {
  const [row] = await read('select wishes, verified from contact_wish where citizen_id = $1', [citizenId]);
  if (row === undefined) return { preferences: {}, verified: {} };
  const key = await citizenKeys.keyOf(citizenId);
  const opened = (part: SealedColumn): unknown => {
    const sealed = row[part];
    return sealed instanceof Uint8Array ? openColumn(part, { citizenId, key }, sealed) : {};
  };
  // Written by `saveWishes` and `saveVerified` below, and authenticated: they have the shapes that were sealed.
  return { preferences: opened('wishes') as ContactPreferences, verified: opened('verified') as VerifiedContacts };
}

/** The addresses that were verified, and as they lie there, for `replaceVerified`. */
export async function findVerifiedContacts(
  { read, citizenKeys }: PreferencesDeps,
  citizenId: string,
): Promise<{ readonly verified: VerifiedContacts; readonly sealed: Uint8Array | null }> {
  const [row] = await read('select verified from contact_wish where citizen_id = $1', [citizenId]);
  const sealed = row?.['verified'];
  if (!(sealed instanceof Uint8Array)) return { verified: {}, sealed: null };
  const verified = openColumn('verified', { citizenId, key: await citizenKeys.keyOf(citizenId) }, sealed);
  // As above.
  return { verified: verified as VerifiedContacts, sealed };
}

/** What is stated, and whose it is. */
type PreferencesUpdate<T> = {
  readonly citizenId: string;
  readonly value: T;
  readonly now: number;
  readonly key: Uint8Array;
};

/** States a citizen's wishes anew. */
export function savePreferences(update: PreferencesUpdate<ContactPreferences>, random: RandomBytes): Statement {
  return {
    sql: `insert into contact_wish (citizen_id, wishes, changed_at) values ($1, $2, $3)
      on conflict (citizen_id) do update set wishes = excluded.wishes, changed_at = excluded.changed_at`,
    args: [update.citizenId, sealColumn('wishes', update, random), update.now],
  };
}

/** States a citizen's verified addresses anew. */
export function saveVerifiedContacts(update: PreferencesUpdate<VerifiedContacts>, random: RandomBytes): Statement {
  return {
    sql: `insert into contact_wish (citizen_id, verified, changed_at) values ($1, $2, $3)
      on conflict (citizen_id) do update set verified = excluded.verified, changed_at = excluded.changed_at`,
    args: [update.citizenId, sealColumn('verified', update, random), update.now],
  };
}

/** The same, where nothing changed since `before` was read, as it lies there; else refused (`rows`). */
export function replaceVerifiedContacts(
  update: PreferencesUpdate<VerifiedContacts>,
  before: Uint8Array | null,
  random: RandomBytes,
): Statement {
  return {
    sql: `insert into contact_wish (citizen_id, verified, changed_at) values ($1, $2, $3)
      on conflict (citizen_id) do update set verified = excluded.verified, changed_at = excluded.changed_at
        where contact_wish.verified is not distinct from $4
      returning citizen_id`,
    args: [update.citizenId, sealColumn('verified', update, random), update.now, before],
    rows: 1,
  };
}

/** Takes away what a citizen who is erased had stated, and what was verified: nothing opens it any more. */
export function deletePreferences(citizenId: string): Statement {
  return { sql: 'delete from contact_wish where citizen_id = $1', args: [citizenId] };
}

function openColumn(
  column: SealedColumn,
  { citizenId, key }: Pick<PreferencesUpdate<unknown>, 'citizenId' | 'key'>,
  bytes: Uint8Array,
): unknown {
  try {
    return JSON.parse(openSealed(key, columnContextOf(column, citizenId), bytes).toString('utf8'));
  } catch (fault) {
    if (fault instanceof SealBroken) return {};
    throw fault;
  }
}

function sealColumn(
  column: SealedColumn,
  { citizenId, value, key }: PreferencesUpdate<unknown>,
  random: RandomBytes,
): Buffer {
  return seal(key, columnContextOf(column, citizenId), Buffer.from(JSON.stringify(value)), random);
}

function columnContextOf(column: SealedColumn, citizenId: string): string {
  return `citizen-services/contact-${column}@v1\0${citizenId}`;
}

/** Contacts with what citizens wish and what was verified. */
export function withPreferences(contactOf: ContactOf, deps: PreferencesDeps): ContactOf {
  return async (citizenId) => {
    const [contact, { preferences, verified }] = await Promise.all([
      contactOf(citizenId),
      findPreferences(deps, citizenId),
    ]);
    return contact === undefined ? undefined : applyPreferences(contact, preferences, verified);
  };
}
