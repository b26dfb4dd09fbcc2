import { Type } from 'typebox';
import { type Call, type Decision, defineOperation, type Refused } from '../../api/operation.ts';
import { toInstant } from '../../kernel/clock.ts';
import { refusalOfIssues, refuse } from '../../kernel/problem.ts';
import { houseMessage } from '../house-message.ts';
import { timedChannelNames } from '../notification.ts';
import { oneOf } from '../notification-shape.ts';
import { phrasesOf } from '../phrases-by-language.ts';
import type { NotificationPorts } from '../ports.ts';
import { codeLimits, drawCode, parseContactAddress } from './contact-code.ts';
import { clearCodes, countAsked, nextCodeDay, saveCode } from './contact-code-store.ts';

const request = {
  body: Type.Object(
    {
      channel: oneOf(timedChannelNames, 'How messages go to this address.'),
      address: Type.String({
        minLength: 3,
        maxLength: 254,
        description: 'A mail address; or a phone number in E.164, as +4740000000.',
      }),
    },
    { additionalProperties: false },
  ),
};

type AskCall = Call<typeof request, NotificationPorts>;

/**
 * A citizen wants an address verified: a code goes there, and whoever enters it reads what comes there. The message with the code
 * is one of the server itself that never lies in the inbox, since who is signed in as somebody else reads that.
 */
export const askContactCode = defineOperation({
  name: 'askContactCode',
  since: '1.0',
  method: 'POST',
  path: '/v1/contact-addresses',
  scope: 'citizen:self',
  summary: 'Have a code sent to an address of mine',
  description:
    'For the citizen whom the token names. Sends a code of six digits to the address, good for 15 minutes and five tries, in place of the one before by this channel. The address counts once the code was entered at /v1/contact-addresses/confirm. Nothing is said of who else may have that address.',
  request,
  responses: {
    202: {
      description: 'The code is on its way.',
      schema: Type.Object({
        channel: oneOf(timedChannelNames, 'The channel.'),
        endsAt: Type.String({ format: 'date-time', description: 'Until when the code is good.' }),
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
  run: async (call: AskCall): Promise<Decision | Refused> => {
    const { ports, now } = call;
    const { citizenId } = call.caller;
    const { channel } = call.body;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const address = parseContactAddress(channel, call.body.address);
    if (address === undefined) return { refusal: refusalOf('/address', 'malformed', forms[channel]) };
    if (!ports.cascade.providers.has(channel)) return { refusal: refusalOf('/channel', 'not-allowed', notHere) };
    const contact = await ports.contactOf(citizenId);
    if (contact === undefined) return { refusal: refuse('citizen-not-found') };
    const code = drawCode(ports.random);
    const endsAt = now + codeLimits.minutes * 60_000;
    const phrases = phrasesOf(contact.language);
    const head = { id: call.mint('event'), at: now, actor: { citizen: true } } as const;
    const sending = await houseMessage(call, {
      citizenId,
      content: { subject: phrases.code.subject, message: phrases.code.text(code, codeLimits.minutes), address },
      language: phrases.language,
      steps: [{ channel, runAt: now, reminder: false }],
      deliverBy: endsAt,
    });
    const key = await ports.citizenKeys.keyOf(citizenId);
    const saved = { channel, address, code, notification: sending.id, endsAt };
    return {
      effect: {
        events: [{ type: 'contact-address.asked', ...head, citizenId, channel }, sending.event],
        statements: [
          ...countAsked({ citizenId, channel, address, countKey: ports.codeCountKey, now }),
          saveCode({ citizenId, key, random: ports.random }, saved),
          ...clearCodes(now),
          ...sending.statements,
        ],
      },
      answer: { status: 202, json: { channel, endsAt: toInstant(endsAt) } },
      // Only the counts at the begin of the unit expect rows.
      onRefused: () => {
        const seconds = Math.ceil((nextCodeDay(now) - now) / 1_000);
        return refuse('too-many-contact-codes', undefined, {
          headers: { 'retry-after': String(seconds) },
        });
      },
    };
  },
});

const forms = {
  email: 'must be one address that mail can be sent to, its part before the @ in ASCII',
  sms: 'must be a phone number in E.164, as +4740000000',
} as const;
const notHere =
  'must be a channel that this server can send by; `confirmable` of GET /v1/contact-preferences has those';

function refusalOf(pointer: string, code: string, detail: string) {
  return refusalOfIssues([{ in: 'body', pointer, code, detail }]);
}
