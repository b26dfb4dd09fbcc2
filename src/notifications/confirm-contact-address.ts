import { Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse } from '../kernel/refusal.ts';
import type { Effect } from '../ledger/commit.ts';
import {
  type ContactCode,
  contactAddressOf,
  contactCodePattern,
  isCodeValid,
  matchesCode,
} from './contact/contact-code.ts';
import { consumeContactCode, countWrongEntry, findContactCodes } from './contact/contact-code-store.ts';
import { findPreferences, replaceVerifiedContacts } from './contact/contact-preferences-store.ts';
import { confirmationEffect } from './inbox/confirm-receipt.ts';
import { findDeliveries } from './notification/delivery-store.ts';
import { declinableChannelNames } from './notification/notification.ts';
import { literalUnion } from './notification/notification-shape.ts';
import type { NotificationPorts } from './ports.ts';
import { preferencesShape, preferencesView } from './state-preferences.ts';
import { notifyAddressChange } from './system-messages/notify-address-change.ts';

const request = {
  body: Type.Object(
    {
      channel: literalUnion(declinableChannelNames, 'The channel on which the server sent the code: email or sms.'),
      code: Type.String({ pattern: contactCodePattern, description: 'The code of six digits from the message.' }),
    },
    { additionalProperties: false },
  ),
};

type ConfirmCall = OperationCall<typeof request, NotificationPorts>;

/** Verifies an address by the code that was sent to it, and notifies the previous address. */
export const confirmContactAddress = defineOperation({
  name: 'confirmContactAddress',
  since: '1.0',
  method: 'POST',
  path: '/v1/contact-addresses/confirm',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'Confirm my address with the code that I received',
  description:
    'Confirms an address of the citizen whom the token names. It then replaces the address of the register. The previous address receives an official message about the change.',
  request,
  responses: { 200: { description: 'The preferences and addresses after this request.', schema: preferencesShape } },
  refusals: [
    'citizen-token-needed',
    'bad-request',
    'contact-code-wrong',
    'contact-code-needed',
    'register-unavailable',
  ],
  citizenData: true,
  run: confirmCode,
});

async function confirmCode(call: ConfirmCall): Promise<Decision | RefusedDecision> {
  const { ports, read, now } = call;
  const { citizenId } = call.caller;
  if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
  const codes = await findContactCodes({ ...ports, read }, citizenId);
  const code = codes.find(({ channel }) => channel === call.body.channel);
  if (code === undefined || !isCodeValid(code, now)) return { refusal: refuse('contact-code-needed') };
  // Concurrent requests are all compared, but the right code is accepted only if fewer than five wrong ones were stored before it.
  if (!matchesCode(code, call.body.code)) return wrongCode(call, citizenId, code);
  return await acceptCode(call, citizenId, code);
}

function wrongCode(call: ConfirmCall, citizenId: string, code: ContactCode): RefusedDecision {
  const head = { id: call.createId('event'), at: call.now, actor: { citizen: true } } as const;
  return {
    refusal: refuse('contact-code-wrong'),
    effect: {
      events: [{ type: 'contact-address.code-wrong', ...head, citizenId, channel: code.channel }],
      statements: [countWrongEntry(citizenId, code)],
    },
  };
}

async function acceptCode(
  call: ConfirmCall,
  citizenId: string,
  code: ContactCode,
): Promise<Decision | RefusedDecision> {
  const { ports, read, now } = call;
  const { channel, address } = code;
  const deps = { ...ports, read };
  // Read first, because the unit expects it to be unchanged: nothing that is read later can be older.
  const before = await findPreferences(deps, citizenId);
  const contact = await ports.contactOf(citizenId);
  // A citizen who has left the register has no address.
  if (contact === undefined) return { refusal: refuse('contact-code-needed') };
  const verifiedAddress = { address, verifiedAt: formatInstant(now) };
  const verified = { ...before.verified, [channel === 'email' ? 'email' : 'phone']: verifiedAddress };
  const key = await ports.citizenKeys.keyOf(citizenId);
  const head = { id: call.createId('event'), at: now, actor: { citizen: true } } as const;
  const isNew = contactAddressOf(contact, channel) !== address;
  const notice = isNew ? await notifyAddressChange(call, { citizenId, contact, channel }) : undefined;
  const receipt = await receiptEffectOf(call, code);
  const others = (await findContactCodes(deps, citizenId)).filter((one) => one.channel !== channel);
  return {
    effect: {
      events: [
        { type: 'contact-address.confirmed', ...head, citizenId, channel },
        ...(notice === undefined ? [] : [notice.event]),
        ...(receipt?.events ?? []),
      ],
      statements: [
        consumeContactCode(citizenId, code),
        replaceVerifiedContacts({ citizenId, value: verified, now, key }, before.sealedVerified, ports.random),
        ...(notice?.statements ?? []),
        ...(receipt?.statements ?? []),
      ],
    },
    answer: { status: 200, json: preferencesView({ ...before, verified, codes: others }, call) },
    // The code was used or tried, or the addresses or the message of the code have changed: try again.
    onConflict: () => confirmCode(call),
  };
}

/** The code proves that the citizen has read its message. */
async function receiptEffectOf(
  { read, now, createId }: ConfirmCall,
  { notification }: ContactCode,
): Promise<Effect | undefined> {
  const [delivery] = await findDeliveries(read, notification);
  if (delivery === undefined) return undefined;
  const effect = await confirmationEffect({ read, createId, clock: { now: () => now } }, delivery.id, 'code');
  return effect === 'known' ? undefined : effect;
}
