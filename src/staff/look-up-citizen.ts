import { Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { activeHoldsOf } from '../documents/retention/retention-store.ts';
import { formatInstant } from '../kernel/clock.ts';
import { type Refusal, refuse, refuseIssues } from '../kernel/refusal.ts';
import type { LedgerEvent, LookUpReason } from '../ledger/ledger-event.ts';
import { channelNames } from '../notifications/notification/notification.ts';
import { findDetails } from '../notifications/notification/notification-details.ts';
import { findNotificationsOfCitizen } from '../notifications/notification/notification-list-store.ts';
import { instantSchema, literalUnion, notificationShape } from '../notifications/notification/notification-shape.ts';
import { findCitizens, maxHits } from './find-citizens.ts';
import { lookUpBody, lookUpWay } from './look-up.ts';
import { maskedChannels } from './masked-address.ts';
import { messageTimeline } from './message-timeline.ts';
import type { StaffPorts } from './ports.ts';
import { findOldestEntry, insertStaffEntry } from './staff-entry-store.ts';
import { staffActor, staffOf } from './staff-member.ts';

const request = { body: lookUpBody };
type LookUpCall = OperationCall<typeof request, StaffPorts>;

const hourMs = 3_600_000;
/** The newest messages of a citizen that a look-up returns. */
const maxMessages = 50;
const operationName = 'lookUpCitizen';

const messageShape = Type.Object(
  {
    ...Type.Omit(notificationShape, ['citizenId', 'receipt']).properties,
    service: Type.Object(
      { id: Type.String(), name: Type.String({ description: 'The name of the service.' }) },
      { description: 'The service that sent it.' },
    ),
    next: Type.Union(
      [
        Type.Object({
          step: literalUnion(['send', 'try-channel', 'wait-for-proof'], 'The next step of the server.'),
          at: instantSchema('When it does that, at the earliest; for wait-for-proof, at the latest.'),
          channel: Type.Optional(literalUnion(channelNames, 'The channel that is tried.')),
        }),
        Type.Null(),
      ],
      { description: 'The next step of the message, and its time. null: nothing more happens by itself.' },
    ),
  },
  { $id: 'StaffMessage', additionalProperties: false },
);

const hitShape = Type.Object(
  {
    citizenId: Type.String(),
    messages: Type.Array(messageShape, {
      description: `The newest ${maxMessages} messages of your service, without contents. Without a service of your own: of all services.`,
    }),
    channels: Type.Array(
      Type.Object({
        channel: literalUnion(channelNames, 'The channel.'),
        address: Type.Union([Type.String(), Type.Null()], {
          description: 'A part of the address, to compare it with what the citizen says. null: the channel has none.',
        }),
        declined: Type.Boolean({ description: 'Whether the citizen does not wish this channel.' }),
        verified: Type.Boolean({ description: 'Whether the citizen has confirmed the address.' }),
      }),
      { description: 'The channels by which the citizen can be reached.' },
    ),
    deceased: Type.Boolean({ description: 'Whether the register says that the citizen has died.' }),
    locks: Type.Object(
      {
        byCitizen: Type.Boolean({ description: 'Whether the citizen has locked their record.' }),
        byStaff: Type.Boolean({ description: 'Whether staff have locked the record.' }),
      },
      { description: 'The locks of the record against verification.' },
    ),
    holds: Type.Array(
      Type.Object({
        id: Type.String(),
        placedAt: instantSchema('When the hold was placed.'),
        documentId: Type.Union([Type.String(), Type.Null()], { description: 'null: all documents of the citizen.' }),
      }),
      { description: 'The active legal holds.' },
    ),
    event: Type.String({
      description: 'The ledger event of this look-up, which the citizen sees in their access log.',
    }),
  },
  { $id: 'StaffLookUpHit', additionalProperties: false },
);

/** Finds a citizen for the helpdesk. The citizen reads each look-up, with its reason, in their access log. */
export const lookUpCitizen = defineOperation({
  name: operationName,
  since: '1.0',
  method: 'POST',
  path: '/v1/staff/look-ups',
  scope: 'staff:support',
  callers: ['staff'],
  summary: 'Look up a citizen',
  description:
    'Finds citizens by the id or reference of a message, by their id, or by claims, and returns the state of their messages without contents. Every look-up needs a reason and a case number. The staff log names you. Each found citizen sees the look-up in their access log, with your organisation and the reason. One person may make 60 look-ups in an hour (STAFF_LOOK_UPS_PER_HOUR).',
  request,
  responses: {
    200: {
      description: 'The citizens.',
      schema: Type.Object({
        hits: Type.Array(hitShape, { description: `At most ${maxHits} citizens.` }),
        hasMore: Type.Boolean({ description: 'true: more citizens match. Send more claims.' }),
        entry: Type.String({ description: 'The id of the entry in the staff log.' }),
      }),
    },
  },
  refusals: ['look-ups-exceeded', 'register-unavailable'],
  citizenData: true,
  run: lookUp,
});

async function lookUp(call: LookUpCall): Promise<Decision | RefusedDecision> {
  const { body, caller, now, createId, ports, read } = call;
  const member = staffOf(caller);
  const by = lookUpWay(body);
  if (typeof by === 'object') return { refusal: refuseIssues([by]) };
  const since = now - hourMs;
  const found = await findCitizens({ read, ports }, body, member);
  const events = eventsOf(call, found.slice(0, maxHits));
  const hits = await Promise.all(
    events.flatMap((event) => (event.type === 'staff.looked-up' ? [hitOf(call, event.citizenId, event.id)] : [])),
  );
  const entry = createId('staffEntry');
  const { reason, reference } = body;
  const after = { by, hits: hits.length };
  return {
    effect: {
      events,
      statements: insertStaffEntry(
        ports,
        {
          id: entry,
          at: now,
          member,
          operation: operationName,
          reason,
          reference,
          after,
          events: events.map(({ id }) => id),
        },
        { count: ports.lookUpsPerHour, since },
      ),
    },
    answer: { status: 200, json: { hits, hasMore: found.length > maxHits, entry } },
    onConflict: async () => ({ refusal: await limitRefusal(call, member.subject, since) }),
  };
}

/** One event for each found citizen, in the log of that citizen; one without a citizen if nobody was found. */
function eventsOf(call: LookUpCall, found: readonly string[]): readonly [LedgerEvent, ...LedgerEvent[]] {
  const reason: LookUpReason = call.body.reason;
  const head = () => ({ id: call.createId('event'), at: call.now, actor: staffActor(staffOf(call.caller)) });
  const [first, ...others] = found.map((citizenId) => ({
    type: 'staff.looked-up' as const,
    ...head(),
    citizenId,
    reason,
  }));
  return first === undefined ? [{ type: 'staff.searched', ...head(), reason }] : [first, ...others];
}

async function hitOf({ read, ports, caller }: LookUpCall, citizenId: string, event: string) {
  const { service } = staffOf(caller);
  const [contact, record, holds, notifications] = await Promise.all([
    ports.contactOf(citizenId),
    ports.register.find(citizenId),
    activeHoldsOf(read, citizenId),
    findNotificationsOfCitizen(read, { citizenId, clientId: service, limit: maxMessages }),
  ]);
  const details = await Promise.all(notifications.map((one) => findDetails(read, one)));
  return {
    citizenId,
    messages: details.map((one) => messageTimeline(one, ports.organisationOf)),
    channels: contact === undefined ? [] : maskedChannels(contact),
    deceased: contact?.deceased === true,
    locks: { byCitizen: record?.lockedByCitizen === true, byStaff: record?.locked === true },
    holds: holds.map(({ id, placedAt, documentId }) => ({ id, placedAt: formatInstant(placedAt), documentId })),
    event,
  };
}

/** The refusal of a person who has made as many look-ups as the limit allows, with the time until the next one. */
async function limitRefusal({ read, ports, now }: LookUpCall, subject: string, since: number): Promise<Refusal> {
  const oldest = await findOldestEntry({ read, root: ports.root }, { subject, operation: operationName, since });
  const seconds = Math.max(Math.ceil(((oldest ?? now) + hourMs - now) / 1_000), 1);
  return refuse('look-ups-exceeded', undefined, { headers: { 'retry-after': String(seconds) } });
}
