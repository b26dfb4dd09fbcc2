import { openSealed, SealBroken, seal } from '../../crypto/chunked-encryption.ts';
import { lookupByKey } from '../../db/batch-statements.ts';
import type { Read, Row, Statement } from '../../db/database.ts';
import { bytesField, enumField, idField, integerField } from '../../db/row-fields.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import { hmac } from '../../kernel/hashing.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import { declinableChannelNames } from '../notification/notification.ts';
import { type CodeChannel, type ContactCode, contactCodeLimits, normalizedMailboxOf } from './contact-code.ts';

type CodeStoreDeps = { readonly read: Read; readonly citizenKeys: Pick<CitizenKeys, 'keyOf'> };

const dayMs = 86_400_000;
/** So many that are over go with each new one. */
const deletedPerRequest = 20;

const findCodeRows = lookupByKey(
  'contact_code',
  'citizen_id',
  'citizen_id, channel, notification_id, sealed, ends_at, tries',
);

/** The codes that were sent to a citizen, also those that are over; none where the citizen was erased. */
export async function findContactCodes(
  { read, citizenKeys }: CodeStoreDeps,
  citizenId: string,
): Promise<ContactCode[]> {
  const rows = await findCodeRows(read, citizenId);
  if (rows.length === 0) return [];
  const key = await citizenKeys.keyOf(citizenId);
  return rows.flatMap((row) => openContactCode(row, citizenId, key) ?? []);
}

function openContactCode(row: Row, citizenId: string, key: Uint8Array): ContactCode | undefined {
  const channel = enumField(row, 'channel', declinableChannelNames);
  const notification = idField(row, 'notification_id', 'notification');
  const [endsAt, tries] = [integerField(row, 'ends_at'), integerField(row, 'tries')];
  try {
    const opened = openSealed(key, codeContextOf(citizenId, { channel, notification }), bytesField(row, 'sealed'));
    // Written by `saveCode` below, and authenticated.
    const { address, code } = JSON.parse(opened.toString('utf8')) as Pick<ContactCode, 'address' | 'code'>;
    return { channel, address, code, notification, endsAt, tries };
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}

/** Whose code, and what seals it. */
type CodeOwner = { readonly citizenId: string; readonly key: Uint8Array; readonly random: RandomBytes };

/** Stores a code in place of the one before by that channel. */
export function saveContactCode({ citizenId, key, random }: CodeOwner, code: Omit<ContactCode, 'tries'>): Statement {
  const { channel, notification, endsAt, address, code: digits } = code;
  const plaintext = Buffer.from(JSON.stringify({ address, code: digits }));
  return {
    sql: `insert into contact_code (citizen_id, channel, notification_id, sealed, ends_at, tries) values ($1, $2, $3, $4, $5, 0)
      on conflict (citizen_id, channel) do update set notification_id = excluded.notification_id, sealed = excluded.sealed,
        ends_at = excluded.ends_at, tries = 0`,
    args: [citizenId, channel, notification, seal(key, codeContextOf(citizenId, code), plaintext, random), endsAt],
  };
}

/** Counts that something else than the code was entered. */
export function countWrongEntry(citizenId: string, { channel, notification }: ContactCode): Statement {
  return {
    sql: `update contact_code set tries = tries + 1
      where citizen_id = $1 and channel = $2 and notification_id = $3`,
    args: [citizenId, channel, notification],
  };
}

/** Uses a code up; refused (`rows`) where it was replaced or used, or tried too often, since it was read. */
export function consumeContactCode(citizenId: string, { channel, notification }: ContactCode): Statement {
  return {
    sql: `delete from contact_code
      where citizen_id = $1 and channel = $2 and notification_id = $3 and tries < $4 returning channel`,
    args: [citizenId, channel, notification, contactCodeLimits.tries],
    rows: 1,
  };
}

/** Takes the codes of a citizen away who is erased. */
export function deleteContactCodes(citizenId: string): Statement {
  return { sql: 'delete from contact_code where citizen_id = $1', args: [citizenId] };
}

/** Who asks, for which address, and the key of the hashes by which both are counted. */
type CodeRequest = {
  readonly citizenId: string;
  readonly channel: CodeChannel;
  readonly address: string;
  readonly countKey: Uint8Array;
  readonly now: number;
};

/** Counts a code for its citizen and for its address; the first or second is refused (`rows`) where the day has had its number. */
export function countCodeRequest({
  citizenId,
  channel,
  address,
  countKey,
  now,
}: CodeRequest): readonly [Statement, Statement] {
  const day = Math.floor(now / dayMs);
  const subjects = [`citizen\0${citizenId}`, `${channel}\0${normalizedMailboxOf(address)}`] as const;
  const counted = (subject: string, most: number): Statement => ({
    sql: `insert into contact_code_count (subject, day, asked) values ($1, $2, 1)
      on conflict (subject) do update set asked = contact_code_count.asked + 1 where contact_code_count.asked < $3
      returning asked`,
    args: [hmac('sha256', countKey, `${day}\0${subject}`), day, most],
    rows: 1,
  });
  const { perDay } = contactCodeLimits;
  return [counted(subjects[0], perDay.citizen), counted(subjects[1], perDay.address)];
}

/** When the next day begins, on which codes are counted anew. */
export function nextCodeCountDay(now: number): number {
  return (Math.floor(now / dayMs) + 1) * dayMs;
}

/** Takes away some of what is over. The age stands there twice: on PostgreSQL a row may change between the look and the deletion. */
export function deleteExpiredCodes(now: number): readonly Statement[] {
  return [
    {
      sql: `delete from contact_code where ends_at < $1 and notification_id in
        (select notification_id from contact_code where ends_at < $1 order by ends_at limit ${deletedPerRequest})`,
      args: [now],
    },
    {
      sql: `delete from contact_code_count where day < $1 and subject in
        (select subject from contact_code_count where day < $1 order by day limit ${deletedPerRequest})`,
      args: [Math.floor(now / dayMs)],
    },
  ];
}

function codeContextOf(
  citizenId: string,
  { channel, notification }: Pick<ContactCode, 'channel' | 'notification'>,
): string {
  return `citizen-services/contact-code@v1\0${citizenId}\0${channel}\0${notification}`;
}
