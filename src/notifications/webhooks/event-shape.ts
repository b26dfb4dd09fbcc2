import { Type } from 'typebox';
import { channelNames, notificationStatuses } from '../notification/notification.ts';
import { literalUnion, statusDescription } from '../notification/notification-shape.ts';
import { reasonCodes } from '../notification/reason.ts';
import { feedEventTypes, feedOutcomes, presentationFeedStatuses } from './feed-store.ts';

/** `cancelled` is a status of notifications too. */
const presentationStatuses = presentationFeedStatuses.filter((status) => status !== 'cancelled');

const data = Type.Object(
  {
    notification: Type.Optional(
      Type.String({ description: 'The id of the notification. Only for the events notification.….' }),
    ),
    reference: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description:
          'The reference that you sent with the notification. null: none. Only for the events notification.….',
      }),
    ),
    presentation: Type.Optional(
      Type.String({
        description:
          'The id of the presentation. Only for the events identity.presentation-…. Read its result with GET /v1/identity/presentations/{id}.',
      }),
    ),
    status: Type.Optional(
      literalUnion(
        [...notificationStatuses, ...presentationStatuses],
        `The status of the notification or presentation after the event. The status of a presentation is the end of the type. Absent for events of a batch. Otherwise: ${statusDescription}`,
      ),
    ),
    delivery: Type.Optional(
      Type.String({ description: 'The id of the delivery. Only for notification.delivery-ended.' }),
    ),
    channel: Type.Optional(
      literalUnion(
        channelNames,
        'The channel of the delivery, or of the link. Only for notification.delivery-ended and notification.confirmed.',
      ),
    ),
    outcome: Type.Optional(
      literalUnion(
        feedOutcomes,
        'The outcome of the delivery attempt: a status of the delivery. retry: it failed, and another attempt follows. Only for notification.delivery-ended.',
      ),
    ),
    reason: Type.Optional(
      literalUnion(
        reasonCodes,
        'The code of the reason why the delivery failed, or why the notification ended without proof. Otherwise absent.',
      ),
    ),
    batch: Type.Optional(Type.String({ description: 'The id of the batch. Only for events of a batch.' })),
    rows: Type.Optional(
      Type.Integer({ description: 'The number of rows. Only for notification-batch.done, and for refused rows.' }),
    ),
    accepted: Type.Optional(
      Type.Integer({ description: 'The number of rows that became notifications. Present if rows is.' }),
    ),
    refused: Type.Optional(Type.Integer({ description: 'The number of refused rows. Present if rows is.' })),
    code: Type.Optional(
      Type.String({ description: 'The code of the batch: why the server refused or cancelled it. Otherwise absent.' }),
    ),
    test: Type.Optional(
      Type.Boolean({
        description:
          'true for an event of POST /v1/webhooks/{id}/test, whose notification or batch does not exist. Otherwise absent.',
      }),
    ),
  },
  {
    $id: 'EventData',
    additionalProperties: true,
    description: 'The facts of the event. They contain no data about the citizen.',
  },
);

/** The members of an event in the feed and in the calls of webhooks. */
export const eventMembers = {
  number: Type.Integer({
    description: 'The number of the event among the events of your client, from 1 without gaps. 0 for a test event.',
  }),
  type: Type.String({ description: `The type of the event: ${feedEventTypes.join(', ')}. Ignore unknown types.` }),
  timestamp: Type.String({ format: 'date-time', description: 'The time of the event.' }),
  data,
};

/** The call of a webhook, for the OpenAPI document. */
export const eventCall = {
  name: 'receiveEvent',
  tag: 'events',
  summary: 'Receive an event of a notification',
  description:
    'The server calls your webhook with each event. Verify webhook-signature before you trust the call, and respond within 15 seconds. A call can be repeated with the same webhook-id.',
  headers: {
    'Webhook-Id': 'The id of the event. It is the same in each attempt.',
    'Webhook-Timestamp': 'The time of this attempt, in seconds since 1970.',
    'Webhook-Signature':
      'The signatures, separated by spaces. Each is v1 or v1a, a comma, and the base64 signature of id.timestamp.body.',
  },
  schema: Type.Object(eventMembers),
};
