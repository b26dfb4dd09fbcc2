import { type Static, Type } from 'typebox';
import type { OperationCall, RequestShape } from '../api/operation.ts';
import { activeHoldsOf } from '../documents/retention/retention-store.ts';
import { formatInstant } from '../kernel/clock.ts';
import { channelNames } from '../notifications/notification/notification.ts';
import { findDetails } from '../notifications/notification/notification-details.ts';
import { findNotificationsOfCitizen } from '../notifications/notification/notification-list-store.ts';
import { instantSchema, literalUnion, notificationShape } from '../notifications/notification/notification-shape.ts';
import { maxHits } from './find-citizens.ts';
import { lookUpKeptMs, type StoredLookUp } from './look-up-store.ts';
import { maskedChannels } from './masked-address.ts';
import { messageTimeline } from './message-timeline.ts';
import type { StaffPorts } from './ports.ts';
import { isHoldOfService } from './proposable/release-hold.ts';
import { recentUseShape, recentUsesOf } from './recent-uses.ts';
import { staffOf } from './staff-member.ts';

/** The newest messages of a citizen that a look-up returns. */
const maxMessages = 50;

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

/** The schema of a found citizen. */
export const hitShape = Type.Object(
  {
    citizenId: Type.String(),
    messages: Type.Array(messageShape, {
      description: `The newest ${maxMessages} messages of your service, without contents.`,
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
        ofService: Type.Boolean({
          description: 'Whether it is on a document of your service. Only then can you propose to release it.',
        }),
      }),
      { description: 'The active legal holds.' },
    ),
    uses: Type.Array(recentUseShape, {
      description: 'The last uses of the data of the citizen by others, the newest first. Concealed uses are left out.',
    }),
    event: Type.String({
      description: 'The ledger event of this look-up, which the citizen sees in their access log.',
    }),
  },
  { $id: 'StaffLookUpHit', additionalProperties: false },
);

/** The schema of the answer of a look-up. */
export const lookUpShape = Type.Object({
  id: Type.String({
    description: `The id of this look-up, with which you can read it again for ${lookUpKeptMs / 60_000} minutes.`,
  }),
  hits: Type.Array(hitShape, { description: `At most ${maxHits} citizens.` }),
  hasMore: Type.Boolean({ description: 'true: more citizens match. Send more claims.' }),
  reason: Type.String({ description: 'The reason of the look-up.' }),
  reference: Type.String({ description: 'The number of the case.' }),
  entry: Type.String({ description: 'The id of the entry in the staff log.' }),
});
/** The answer of a look-up. */
export type LookUpAnswer = Static<typeof lookUpShape>;

type HitCall = Pick<OperationCall<RequestShape, StaffPorts>, 'read' | 'ports' | 'caller' | 'now'>;

/** The JSON of a look-up, with the present state of the found citizens. `language`: of the purposes in words. */
export async function lookUpView(
  call: HitCall,
  { id, found, ...lookUp }: StoredLookUp & { readonly id: string },
  language = 'en',
) {
  const hits = await Promise.all(found.map((one) => hitOf(call, one, language)));
  return { id, hits, ...lookUp };
}

async function hitOf(
  { read, ports, caller, now }: HitCall,
  { citizenId, event }: StoredLookUp['found'][number],
  language: string,
) {
  const { service } = staffOf(caller);
  const [contact, record, holds, notifications, uses] = await Promise.all([
    ports.contactOf(citizenId),
    ports.register.find(citizenId),
    activeHoldsOf(read, citizenId),
    findNotificationsOfCitizen(read, { citizenId, clientId: service, limit: maxMessages }),
    recentUsesOf(ports, citizenId, { now, language }),
  ]);
  const details = await Promise.all(notifications.map((one) => findDetails(read, one)));
  return {
    citizenId,
    messages: details.map((one) => messageTimeline(one, ports.organisationOf)),
    channels: contact === undefined ? [] : maskedChannels(contact),
    deceased: contact?.deceased === true,
    locks: { byCitizen: record?.lockedByCitizen === true, byStaff: record?.locked === true },
    holds: await Promise.all(
      holds.map(async ({ id, placedAt, documentId }) => ({
        id,
        placedAt: formatInstant(placedAt),
        documentId,
        ofService: service !== null && (await isHoldOfService(read, { documentId }, service)),
      })),
    ),
    uses,
    event,
  };
}
