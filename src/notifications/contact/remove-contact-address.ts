import { Type } from 'typebox';
import { type Call, type Decision, defineOperation, type Refused } from '../../api/operation.ts';
import { refuse } from '../../kernel/problem.ts';
import { timedChannelNames } from '../notification.ts';
import { oneOf } from '../notification-shape.ts';
import type { NotificationPorts } from '../ports.ts';
import { tellOfChange } from './address-changed.ts';
import { findCodes } from './contact-code-store.ts';
import { findVerified, findWishes, replaceVerified } from './contact-wish-store.ts';
import { preferencesShape, preferencesView } from './state-preferences.ts';

const request = {
  query: Type.Object(
    { channel: oneOf(timedChannelNames, 'The channel of the address: email or sms.') },
    { additionalProperties: false },
  ),
};

/** A citizen takes a verified address away: that of the register counts again, and the one that was removed is told. */
export const removeContactAddress = defineOperation({
  name: 'removeContactAddress',
  since: '1.0',
  method: 'DELETE',
  path: '/v1/contact-addresses',
  scope: 'citizen:self',
  summary: 'Remove a verified address of mine',
  description:
    'For the citizen whom the token names. The address of the register is used again, if there is one. The address that was removed gets an official message that it was changed.',
  request,
  responses: { 200: { description: 'As it is kept now.', schema: preferencesShape } },
  refusals: [
    'citizen-token-needed',
    'citizen-not-found',
    'contact-address-not-found',
    'bad-request',
    'register-unavailable',
  ],
  citizenData: true,
  run: remove,
});

async function remove(call: Call<typeof request, NotificationPorts>): Promise<Decision | Refused> {
  const { ports, read, now } = call;
  const { citizenId } = call.caller;
  const { channel } = call.query;
  if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
  const parts = { ...ports, read };
  // First what the unit expects to be as it was: nothing that is read behind it can be older.
  const before = await findVerified(parts, citizenId);
  const [contact, { wishes }] = [await ports.contactOf(citizenId), await findWishes(parts, citizenId)];
  if (contact === undefined) return { refusal: refuse('citizen-not-found') };
  const part = channel === 'email' ? 'email' : 'phone';
  if (before.verified[part] === undefined) return { refusal: refuse('contact-address-not-found') };
  const verified = { ...before.verified, [part]: undefined };
  const key = await ports.citizenKeys.keyOf(citizenId);
  const head = { id: call.mint('event'), at: now, actor: { citizen: true } } as const;
  const news = await tellOfChange(call, { citizenId, contact, channel });
  const codes = await findCodes(parts, citizenId);
  return {
    effect: {
      events: [{ type: 'contact-address.removed', ...head, citizenId, channel }, news.event],
      statements: [
        replaceVerified({ citizenId, value: verified, now, key }, before.sealed, ports.random),
        ...news.statements,
      ],
    },
    answer: { status: 200, json: preferencesView({ wishes, verified, codes }, call) },
    // Another request changed an address meanwhile: look again.
    onRefused: () => remove(call),
  };
}
