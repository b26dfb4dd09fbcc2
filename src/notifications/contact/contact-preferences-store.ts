import { openSealed, SealBroken, seal } from '../../crypto/chunked-encryption.ts';
import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Statement } from '../../db/database.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { ContactOf } from '../notification/contact.ts';
import { applyPreferences, type ContactPreferences, type VerifiedContacts } from './contact-preferences.ts';

type PreferencesDeps = { readonly read: Read; readonly citizenKeys: Pick<CitizenKeys, 'keyOf'> };

/** The stored preferences and verified addresses of a citizen. */
type StoredPreferences = { readonly preferences: ContactPreferences; readonly verified: VerifiedContacts };

const sealedColumns = ['preferences', 'verified'] as const;
type SealedColumn = (typeof sealedColumns)[number];

const findPreferencesRow = lookupByKey('contact_preference', 'citizen_id', 'citizen_id, preferences, verified');
const findVerifiedRow = lookupByKey('contact_preference', 'citizen_id', 'citizen_id, verified');

/** The preferences and verified addresses of a citizen; empty when none are stored or the citizen was erased. */
export async function findPreferences(
  { read, citizenKeys }: PreferencesDeps,
  citizenId: string,
): Promise<StoredPreferences> {
  const [row] = await findPreferencesRow(read, citizenId);
  if (row === undefined) return { preferences: {}, verified: {} };
  const key = await citizenKeys.keyOf(citizenId);
  const opened = (part: SealedColumn): unknown => {
    const sealed = row[part];
    return sealed instanceof Uint8Array ? openColumn(part, { citizenId, key }, sealed) : {};
  };
  // `savePreferences` and `saveVerifiedContacts` have written them, and they are authenticated.
  return { preferences: opened('preferences') as ContactPreferences, verified: opened('verified') as VerifiedContacts };
}

/** The verified addresses, and their encrypted bytes for `replaceVerifiedContacts`. */
export async function findVerifiedContacts(
  { read, citizenKeys }: PreferencesDeps,
  citizenId: string,
): Promise<{ readonly verified: VerifiedContacts; readonly sealed: Uint8Array | null }> {
  const [row] = await findVerifiedRow(read, citizenId);
  const sealed = row?.['verified'];
  if (!(sealed instanceof Uint8Array)) return { verified: {}, sealed: null };
  const verified = openColumn('verified', { citizenId, key: await citizenKeys.keyOf(citizenId) }, sealed);
  // `saveVerifiedContacts` has written it, and it is authenticated.
  return { verified: verified as VerifiedContacts, sealed };
}

/** A new value of an encrypted column. */
type PreferencesUpdate<T> = {
  readonly citizenId: string;
  readonly value: T;
  readonly now: number;
  readonly key: Uint8Array;
};

/** Replaces the preferences of a citizen. */
export function savePreferences(update: PreferencesUpdate<ContactPreferences>, random: RandomBytes): Statement {
  return {
    sql: `insert into contact_preference (citizen_id, preferences, changed_at) values ($1, $2, $3)
      on conflict (citizen_id) do update set preferences = excluded.preferences, changed_at = excluded.changed_at`,
    args: [update.citizenId, sealColumn('preferences', update, random), update.now],
  };
}

/** Replaces the verified addresses of a citizen. */
export function saveVerifiedContacts(update: PreferencesUpdate<VerifiedContacts>, random: RandomBytes): Statement {
  return {
    sql: `insert into contact_preference (citizen_id, verified, changed_at) values ($1, $2, $3)
      on conflict (citizen_id) do update set verified = excluded.verified, changed_at = excluded.changed_at`,
    args: [update.citizenId, sealColumn('verified', update, random), update.now],
  };
}

/** Replaces the verified addresses. Refused (`rows`) when they have changed since `before` (encrypted) was read. */
export function replaceVerifiedContacts(
  update: PreferencesUpdate<VerifiedContacts>,
  before: Uint8Array | null,
  random: RandomBytes,
): Statement {
  return {
    sql: `insert into contact_preference (citizen_id, verified, changed_at) values ($1, $2, $3)
      on conflict (citizen_id) do update set verified = excluded.verified, changed_at = excluded.changed_at
        where contact_preference.verified is not distinct from $4
      returning citizen_id`,
    args: [update.citizenId, sealColumn('verified', update, random), update.now, before],
    rows: 1,
  };
}

/** Deletes the preferences and verified addresses of an erased citizen. */
export function deletePreferences(citizenId: string): Statement {
  return { sql: 'delete from contact_preference where citizen_id = $1', args: [citizenId] };
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

/** Adds the preferences and verified addresses of citizens to the contacts of the register. */
export function withPreferences(contactOf: ContactOf, deps: PreferencesDeps): ContactOf {
  return async (citizenId) => {
    const [contact, { preferences, verified }] = await Promise.all([
      contactOf(citizenId),
      findPreferences(deps, citizenId),
    ]);
    return contact === undefined ? undefined : applyPreferences(contact, preferences, verified);
  };
}
