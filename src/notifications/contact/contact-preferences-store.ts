import { openSealed, SealBroken, seal } from '../../crypto/chunked-encryption.ts';
import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Statement } from '../../db/database.ts';
import { bytesField } from '../../db/row-fields.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { ContactOf } from '../notification/contact.ts';
import {
  applyPreferences,
  type ContactPreferences,
  noPreferences,
  type VerifiedContacts,
} from './contact-preferences.ts';

type PreferencesDeps = { readonly read: Read; readonly citizenKeys: Pick<CitizenKeys, 'keyOf'> };

/** The stored preferences and verified addresses. `sealedVerified` are the encrypted bytes of the latter, for `replaceVerifiedContacts`. */
type StoredPreferences = {
  readonly preferences: ContactPreferences;
  readonly verified: VerifiedContacts;
  readonly sealedVerified: Uint8Array | null;
};

type SealedColumn = 'preferences' | 'verified';

const findPreferencesRow = lookupByKey('contact_preference', 'citizen_id', 'citizen_id, preferences, verified');

/** The preferences and verified addresses of a citizen; none when none are stored or the citizen was erased. */
export async function findPreferences(
  { read, citizenKeys }: PreferencesDeps,
  citizenId: string,
): Promise<StoredPreferences> {
  const [row] = await findPreferencesRow(read, citizenId);
  if (row === undefined) return { preferences: noPreferences, verified: {}, sealedVerified: null };
  const key = await citizenKeys.keyOf(citizenId);
  const sealedIn = (column: SealedColumn) => (row[column] === null ? null : bytesField(row, column));
  const [preferences, verified] = [sealedIn('preferences'), sealedIn('verified')];
  return {
    // `saveColumn` has written both, and they are authenticated.
    preferences: (openColumn('preferences', { citizenId, key }, preferences) ?? noPreferences) as ContactPreferences,
    verified: (openColumn('verified', { citizenId, key }, verified) ?? {}) as VerifiedContacts,
    sealedVerified: verified,
  };
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
  return saveColumn('preferences', update, random);
}

/** Replaces the verified addresses of a citizen. */
export function saveVerifiedContacts(update: PreferencesUpdate<VerifiedContacts>, random: RandomBytes): Statement {
  return saveColumn('verified', update, random);
}

/** Replaces the verified addresses. Refused (`rows`) when they have changed since `before` (encrypted) was read. */
export function replaceVerifiedContacts(
  update: PreferencesUpdate<VerifiedContacts>,
  before: Uint8Array | null,
  random: RandomBytes,
): Statement {
  const { sql, args } = saveColumn('verified', update, random);
  return {
    sql: `${sql} where contact_preference.verified is not distinct from $4 returning citizen_id`,
    args: [...args, before],
    rows: 1,
  };
}

/** Deletes the preferences and verified addresses of an erased citizen. */
export function deletePreferences(citizenId: string): Statement {
  return { sql: 'delete from contact_preference where citizen_id = $1', args: [citizenId] };
}

/** The value of an encrypted column; undefined when there is none, or the key of the citizen was erased. */
function openColumn(
  column: SealedColumn,
  { citizenId, key }: Pick<PreferencesUpdate<unknown>, 'citizenId' | 'key'>,
  sealed: Uint8Array | null,
): unknown {
  if (sealed === null) return undefined;
  try {
    return JSON.parse(openSealed(key, columnContextOf(column, citizenId), sealed).toString('utf8'));
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}

function saveColumn(
  column: SealedColumn,
  { citizenId, value, now, key }: PreferencesUpdate<unknown>,
  random: RandomBytes,
) {
  const sealed = seal(key, columnContextOf(column, citizenId), Buffer.from(JSON.stringify(value)), random);
  return {
    sql: `insert into contact_preference (citizen_id, ${column}, changed_at) values ($1, $2, $3)
      on conflict (citizen_id) do update set ${column} = excluded.${column}, changed_at = excluded.changed_at`,
    args: [citizenId, sealed, now],
  };
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
