import type { Random } from '../../kernel/clock.ts';
import { open, SealBroken, seal } from '../../keys/chunked-encryption.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { Read, Statement } from '../../store/db.ts';
import type { ContactOf } from '../ports.ts';
import { type ContactWishes, type VerifiedContacts, wishedContact } from './contact-wishes.ts';

/** What reads and seals wishes. */
type WishParts = { readonly read: Read; readonly citizenKeys: Pick<CitizenKeys, 'keyOf'> };

/** What is kept about how a citizen is reached. */
type StoredWishes = { readonly wishes: ContactWishes; readonly verified: VerifiedContacts };

const parts = ['wishes', 'verified'] as const;
type Part = (typeof parts)[number];

/** What a citizen wishes and what was verified; empty where nothing is kept, or where the citizen was erased. */
export async function findWishes({ read, citizenKeys }: WishParts, citizenId: string): Promise<StoredWishes> {
  const [row] = await read('select wishes, verified from contact_wish where citizen_id = $1', [citizenId]);
  if (row === undefined) return { wishes: {}, verified: {} };
  const key = await citizenKeys.keyOf(citizenId);
  const opened = (part: Part): unknown => {
    const sealed = row[part];
    return sealed instanceof Uint8Array ? openedPart(part, { citizenId, key }, sealed) : {};
  };
  // Written by `saveWishes` and `saveVerified` below, and authenticated: they have the shapes that were sealed.
  return { wishes: opened('wishes') as ContactWishes, verified: opened('verified') as VerifiedContacts };
}

/** The addresses that were verified, and as they lie there, for `replaceVerified`. */
export async function findVerified(
  { read, citizenKeys }: WishParts,
  citizenId: string,
): Promise<{ readonly verified: VerifiedContacts; readonly sealed: Uint8Array | null }> {
  const [row] = await read('select verified from contact_wish where citizen_id = $1', [citizenId]);
  const sealed = row?.['verified'];
  if (!(sealed instanceof Uint8Array)) return { verified: {}, sealed: null };
  const verified = openedPart('verified', { citizenId, key: await citizenKeys.keyOf(citizenId) }, sealed);
  // As above.
  return { verified: verified as VerifiedContacts, sealed };
}

/** What is stated, and whose it is. */
type Stating<T> = {
  readonly citizenId: string;
  readonly value: T;
  readonly now: number;
  readonly key: Uint8Array;
};

/** States a citizen's wishes anew. */
export function saveWishes(stating: Stating<ContactWishes>, random: Random): Statement {
  return {
    sql: `insert into contact_wish (citizen_id, wishes, changed_at) values ($1, $2, $3)
      on conflict (citizen_id) do update set wishes = excluded.wishes, changed_at = excluded.changed_at`,
    args: [stating.citizenId, sealed('wishes', stating, random), stating.now],
  };
}

/** States a citizen's verified addresses anew. */
export function saveVerified(stating: Stating<VerifiedContacts>, random: Random): Statement {
  return {
    sql: `insert into contact_wish (citizen_id, verified, changed_at) values ($1, $2, $3)
      on conflict (citizen_id) do update set verified = excluded.verified, changed_at = excluded.changed_at`,
    args: [stating.citizenId, sealed('verified', stating, random), stating.now],
  };
}

/** The same, where nothing changed since `before` was read, as it lies there; else refused (`rows`). */
export function replaceVerified(
  stating: Stating<VerifiedContacts>,
  before: Uint8Array | null,
  random: Random,
): Statement {
  return {
    sql: `insert into contact_wish (citizen_id, verified, changed_at) values ($1, $2, $3)
      on conflict (citizen_id) do update set verified = excluded.verified, changed_at = excluded.changed_at
        where contact_wish.verified is not distinct from $4
      returning citizen_id`,
    args: [stating.citizenId, sealed('verified', stating, random), stating.now, before],
    rows: 1,
  };
}

/** Takes away what a citizen who is erased had stated, and what was verified: nothing opens it any more. */
export function forgetWishes(citizenId: string): Statement {
  return { sql: 'delete from contact_wish where citizen_id = $1', args: [citizenId] };
}

function openedPart(
  part: Part,
  { citizenId, key }: Pick<Stating<unknown>, 'citizenId' | 'key'>,
  bytes: Uint8Array,
): unknown {
  try {
    return JSON.parse(open(key, contextOf(part, citizenId), bytes).toString('utf8'));
  } catch (fault) {
    if (fault instanceof SealBroken) return {};
    throw fault;
  }
}

function sealed(part: Part, { citizenId, value, key }: Stating<unknown>, random: Random): Buffer {
  return seal(key, contextOf(part, citizenId), Buffer.from(JSON.stringify(value)), random);
}

function contextOf(part: Part, citizenId: string): string {
  return `citizen-services/contact-${part}@v1\0${citizenId}`;
}

/** Contacts with what citizens wish and what was verified. */
export function withWishes(contactOf: ContactOf, wishParts: WishParts): ContactOf {
  return async (citizenId) => {
    const [contact, { wishes, verified }] = await Promise.all([contactOf(citizenId), findWishes(wishParts, citizenId)]);
    return contact === undefined ? undefined : wishedContact(contact, wishes, verified);
  };
}
