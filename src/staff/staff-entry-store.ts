import type { StaffMember } from '../auth/caller.ts';
import { openSealed, seal } from '../crypto/chunked-encryption.ts';
import type { RootKey } from '../crypto/root-key.ts';
import type { Read, Row, Statement } from '../db/database.ts';
import { bytesField, idField, integerField, textField, textOrNull } from '../db/row-fields.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import { hmacString } from '../kernel/hashing.ts';
import { type EventId, minIdAt, parseId, type StaffEntryId } from '../kernel/id.ts';

/** The part of an entry that is sealed. `before` and `after` say what the operation changed. */
type EntryContent = {
  readonly subject: string;
  readonly name: string;
  readonly reason?: string | undefined;
  readonly reference?: string | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
};

/** An entry of the staff log (time in epoch milliseconds). */
export type StaffEntry = EntryContent & {
  readonly id: StaffEntryId;
  readonly at: number;
  readonly service: string | null;
  readonly operation: string;
};

/** The keys of the staff log. */
export type StaffKeys = { readonly root: Pick<RootKey, 'derive'>; readonly random: RandomBytes };

/** An entry to be stored, with the ledger events that it names. */
export type NewStaffEntry = Omit<StaffEntry, 'subject' | 'name' | 'service'> & {
  readonly member: StaffMember;
  readonly events: readonly EventId[];
};

/** The most entries of this person and operation after an instant, counting the new one. */
export type EntryLimit = { readonly count: number; readonly since: number };

const unlimited: EntryLimit = { count: 1_000_000_000, since: 0 };

/** The tag of a person in the staff log, by which their entries are found. */
export function subjectTag({ root }: Pick<StaffKeys, 'root'>, subject: string): string {
  return hmacString(root.derive('staff-log'), `subject\0${subject}`, 'base64url').slice(0, 22);
}

/** Seals a value of the staff slice; `context` names the row that it belongs to. */
export function sealStaffValue({ root, random }: StaffKeys, context: string, value: unknown): Uint8Array {
  return seal(
    root.derive('staff-log'),
    `citizen-services/staff@v1\0${context}`,
    Buffer.from(JSON.stringify(value)),
    random,
  );
}

/** Opens a value of `sealStaffValue`. */
export function openStaffValue({ root }: Pick<StaffKeys, 'root'>, context: string, sealed: Uint8Array): unknown {
  return JSON.parse(
    openSealed(root.derive('staff-log'), `citizen-services/staff@v1\0${context}`, sealed).toString('utf8'),
  );
}

/** Stores an entry. The first statement is refused (`rows`) if the person is over the limit. */
export function insertStaffEntry(keys: StaffKeys, entry: NewStaffEntry, limit: EntryLimit = unlimited): Statement[] {
  const { id, at, operation, member, events, reason, reference, before, after } = entry;
  const { subject, name, service } = member;
  const content: EntryContent = { subject, name, reason, reference, before, after };
  const tag = subjectTag(keys, subject);
  return [
    {
      sql: `insert into staff_entry (id, at, subject_tag, service, operation, content)
        select cast($1 as text), cast($2 as bigint), cast($3 as text), cast($4 as text), cast($5 as text), $6
        where (select count(*) from staff_entry where subject_tag = $3 and operation = $5 and at > $7) < $8 returning id`,
      args: [id, at, tag, service, operation, sealStaffValue(keys, id, content), limit.since, limit.count],
      rows: 1,
    },
    ...insertEntryEvents(id, events),
  ];
}

/** Stores further events of an entry, such as those of a download, which are committed while it runs. */
export function insertEntryEvents(entry: StaffEntryId, events: readonly EventId[]): Statement[] {
  return events.map((event) => ({
    sql: 'insert into staff_entry_event (event_id, entry_id) values ($1, $2)',
    args: [event, entry],
  }));
}

