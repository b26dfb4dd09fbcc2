import { type Static, Type } from 'typebox';
import { type Call, defineOperation } from '../api/operation.ts';
import { toInstant } from '../kernel/clock.ts';
import { type Issue, refuse } from '../kernel/problem.ts';
import { type ChannelName, categories, channelNames, type DeliveryOutline, foldStatus } from './notification.ts';
import { oneOf, receiptOf } from './notification-shape.ts';
import { insertion, type NewDelivery } from './notification-store.ts';
import type { NotificationPorts } from './ports.ts';
import { sealContent } from './sealed-content.ts';

const dayMs = 86_400_000;
const longestWaitMs = 366 * dayMs;
/** By when a message has to arrive if the sender does not say: within two weeks. */
const defaultDeliverWithinMs = 14 * dayMs;
const defaultChannels: readonly ChannelName[] = ['inbox', 'email'];

const instant = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description }));

const body = Type.Object(
  {
    citizenId: Type.String({ minLength: 1, maxLength: 128, description: 'The id of the citizen in the register.' }),
    message: Type.String({
      minLength: 1,
      maxLength: 20_000,
      description: 'The text of the message, plain or in restricted Markdown. The whole body is at most 64 KiB.',
    }),
    subject: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'One line; without it the sender is named.' }),
    ),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Your own reference, to find the notification by. It need not be unique; put no personal data in it.',
      }),
    ),
    category: Type.Optional(
      oneOf(categories, 'What kind of message it is (default information); urgent ones go before all others.'),
    ),
    language: Type.Optional(
      Type.String({
        maxLength: 35,
        pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$',
        description: 'The language of the message (BCP 47); without it the citizen’s own is assumed.',
      }),
    ),
    sendAt: instant('Not sent before this; in the future, at most a year ahead.'),
    deliverBy: instant('Undeliverable if not delivered by then; after sendAt, default two weeks after it.'),
    channels: Type.Optional(
      Type.Array(oneOf(channelNames, 'A channel.'), {
        minItems: 1,
        maxItems: channelNames.length,
        uniqueItems: true,
        description: 'The channels, all used at once; the inbox is used always. Default: inbox and email.',
      }),
    ),
  },
  { additionalProperties: false },
);

const request = { body };

const accepted = Type.Object({
  id: Type.String(),
  citizenId: Type.String(),
  reference: Type.Union([Type.String(), Type.Null()]),
  status: Type.Literal('accepted'),
  createdAt: Type.String({ format: 'date-time' }),
  sendAt: Type.Optional(Type.String({ format: 'date-time' })),
  deliverBy: Type.String({ format: 'date-time' }),
  receipt: Type.String({ description: 'The ledger receipt of the acceptance.' }),
});

/**
 * Accepts one message to one citizen. For a citizen of the register the copy in the inbox is placed in this very unit,
 * so its event is the acceptance; the other channels are queued.
 */
export const sendNotification = defineOperation({
  name: 'sendNotification',
  since: '1.0',
  method: 'POST',
  path: '/v1/notifications/send',
  scope: 'notifications:send',
  summary: 'Send an official notification to a citizen',
  description:
    'The answer comes when the message is durable; delivery follows. Send an Idempotency-Key, and repeat with the same key until you get an answer: there will be one notification. An unknown citizen is accepted and ends undeliverable.',
  request,
  responses: {
    202: {
      description: 'Accepted and durable.',
      schema: accepted,
      headers: { Location: 'Where its status is.', 'Idempotent-Replayed': 'true where an earlier answer is repeated.' },
    },
  },
  refusals: ['bad-request'],
  idempotent: true,
  citizenData: true,
  run: async (call: Call<typeof request, NotificationPorts>) => {
    const { citizenId, message, subject, category = 'information', reference = null } = call.body;
    const times = timesOf(call.body, call.now);
    const issues = [...textIssues(call.body), ...times.issues];
    if (issues.length > 0) return { refusal: refuse('bad-request', 'See issues[].', { issues }) };

    const [contact, key] = await Promise.all([
      call.ports.contactOf(citizenId),
      call.ports.citizenKeys.keyOf(citizenId),
    ]);
    const id = call.mint('notification');
    const event = call.mint('event');
    const deliveries = newDeliveries(call, times.sendAt, contact !== undefined);
    const notification = {
      id,
      clientId: call.caller.clientId,
      citizenId,
      reference,
      category,
      language: call.body.language ?? contact?.language ?? null,
      status: foldStatus(times.sendAt === null ? 'accepted' : 'scheduled', deliveries.map(outlineOfNew), false),
      content: sealContent(key, id, { subject, message }, call.ports.random),
      createdAt: call.now,
      sendAt: times.sendAt,
      deliverBy: times.deliverBy,
      acceptedEvent: event,
    };
    const actor = { client: call.caller.clientId };
    return {
      effect: {
        events: [{ type: 'notification.accepted', id: event, at: call.now, actor, citizenId, notification: id }],
        statements: insertion(notification, deliveries),
      },
      answer: {
        status: 202,
        headers: { location: `/v1/notifications/${id}` },
        json: {
          id,
          citizenId,
          reference,
          status: 'accepted',
          createdAt: toInstant(call.now),
          ...(times.sendAt === null ? {} : { sendAt: toInstant(times.sendAt) }),
          deliverBy: toInstant(times.deliverBy),
          receipt: receiptOf(notification),
        },
      },
    };
  },
});

