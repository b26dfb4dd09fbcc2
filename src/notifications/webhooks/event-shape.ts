import { Type } from 'typebox';
import { channelNames, notificationStatuses } from '../notification/notification.ts';
import { literalUnion, statusDescription } from '../notification/notification-shape.ts';
import { reasonCodes } from '../notification/reason.ts';
import { feedEventTypes, feedOutcomes } from './feed-store.ts';

const data = Type.Object(
  {
    notification: Type.String({ description: 'The id of the notification.' }),
    reference: Type.Union([Type.String(), Type.Null()], { description: 'The reference that you sent with it.' }),
    status: literalUnion(notificationStatuses, `After the event. ${statusDescription}`),
    delivery: Type.Optional(Type.String({ description: 'The id of the delivery, for notification.delivery-ended.' })),
    channel: Type.Optional(
      literalUnion(channelNames, 'The channel of the delivery, or of the link for notification.confirmed.'),
    ),
    outcome: Type.Optional(literalUnion(feedOutcomes, 'The outcome of the delivery attempt.')),
    reason: Type.Optional(
      literalUnion(reasonCodes, 'Why the delivery failed, or why the notification ended without proof: a reason.code.'),
    ),
  },
  { $id: 'EventData', additionalProperties: true, description: 'Contains no data about the citizen.' },
);

/** The members of an event in the feed and in the calls of webhooks. */
export const eventMembers = {
  number: Type.Integer({ description: 'Counts the events of this client from 1, without gaps.' }),
  type: Type.String({ description: `The type of the event: ${feedEventTypes.join(', ')}. Ignore unknown types.` }),
  timestamp: Type.String({ format: 'date-time', description: 'When the event happened.' }),
  data,
};

/** The call of a webhook, for the OpenAPI document. */
export const eventCall = {
  name: 'receiveEvent',
  tag: 'events',
  summary: 'An event of a notification',
  description:
    'Verify webhook-signature before you trust the call, and answer within 15 seconds. A call can repeat, with the same webhook-id.',
  headers: {
    'Webhook-Id': 'The id of the event, the same in each attempt.',
    'Webhook-Timestamp': 'The time of this attempt, in seconds since 1970.',
    'Webhook-Signature':
      'The signatures, separated by spaces. Each is v1 or v1a, a comma, and the base64 signature of id.timestamp.body.',
  },
  schema: Type.Object(eventMembers),
};