/** The number of entries of this person and operation after an instant, and the time of the oldest one (epoch milliseconds). */
export async function findRecentEntries(
  { read, root }: { readonly read: Read } & Pick<StaffKeys, 'root'>,
  { subject, operation, since }: { readonly subject: string; readonly operation: string; readonly since: number },
): Promise<{ readonly count: number; readonly oldest: number | undefined }> {
  const sql =
    'select count(*) as entries, min(at) as at from staff_entry where subject_tag = $1 and operation = $2 and at > $3';
  const [row] = await read(sql, [subjectTag({ root }, subject), operation, since]);
  if (row === undefined || row['at'] === null) return { count: 0, oldest: undefined };
  return { count: integerField(row, 'entries'), oldest: integerField(row, 'at') };
}

/** The filter of the staff log; undefined members do not filter. */
export type StaffEntryFilter = {
  readonly subject?: string | undefined;
  readonly operation?: string | undefined;
  readonly service?: string | undefined;
  readonly event?: string | undefined;
  readonly from?: number | undefined;
  readonly before?: number | undefined;
  /** The id of the last entry of the previous page. */
  readonly after?: string | undefined;
};

/** Ids sort by time, so the primary key finds the entries of a time. A person has an index. */
const selectEntries = (where: string) => `select id, at, service, operation, content from staff_entry
    where ${where} id >= $1 and id < $2
      and (cast($3 as text) is null or operation = $3) and (cast($4 as text) is null or service = $4)
    order by id desc limit $5`;
const entriesOfTime = selectEntries('');
const entriesOfPerson = selectEntries('subject_tag = $6 and');
const entriesOfEvent = selectEntries('id in (select entry_id from staff_entry_event where event_id = $6) and');

/** The most events of an entry that a page shows, with the proof of each: a page of rows has no more. */
export const shownEvents = 101;

/** After the time of any id. */
export const endOfTime: number = 2 ** 47;

/** A page of the staff log, the newest entry first. */
export async function findStaffEntries(
  { read, root }: { readonly read: Read } & Pick<StaffKeys, 'root'>,
  { subject, event, operation, service, from = 0, before = endOfTime, after }: StaffEntryFilter,
  limit: number,
): Promise<readonly (StaffEntry & { readonly events: readonly EventId[] })[]> {
  const end = minIdAt('staffEntry', before);
  const bounds = [
    minIdAt('staffEntry', from),
    after !== undefined && after < end ? after : end,
    operation ?? null,
    service ?? null,
    limit,
  ];
  const found =
    event !== undefined
      ? await read(entriesOfEvent, [...bounds, event])
      : subject !== undefined
        ? await read(entriesOfPerson, [...bounds, subjectTag({ root }, subject)])
        : await read(entriesOfTime, bounds);
  const entries = found.map((row) => entryFromRow(root, row));
  // The event alone does not say who acted: both filters can be given.
  const wanted = entries.filter((entry) => subject === undefined || entry.subject === subject);
  const asked = event === undefined ? undefined : parseId('event', event);
  return await Promise.all(wanted.map(async (entry) => ({ ...entry, events: await eventsOf(read, entry.id, asked) })));
}

/** The first events of an entry, and the one by which it was found. A download of a batch can have more than 100,000. */
async function eventsOf(read: Read, entry: StaffEntryId, asked: EventId | undefined): Promise<readonly EventId[]> {
  const sql = 'select event_id from staff_entry_event where entry_id = $1 order by event_id limit $2';
  const events = (await read(sql, [entry, shownEvents])).map((row) => idField(row, 'event_id', 'event'));
  return asked === undefined || events.includes(asked) ? events : [...events, asked];
}

function entryFromRow(root: StaffKeys['root'], row: Row): StaffEntry {
  const id = idField(row, 'id', 'staffEntry');
  // `insertStaffEntry` wrote it, and it was authenticated.
  const content = openStaffValue({ root }, id, bytesField(row, 'content')) as EntryContent;
  return {
    ...content,
    id,
    at: integerField(row, 'at'),
    service: textOrNull(row, 'service'),
    operation: textField(row, 'operation'),
  };
}
