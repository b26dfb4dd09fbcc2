import { Type } from 'typebox';
import { type Decision, defineOperation, type OperationCall, type RefusedDecision } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { findContactCodes } from './contact/contact-code-store.ts';
import { findPreferences, replaceVerifiedContacts } from './contact/contact-preferences-store.ts';
import { declinableChannelNames } from './notification/notification.ts';
import { literalUnion } from './notification/notification-shape.ts';
import type { NotificationPorts } from './ports.ts';
import { preferencesShape, preferencesView } from './state-preferences.ts';
import { notifyAddressChange } from './system-messages/notify-address-change.ts';

const request = {
  query: Type.Object(
    { channel: literalUnion(declinableChannelNames, 'The channel of the address: email or sms.') },
    { additionalProperties: false },
  ),
};

/** Removes a verified address. The address in the register is used again, and the removed address is notified. */
export const removeContactAddress = defineOperation({
  name: 'removeContactAddress',
  since: '1.0',
  method: 'DELETE',
  path: '/v1/contact-addresses',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'Remove one of my verified addresses',
  description:
    'Removes a verified address of the citizen whom the token names. The server then uses the address of the register, if there is one. The removed address receives an official message about the change.',
  request,
  responses: { 200: { description: 'The preferences and addresses after this request.', schema: preferencesShape } },
  refusals: [
    'citizen-token-needed',
    'citizen-not-found',
    'contact-address-not-found',
    'bad-request',
    'register-unavailable',
  ],
  citizenData: true,
  run: removeAddress,
});

async function removeAddress(
  call: OperationCall<typeof request, NotificationPorts>,
): Promise<Decision | RefusedDecision> {
  const { ports, read, now } = call;
  const { citizenId } = call.caller;
  const { channel } = call.query;
  if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
  const deps = { ...ports, read };
  // Read first, because the unit expects it to be unchanged: nothing that is read later can be older.
  const before = await findPreferences(deps, citizenId);
  const contact = await ports.contactOf(citizenId);
  if (contact === undefined) return { refusal: refuse('citizen-not-found') };
  const part = channel === 'email' ? 'email' : 'phone';
  if (before.verified[part] === undefined) return { refusal: refuse('contact-address-not-found') };
  const verified = { ...before.verified, [part]: undefined };
  const key = await ports.citizenKeys.keyOf(citizenId);
  const head = { id: call.createId('event'), at: now, actor: { citizen: true } } as const;
  const notice = await notifyAddressChange(call, { citizenId, contact, channel });
  const codes = await findContactCodes(deps, citizenId);
  return {
    effect: {
      events: [{ type: 'contact-address.removed', ...head, citizenId, channel }, notice.event],
      statements: [
        replaceVerifiedContacts({ citizenId, value: verified, now, key }, before.sealedVerified, ports.random),
        ...notice.statements,
      ],
    },
    answer: { status: 200, json: preferencesView({ ...before, verified, codes }, call) },
    // Another request has changed an address: try again.
    onConflict: () => removeAddress(call),
  };
}
