import { Type } from 'typebox';
import { channelNames, notificationStatuses } from '../notification/notification.ts';
import { literalUnion } from '../notification/notification-shape.ts';
import { reasonCodes } from '../notification/reason.ts';
import { feedEventTypes, feedOutcomes } from './feed-store.ts';

const data = Type.Object(
  {
    notification: Type.String({ description: 'Its id.' }),
    reference: Type.Union([Type.String(), Type.Null()], { description: 'Yours, as it was sent.' }),
    status: literalUnion(notificationStatuses, 'The status of the notification behind the event.'),
    delivery: Type.Optional(Type.String({ description: 'Of notification.delivery-ended: the id of the delivery.' })),
    channel: Type.Optional(literalUnion(channelNames, 'Its channel.')),
    outcome: Type.Optional(literalUnion(feedOutcomes, 'What came of it.')),
    reason: Type.Optional(
      literalUnion(reasonCodes, 'Why a delivery had no success, or the notification is undeliverable; as reason.code.'),
    ),
  },
  { additionalProperties: true, description: 'Nothing about the citizen.' },
);

/** The members of an event in the feed and in the calls of webhooks. */
export const eventMembers = {
  number: Type.Integer({ description: 'Counts this client’s events from 1, without gaps.' }),
  type: Type.String({ description: `What happened: ${feedEventTypes.join(', ')}; more may come.` }),
  timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
  data,
};

/** The call of a webhook, for the OpenAPI document. */
export const eventCall = {
  name: 'receiveEvent',
  tag: 'events',
  summary: 'Something became of a notification',
  description:
    'Verify webhook-signature before you believe it, and answer within 15 seconds. The same event may come more than once, and with the same webhook-id then.',
  headers: {
    'Webhook-Id': 'The id of the event, the same in each try.',
    'Webhook-Timestamp': 'When this try was made, in seconds since 1970.',
    'Webhook-Signature':
      'v1 or v1a, a comma and the signature in base64 over id, timestamp and body with dots between; several with blanks between.',
  },
  schema: Type.Object(eventMembers),
};