/** One delivery for each channel; the one in the inbox is already made where the citizen is known and may see it now. */
function newDeliveries(
  call: Call<typeof request, NotificationPorts>,
  sendAt: number | null,
  known: boolean,
): NewDelivery[] {
  const wanted = call.body.channels ?? defaultChannels;
  return channelNames
    .filter((channel) => channel === 'inbox' || wanted.includes(channel))
    .map((channel) => ({
      id: call.mint('delivery'),
      channel,
      priority: call.body.category === 'urgent' ? 0 : 1,
      start:
        channel === 'inbox' && known && sendAt === null
          ? { status: 'sent', at: call.now }
          : { status: 'queued', runAt: sendAt ?? call.now },
    }));
}

function outlineOfNew({ channel, start }: NewDelivery): DeliveryOutline {
  return { channel, attempts: 0, status: start.status };
}

type Times = { readonly sendAt: number | null; readonly deliverBy: number; readonly issues: readonly Issue[] };

function timesOf({ sendAt: sendText, deliverBy: deliverText }: Static<typeof body>, now: number): Times {
  const issues: Issue[] = [];
  const add = (pointer: string, code: string, detail: string) => issues.push({ in: 'body', pointer, code, detail });
  const sendAt = sendText === undefined ? null : Date.parse(sendText);
  if (Number.isNaN(sendAt)) add('/sendAt', 'malformed', 'must be an instant without a leap second');
  else if (sendAt !== null && sendAt <= now) add('/sendAt', 'out-of-range', 'must be in the future');
  else if (sendAt !== null && sendAt > now + longestWaitMs) add('/sendAt', 'out-of-range', 'at most a year ahead');
  const begin = sendAt === null || Number.isNaN(sendAt) ? now : sendAt;
  const deliverBy = deliverText === undefined ? begin + defaultDeliverWithinMs : Date.parse(deliverText);
  if (Number.isNaN(deliverBy)) add('/deliverBy', 'malformed', 'must be an instant without a leap second');
  else if (deliverBy <= begin) add('/deliverBy', 'out-of-range', 'must be in the future, and after sendAt');
  else if (deliverBy > begin + longestWaitMs) add('/deliverBy', 'out-of-range', 'at most a year after sending');
  return { sendAt, deliverBy, issues };
}

function textIssues({ message, subject, reference, citizenId }: Static<typeof body>): Issue[] {
  const line = /^(?=\s*\S)[^\p{Cc}\u2028\u2029]*$/u;
  const text = /^(?=\s*\S)(?:[\t\n\r]|[^\p{Cc}])*$/u;
  const fits: ReadonlyArray<[string, string | undefined, RegExp, string]> = [
    ['/citizenId', citizenId, line, 'must be one line without control characters'],
    ['/message', message, text, 'must hold text, and no control characters besides line breaks and tabs'],
    ['/subject', subject, line, 'must be one line of text without control characters'],
    ['/reference', reference, line, 'must be one line of text without control characters'],
  ];
  return fits.flatMap(([pointer, value, pattern, detail]) =>
    value === undefined || pattern.test(value) ? [] : [{ in: 'body', pointer, code: 'malformed', detail }],
  );
}
