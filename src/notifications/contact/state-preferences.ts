import { Type } from 'typebox';
import { type Call, defineOperation } from '../../api/operation.ts';
import { toInstant } from '../../kernel/clock.ts';
import { refusalOfIssues, refuse } from '../../kernel/problem.ts';
import { timedChannelNames } from '../notification.ts';
import type { NotificationPorts } from '../ports.ts';
import { type ContactCode, isGood } from './contact-code.ts';
import { findCodes } from './contact-code-store.ts';
import { findWishes, saveWishes } from './contact-wish-store.ts';
import { wishesFault, wishesShape } from './contact-wishes.ts';

const request = { body: wishesShape };

/** The preferences as the citizen reads them, with the addresses that were verified. */
export const preferencesShape = Type.Object({
  ...wishesShape.properties,
  verified: Type.Array(
    Type.Object({
      channel: Type.String({ description: 'email or sms.' }),
      address: Type.String(),
      verifiedAt: Type.String({ format: 'date-time' }),
    }),
    { description: 'The addresses that were verified; they are used before those of the register.' },
  ),
  awaiting: Type.Array(
    Type.Object({
      channel: Type.String({ description: 'email or sms.' }),
      address: Type.String(),
      endsAt: Type.String({ format: 'date-time', description: 'Until when the code is good.' }),
    }),
    { description: 'The addresses to which a code went that can still be entered.' },
  ),
  confirmable: Type.Array(Type.String(), {
    description: 'The channels whose addresses can be verified here by a code: email, sms.',
  }),
});

/** A citizen states how to be reached; the cascade of every later notification follows. */
export const statePreferences = defineOperation({
  name: 'statePreferences',
  since: '1.0',
  method: 'POST',
  path: '/v1/contact-preferences',
  scope: 'citizen:self',
  summary: 'How I wish to be reached',
  description:
    'For the citizen whom the token names. States all of it anew: what is left out is left to the policy of the server. Channels that a sender names for one notification keep their order; what is declined stays declined.',
  request,
  responses: { 200: { description: 'As it is kept now.', schema: preferencesShape } },
  refusals: ['citizen-token-needed', 'citizen-not-found', 'bad-request', 'register-unavailable'],
  citizenData: true,
  run: async (call: Call<typeof request, NotificationPorts>) => {
    const { ports, body: value, now } = call;
    const { citizenId } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const fault = wishesFault(value);
    if (fault !== undefined) {
      const issues = [{ in: 'body' as const, pointer: '', code: 'not-allowed', detail: fault }];
      return { refusal: refusalOfIssues(issues) };
    }
    if ((await ports.contactOf(citizenId)) === undefined) return { refusal: refuse('citizen-not-found') };
    const { verified } = await findWishes({ ...ports, read: call.read }, citizenId);
    const codes = await findCodes({ ...ports, read: call.read }, citizenId);
    const key = await ports.citizenKeys.keyOf(citizenId);
    const head = { id: call.mint('event'), at: now, actor: { citizen: true } } as const;
    return {
      effect: {
        events: [{ type: 'contact-wishes.stated', ...head, citizenId }],
        statements: [saveWishes({ citizenId, value, now, key }, ports.random)],
      },
      answer: { status: 200, json: preferencesView({ wishes: value, verified, codes }, call) },
    };
  },
});

type Preferences = Awaited<ReturnType<typeof findWishes>> & { readonly codes: readonly ContactCode[] };

/** What is kept, as the answer has it. */
export function preferencesView(
  { wishes, verified, codes }: Preferences,
  { now, ports }: { readonly now: number; readonly ports: Pick<NotificationPorts, 'cascade'> },
) {
  const listed = [
    { channel: 'email', ...verified.email },
    { channel: 'sms', ...verified.phone },
  ];
  return {
    ...wishes,
    verified: listed.filter((one) => 'address' in one),
    awaiting: codes
      .filter((code) => isGood(code, now))
      .map(({ channel, address, endsAt }) => ({ channel, address, endsAt: toInstant(endsAt) })),
    confirmable: timedChannelNames.filter((channel) => ports.cascade.providers.has(channel)),
  };
}
