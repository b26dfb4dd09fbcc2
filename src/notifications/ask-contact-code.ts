import { Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { drawNumericCode } from '../kernel/numeric-code.ts';
import { type IssueCode, refuse, refuseIssues } from '../kernel/refusal.ts';
import { localeFor } from '../locales/locale.ts';
import { formatMessage } from '../locales/message-format.ts';
import { contactCodeLimits, parseContactAddress } from './contact/contact-code.ts';
import {
  countCodeRequest,
  deleteExpiredCodes,
  nextCodeCountDay,
  saveContactCode,
} from './contact/contact-code-store.ts';
import { declinableChannelNames } from './notification/notification.ts';
import { literalUnion } from './notification/notification-shape.ts';
import type { NotificationPorts } from './ports.ts';
import { systemMessage } from './system-messages/system-message.ts';

const request = {
  body: Type.Object(
    {
      channel: literalUnion(declinableChannelNames, 'The channel of this address: email or sms.'),
      address: Type.String({
        minLength: 3,
        maxLength: 254,
        description: 'The email address, or the phone number in E.164 format, such as +4740000000.',
      }),
    },
    { additionalProperties: false },
  ),
};

type AskCall = OperationCall<typeof request, NotificationPorts>;

/**
 * Sends a code to an address that a citizen wants to verify: entering the code proves access to that address. The message is a system
 * message without a copy in the inbox, because an attacker who is signed in as the citizen could read the code there.
 */
export const askContactCode = defineOperation({
  name: 'askContactCode',
  since: '1.0',
  method: 'POST',
  path: '/v1/contact-addresses',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'Send a code to one of my addresses',
  description:
    'Sends a code of six digits to an address of the citizen whom the token names. The code is valid for 15 minutes and five attempts, and replaces the previous code of this channel. The server uses the address after the citizen entered the code at /v1/contact-addresses/confirm. The response does not show whether others have the same address.',
  request,
  responses: {
    202: {
      description: 'The message with the code is queued.',
      schema: Type.Object({
        channel: literalUnion(declinableChannelNames, 'The channel: email or sms.'),
        endsAt: Type.String({ format: 'date-time', description: 'The time at which the code expires.' }),
      }),
    },
  },
  refusals: [
    'citizen-token-needed',
    'citizen-not-found',
    'bad-request',
    'too-many-contact-codes',
    'register-unavailable',
  ],
  citizenData: true,
  run: async (call: AskCall): Promise<Decision | RefusedDecision> => {
    const { ports, now } = call;
    const { citizenId } = call.caller;
    const { channel } = call.body;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const address = await parseContactAddress(channel, call.body.address, ports.phoneCountry);
    if (address === undefined) return { refusal: issueRefusal('/address', 'malformed', addressFormats[channel]) };
    if (!ports.cascade.providers.has(channel))
      return { refusal: issueRefusal('/channel', 'not-allowed', channelNotOffered) };
    const contact = await ports.contactOf(citizenId);
    if (contact === undefined) return { refusal: refuse('citizen-not-found') };
    const code = drawNumericCode(ports.random);
    const endsAt = now + contactCodeLimits.minutes * 60_000;
    const { language, systemMessage: texts } = localeFor(contact.language);
    const { subject, text } = texts.contactCode;
    const head = { id: call.createId('event'), at: now, actor: { citizen: true } } as const;
    const message = await systemMessage(call, {
      citizenId,
      content: {
        subject,
        message: formatMessage(language, text, { code, minutes: contactCodeLimits.minutes }),
        address,
      },
      language,
      steps: [{ channel, runAt: now, reminder: false }],
      deliverBy: endsAt,
    });
    const key = await ports.citizenKeys.keyOf(citizenId);
    const saved = { channel, address, code, notification: message.id, endsAt };
    return {
      effect: {
        events: [{ type: 'contact-address.asked', ...head, citizenId, channel }, message.event],
        statements: [
          ...countCodeRequest({ citizenId, channel, address, countKey: ports.codeCountKey, now }),
          saveContactCode({ citizenId, key, random: ports.random }, saved),
          ...deleteExpiredCodes(now),
          ...message.statements,
        ],
      },
      answer: { status: 202, json: { channel, endsAt: formatInstant(endsAt) } },
      // Only the counters at the start of the unit expect rows.
      onConflict: () => {
        const seconds = Math.ceil((nextCodeCountDay(now) - now) / 1_000);
        return refuse('too-many-contact-codes', undefined, { headers: { 'retry-after': String(seconds) } });
      },
    };
  },
});

const addressFormats = {
  email: 'must be one email address, in ASCII before the @',
  sms: 'must be a phone number in E.164 format, such as +4740000000',
} as const;
const channelNotOffered = 'must be one of the channels in `confirmable` of GET /v1/contact-preferences';

function issueRefusal(pointer: string, code: IssueCode, detail: string) {
  return refuseIssues([{ in: 'body', pointer, code, detail }]);
}
