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
/** The limit of expired rows that each new code deletes. */
const deletedPerRequest = 20;

const findCodeRows = lookupByKey(
  'contact_code',
  'citizen_id',
  'citizen_id, channel, notification_id, sealed, ends_at, tries',
);

/** The codes of a citizen, including expired ones; none when the citizen was erased. */
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
    // `saveContactCode` has written it, and it is authenticated.
    const { address, code } = JSON.parse(opened.toString('utf8')) as Pick<ContactCode, 'address' | 'code'>;
    return { channel, address, code, notification, endsAt, tries };
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}

/** The citizen of a code, and the key that encrypts it. */
type CodeOwner = { readonly citizenId: string; readonly key: Uint8Array; readonly random: RandomBytes };

/** Stores a code. It replaces the previous code of the channel. */
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

/** Counts a wrong entry. */
export function countWrongEntry(citizenId: string, { channel, notification }: ContactCode): Statement {
  return {
    sql: `update contact_code set tries = tries + 1
      where citizen_id = $1 and channel = $2 and notification_id = $3`,
    args: [citizenId, channel, notification],
  };
}

/** Deletes an accepted code. Refused (`rows`) when it was replaced, used or tried too often since it was read. */
export function consumeContactCode(citizenId: string, { channel, notification }: ContactCode): Statement {
  return {
    sql: `delete from contact_code
      where citizen_id = $1 and channel = $2 and notification_id = $3 and tries < $4 returning channel`,
    args: [citizenId, channel, notification, contactCodeLimits.tries],
    rows: 1,
  };
}

/** Deletes the codes of an erased citizen. */
export function deleteContactCodes(citizenId: string): Statement {
  return { sql: 'delete from contact_code where citizen_id = $1', args: [citizenId] };
}

/** A request for a code. `countKey` is the HMAC key that hides citizen and address in the counters. */
type CodeRequest = {
  readonly citizenId: string;
  readonly channel: CodeChannel;
  readonly address: string;
  readonly countKey: Uint8Array;
  readonly now: number;
};

/** Counts a code for its citizen and for its address. Refused (`rows`) when one of them has reached the limit of the day. */
export function countCodeRequest({
  citizenId,
  channel,
  address,
  countKey,
  now,
}: CodeRequest): readonly [Statement, Statement] {
  const day = Math.floor(now / dayMs);
  const subjects = [`citizen\0${citizenId}`, `${channel}\0${normalizedMailboxOf(address)}`] as const;
  const countFor = (subject: string, limit: number): Statement => ({
    sql: `insert into contact_code_count (subject, day, requests) values ($1, $2, 1)
      on conflict (subject) do update set requests = contact_code_count.requests + 1 where contact_code_count.requests < $3
      returning requests`,
    args: [hmac('sha256', countKey, `${day}\0${subject}`), day, limit],
    rows: 1,
  });
  const { perDay } = contactCodeLimits;
  return [countFor(subjects[0], perDay.citizen), countFor(subjects[1], perDay.address)];
}

/** When the next day begins (epoch ms, UTC) and the counters start again at 0. */
export function nextCodeCountDay(now: number): number {
  return (Math.floor(now / dayMs) + 1) * dayMs;
}

/** Deletes some expired codes and counters. The condition is repeated, because on PostgreSQL a row can change before its deletion. */
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
