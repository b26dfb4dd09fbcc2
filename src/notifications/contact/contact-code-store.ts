import type { Random } from '../../kernel/clock.ts';
import { hmac } from '../../kernel/hashing.ts';
import { open, SealBroken, seal } from '../../keys/chunked-encryption.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { Read, Row, Statement } from '../../store/db.ts';
import { bytesField, idField, wholeField, wordField } from '../../store/row-fields.ts';
import { timedChannelNames } from '../notification.ts';
import { type CodeChannel, type ContactCode, codeLimits, mailboxOf } from './contact-code.ts';

type CodeParts = { readonly read: Read; readonly citizenKeys: Pick<CitizenKeys, 'keyOf'> };

const dayMs = 86_400_000;
/** So many that are over go with each new one. */
const clearedAtOnce = 20;

/** The codes that were sent to a citizen, also those that are over; none where the citizen was erased. */
export async function findCodes({ read, citizenKeys }: CodeParts, citizenId: string): Promise<ContactCode[]> {
  const rows = await read(
    'select channel, notification_id, sealed, ends_at, tries from contact_code where citizen_id = $1',
    [citizenId],
  );
  if (rows.length === 0) return [];
  const key = await citizenKeys.keyOf(citizenId);
  return rows.flatMap((row) => codeIn(row, citizenId, key) ?? []);
}

function codeIn(row: Row, citizenId: string, key: Uint8Array): ContactCode | undefined {
  const channel = wordField(row, 'channel', timedChannelNames);
  const notification = idField(row, 'notification_id', 'notification');
  const [endsAt, tries] = [wholeField(row, 'ends_at'), wholeField(row, 'tries')];
  try {
    const opened = open(key, contextOf(citizenId, { channel, notification }), bytesField(row, 'sealed'));
    // Written by `saveCode` below, and authenticated.
    const { address, code } = JSON.parse(opened.toString('utf8')) as Pick<ContactCode, 'address' | 'code'>;
    return { channel, address, code, notification, endsAt, tries };
  } catch (fault) {
    if (fault instanceof SealBroken) return undefined;
    throw fault;
  }
}

/** Whose code, and what seals it. */
type Saving = { readonly citizenId: string; readonly key: Uint8Array; readonly random: Random };

/** Stores a code in place of the one before by that channel. */
export function saveCode({ citizenId, key, random }: Saving, code: Omit<ContactCode, 'tries'>): Statement {
  const { channel, notification, endsAt, address, code: digits } = code;
  const clear = Buffer.from(JSON.stringify({ address, code: digits }));
  return {
    sql: `insert into contact_code (citizen_id, channel, notification_id, sealed, ends_at, tries) values ($1, $2, $3, $4, $5, 0)
      on conflict (citizen_id, channel) do update set notification_id = excluded.notification_id, sealed = excluded.sealed,
        ends_at = excluded.ends_at, tries = 0`,
    args: [citizenId, channel, notification, seal(key, contextOf(citizenId, code), clear, random), endsAt],
  };
}

/** Counts that something else than the code was entered. */
export function countTry(citizenId: string, { channel, notification }: ContactCode): Statement {
  return {
    sql: `update contact_code set tries = tries + 1
      where citizen_id = $1 and channel = $2 and notification_id = $3`,
    args: [citizenId, channel, notification],
  };
}

/** Uses a code up; refused (`rows`) where it was replaced or used, or tried too often, since it was read. */
export function takeCode(citizenId: string, { channel, notification }: ContactCode): Statement {
  return {
    sql: `delete from contact_code
      where citizen_id = $1 and channel = $2 and notification_id = $3 and tries < $4 returning channel`,
    args: [citizenId, channel, notification, codeLimits.tries],
    rows: 1,
  };
}

/** Takes the codes of a citizen away who is erased. */
export function forgetCodes(citizenId: string): Statement {
  return { sql: 'delete from contact_code where citizen_id = $1', args: [citizenId] };
}

/** Who asks, for which address, and the key of the hashes by which both are counted. */
type Asking = {
  readonly citizenId: string;
  readonly channel: CodeChannel;
  readonly address: string;
  readonly countKey: Uint8Array;
  readonly now: number;
};

/** Counts a code for its citizen and for its address; the first or second is refused (`rows`) where the day has had its number. */
export function countAsked({ citizenId, channel, address, countKey, now }: Asking): readonly [Statement, Statement] {
  const day = Math.floor(now / dayMs);
  const subjects = [`citizen\0${citizenId}`, `${channel}\0${mailboxOf(address)}`] as const;
  const counted = (subject: string, most: number): Statement => ({
    sql: `insert into contact_code_count (subject, day, asked) values ($1, $2, 1)
      on conflict (subject) do update set asked = contact_code_count.asked + 1 where contact_code_count.asked < $3
      returning asked`,
    args: [hmac('sha256', countKey, `${day}\0${subject}`), day, most],
    rows: 1,
  });
  const { aDay } = codeLimits;
  return [counted(subjects[0], aDay.citizen), counted(subjects[1], aDay.address)];
}

/** When the next day begins, on which codes are counted anew. */
export function nextCodeDay(now: number): number {
  return (Math.floor(now / dayMs) + 1) * dayMs;
}

/** Takes away some of what is over. The age stands there twice: on PostgreSQL a row may change between the look and the deletion. */
export function clearCodes(now: number): readonly Statement[] {
  return [
    {
      sql: `delete from contact_code where ends_at < $1 and notification_id in
        (select notification_id from contact_code where ends_at < $1 order by ends_at limit ${clearedAtOnce})`,
      args: [now],
    },
    {
      sql: `delete from contact_code_count where day < $1 and subject in
        (select subject from contact_code_count where day < $1 order by day limit ${clearedAtOnce})`,
      args: [Math.floor(now / dayMs)],
    },
  ];
}

function contextOf(
  citizenId: string,
  { channel, notification }: Pick<ContactCode, 'channel' | 'notification'>,
): string {
  return `citizen-services/contact-code@v1\0${citizenId}\0${channel}\0${notification}`;
}
