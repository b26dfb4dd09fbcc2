import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import type { EventId } from '../kernel/id.ts';
import { type Issue, refuseIssues } from '../kernel/refusal.ts';
import { parseInstantFilter } from '../notifications/list-notifications.ts';
import { instantSchema, optionalInstantSchema } from '../notifications/notification/notification-shape.ts';
import type { StaffPorts } from './ports.ts';
import { findStaffEntries, type StaffEntryFilter, shownEvents } from './staff-entry-store.ts';
import { staffActor, staffOf } from './staff-member.ts';

const maxEntries = 100;

const request = {
  query: Type.Object(
    {
      subject: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: 'Only entries of the person with this claim sub.' }),
      ),
      operation: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: 'Only this operation, such as lookUpCitizen.' }),
      ),
      service: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: 'Only entries of people of this client.' }),
      ),
      event: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'The entry with this ledger event, such as the reference in the access log of a citizen.',
        }),
      ),
      createdFrom: optionalInstantSchema('Only entries from this time on (RFC 3339).'),
      createdBefore: optionalInstantSchema('Only entries before this time (RFC 3339).'),
      after: Type.Optional(
        Type.String({ maxLength: 64, description: 'The member next of the previous page. Default: the first page.' }),
      ),
    },
    { additionalProperties: false },
  ),
};

const entryShape = Type.Object(
  {
    id: Type.String(),
    at: instantSchema('When it happened.'),
    subject: Type.String({ description: 'The claim sub of the person.' }),
    name: Type.String({ description: 'The name of the person at that time.' }),
    service: Type.Union([Type.String(), Type.Null()], { description: 'The client of the person; null: none.' }),
    operation: Type.String({ description: 'The operation, such as lookUpCitizen or eraseCitizen.' }),
    reason: Type.Optional(Type.String()),
    reference: Type.Optional(Type.String({ description: 'The number of the case, or the id of the proposal.' })),
    before: Type.Optional(Type.Unknown({ description: 'The state before, if the operation changed something.' })),
    after: Type.Optional(Type.Unknown({ description: 'The state after.' })),
    events: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The ledger event. A citizen sees the same id in their access log.' }),
        proof: Type.Union([Type.String(), Type.Null()], {
          description: 'The proof as c2sp.org/tlog-proof. null: the event is not in a signed checkpoint yet.',
        }),
      }),
      {
        description: `The ledger events of the operation: the first ${shownEvents}, and the event that you asked for. Only a download of the rows of a batch has more.`,
      },
    ),
  },
  { $id: 'StaffLogEntry' },
);

/** Reads the staff log. This is recorded too. */
export const readStaffLog = defineOperation({
  name: 'readStaffLog',
  since: '1.0',
  method: 'GET',
  path: '/v1/staff/log',
  scope: 'staff:audit',
  callers: ['staff'],
  summary: 'Read what staff did',
  description: `Returns who of the staff did what, when and why, the newest first, ${maxEntries} entries a page, with proofs of the ledger. People of a service see only entries of that service. The ledger records that you read the log.`,
  request,
  responses: {
    200: {
      description: 'A page of the staff log.',
      schema: Type.Object({
        items: Type.Array(entryShape),
        next: Type.Union([Type.String(), Type.Null()], {
          description: 'The after of the next page. null: the last page.',
        }),
      }),
    },
  },
  refusals: ['bad-request'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, StaffPorts>) => {
    const { read, ports, caller, query, now, createId } = call;
    const member = staffOf(caller);
    const { createdFrom, createdBefore, service, ...others } = query;
    const issues: Issue[] = [];
    const from = parseInstantFilter('createdFrom', createdFrom, issues);
    const before = parseInstantFilter('createdBefore', createdBefore, issues);
    if (issues.length > 0) return { refusal: refuseIssues(issues) };
    const filter: StaffEntryFilter = { ...others, from, before, service: member.service ?? service };
    const found = await findStaffEntries({ read, root: ports.root }, filter, maxEntries + 1);
    const shown = found.slice(0, maxEntries);
    const items = await Promise.all(
      shown.map(async ({ at, events, ...entry }) => ({
        ...entry,
        at: formatInstant(at),
        events: await Promise.all(events.map(async (id) => ({ id, proof: await proofOf(ports, id) }))),
      })),
    );
    const next = found.length > maxEntries ? (shown.at(-1)?.id ?? null) : null;
    const head = { id: createId('event'), at: now, actor: staffActor(member) } as const;
    return {
      effect: { events: [{ type: 'staff.log-read', ...head, shown: items.length }], statements: [] },
      answer: { status: 200, json: { items, next } },
    };
  },
});

/** The proof of an event in the signed log. Entries about citizens stay encrypted: their content belongs to the citizen. */
async function proofOf({ log }: Pick<StaffPorts, 'log'>, event: EventId): Promise<string | null> {
  const entry = await log.findEntry(event);
  const checkpoint = entry === undefined ? undefined : await log.checkpointFor(entry.index);
  if (entry === undefined || checkpoint === undefined) return null;
  const contentKey =
    entry.type.startsWith('staff.') && entry.citizenId === null ? await log.findContentKey(entry) : undefined;
  return await log.proveEntry(entry, checkpoint, contentKey);
}
