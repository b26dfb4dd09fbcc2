import { Type } from 'typebox';
import { type Call, type Decision, defineOperation, type Refused } from '../../api/operation.ts';
import { toInstant } from '../../kernel/clock.ts';
import { refuse } from '../../kernel/problem.ts';
import type { Effect } from '../../ledger/commit.ts';
import { findDeliveries } from '../delivery/delivery-store.ts';
import { confirmation } from '../inbox/confirm-receipt.ts';
import { timedChannelNames } from '../notification.ts';
import { oneOf } from '../notification-shape.ts';
import type { NotificationPorts } from '../ports.ts';
import { tellOfChange } from './address-changed.ts';
import { type ContactCode, codePattern, contactAddressOf, isGood, isThatCode } from './contact-code.ts';
import { countTry, findCodes, takeCode } from './contact-code-store.ts';
import { findVerified, findWishes, replaceVerified } from './contact-wish-store.ts';
import { preferencesShape, preferencesView } from './state-preferences.ts';

const request = {
  body: Type.Object(
    {
      channel: oneOf(timedChannelNames, 'The channel by which the code came.'),
      code: Type.String({ pattern: codePattern, description: 'The code, six digits.' }),
    },
    { additionalProperties: false },
  ),
};

type ConfirmCall = Call<typeof request, NotificationPorts>;

/** A citizen enters the code that came: the address is verified, and the one of before is told. */
export const confirmContactAddress = defineOperation({
  name: 'confirmContactAddress',
  since: '1.0',
  method: 'POST',
  path: '/v1/contact-addresses/confirm',
  scope: 'citizen:self',
  summary: 'Enter the code that came to my address',
  description:
    'For the citizen whom the token names. The address is used from now on, before that of the register. The address of before gets an official message that it was changed.',
  request,
  responses: { 200: { description: 'As it is kept now.', schema: preferencesShape } },
  refusals: [
    'citizen-token-needed',
    'bad-request',
    'contact-code-wrong',
    'contact-code-needed',
    'register-unavailable',
  ],
  citizenData: true,
  run: confirm,
});

async function confirm(call: ConfirmCall): Promise<Decision | Refused> {
  const { ports, read, now } = call;
  const { citizenId } = call.caller;
  if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
  const codes = await findCodes({ ...ports, read }, citizenId);
  const code = codes.find(({ channel }) => channel === call.body.channel);
  if (code === undefined || !isGood(code, now)) return { refusal: refuse('contact-code-needed') };
  // Of many at once each is compared, but the right one counts only where fewer than five wrong ones were stored before it.
  if (!isThatCode(code, call.body.code)) return wrong(call, citizenId, code);
  return await right(call, citizenId, code);
}

function wrong(call: ConfirmCall, citizenId: string, code: ContactCode): Refused {
  const head = { id: call.mint('event'), at: call.now, actor: { citizen: true } } as const;
  return {
    refusal: refuse('contact-code-wrong'),
    effect: {
      events: [{ type: 'contact-address.code-wrong', ...head, citizenId, channel: code.channel }],
      statements: [countTry(citizenId, code)],
    },
  };
}

async function right(call: ConfirmCall, citizenId: string, code: ContactCode): Promise<Decision | Refused> {
  const { ports, read, now } = call;
  const { channel, address } = code;
  const parts = { ...ports, read };
  // First what the unit expects to be as it was: nothing that is read behind it can be older.
  const before = await findVerified(parts, citizenId);
  const [contact, { wishes }] = [await ports.contactOf(citizenId), await findWishes(parts, citizenId)];
  // Whoever left the register meanwhile has no address here.
  if (contact === undefined) return { refusal: refuse('contact-code-needed') };
  const own = { address, verifiedAt: toInstant(now) };
  const verified = { ...before.verified, [channel === 'email' ? 'email' : 'phone']: own };
  const key = await ports.citizenKeys.keyOf(citizenId);
  const head = { id: call.mint('event'), at: now, actor: { citizen: true } } as const;
  const isNew = contactAddressOf(contact, channel) !== address;
  const news = isNew ? await tellOfChange(call, { citizenId, contact, channel }) : undefined;
  const receipt = await receiptOf(call, code);
  const others = (await findCodes(parts, citizenId)).filter((one) => one.channel !== channel);
  return {
    effect: {
      events: [
        { type: 'contact-address.confirmed', ...head, citizenId, channel },
        ...(news === undefined ? [] : [news.event]),
        ...(receipt?.events ?? []),
      ],
      statements: [
        takeCode(citizenId, code),
        replaceVerified({ citizenId, value: verified, now, key }, before.sealed, ports.random),
        ...(news?.statements ?? []),
        ...(receipt?.statements ?? []),
      ],
    },
    answer: { status: 200, json: preferencesView({ wishes, verified, codes: others }, call) },
    // The code was used or tried, or something else became of the addresses or of its message: look again.
    onRefused: () => confirm(call),
  };
}

/** Who has the code has its message: that is proved by it, as by the link of a mail. */
async function receiptOf({ read, now, mint }: ConfirmCall, { notification }: ContactCode): Promise<Effect | undefined> {
  const [delivery] = await findDeliveries(read, notification);
  if (delivery === undefined) return undefined;
  const effect = await confirmation({ read, mint, clock: { now: () => now } }, delivery.id);
  return effect === 'before' ? undefined : effect;
}
