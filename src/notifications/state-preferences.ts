import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse, refuseIssues } from '../kernel/refusal.ts';
import { type ContactCode, isCodeValid } from './contact/contact-code.ts';
import { findContactCodes } from './contact/contact-code-store.ts';
import { contactPreferencesShape, mergedPreferences, preferencesFault } from './contact/contact-preferences.ts';
import { findPreferences, savePreferences } from './contact/contact-preferences-store.ts';
import { declinableChannelNames } from './notification/notification.ts';
import type { NotificationPorts } from './ports.ts';

const request = { body: contactPreferencesShape };

/** The preferences as the API returns them, with the verified addresses. */
export const preferencesShape = Type.Object(
  {
    ...contactPreferencesShape.properties,
    verified: Type.Array(
      Type.Object(
        {
          channel: Type.String({ description: 'The channel of the address: email or sms.' }),
          address: Type.String(),
          verifiedAt: Type.String({ format: 'date-time' }),
        },
        { $id: 'VerifiedAddress' },
      ),
      { description: 'The verified addresses, which replace those of the register.' },
    ),
    awaiting: Type.Array(
      Type.Object(
        {
          channel: Type.String({ description: 'The channel of the address: email or sms.' }),
          address: Type.String(),
          endsAt: Type.String({ format: 'date-time', description: 'The time at which the code expires.' }),
        },
        { $id: 'AwaitingAddress' },
      ),
      { description: 'The addresses that are not confirmed yet and have a valid code.' },
    ),
    confirmable: Type.Array(Type.String(), {
      description: 'The channels whose addresses can be verified by a code: email, sms.',
    }),
  },
  { $id: 'ContactPreferences' },
);

/** Replaces the preferences of a citizen. The cascade of every later notification follows them. */
export const statePreferences = defineOperation({
  name: 'statePreferences',
  since: '1.0',
  method: 'POST',
  path: '/v1/contact-preferences',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'Set my contact preferences',
  description:
    'Replaces all preferences of the citizen whom the token names, so all members are required. Empty lists and null mean no preference. If a sender requests channels for a notification, their order stays, without the channels that the citizen declined.',
  request,
  responses: { 200: { description: 'The preferences and addresses after this request.', schema: preferencesShape } },
  refusals: ['citizen-token-needed', 'citizen-not-found', 'bad-request', 'register-unavailable'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const { ports, body, now } = call;
    const { citizenId } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const fault = preferencesFault(body);
    if (fault !== undefined)
      return { refusal: refuseIssues([{ in: 'body', pointer: '', code: 'not-allowed', detail: fault }]) };
    if ((await ports.contactOf(citizenId)) === undefined) return { refusal: refuse('citizen-not-found') };
    const { preferences: before, verified } = await findPreferences({ ...ports, read: call.read }, citizenId);
    const value = mergedPreferences(body, before);
    const codes = await findContactCodes({ ...ports, read: call.read }, citizenId);
    const key = await ports.citizenKeys.keyOf(citizenId);
    const head = { id: call.createId('event'), at: now, actor: { citizen: true } } as const;
    return {
      effect: {
        events: [{ type: 'contact-wishes.stated', ...head, citizenId }],
        statements: [savePreferences({ citizenId, value, now, key }, ports.random)],
      },
      answer: { status: 200, json: preferencesView({ preferences: value, verified, codes }, call) },
    };
  },
});

type PreferencesDetails = Omit<Awaited<ReturnType<typeof findPreferences>>, 'sealedVerified'> & {
  readonly codes: readonly ContactCode[];
};

/** The JSON of `preferencesShape`. */
export function preferencesView(
  { preferences, verified, codes }: PreferencesDetails,
  { now, ports }: { readonly now: number; readonly ports: Pick<NotificationPorts, 'cascade'> },
) {
  const listed = [
    { channel: 'email', ...verified.email },
    { channel: 'sms', ...verified.phone },
  ];
  return {
    ...preferences,
    verified: listed.filter((one) => 'address' in one),
    awaiting: codes
      .filter((code) => isCodeValid(code, now))
      .map(({ channel, address, endsAt }) => ({ channel, address, endsAt: formatInstant(endsAt) })),
    confirmable: declinableChannelNames.filter((channel) => ports.cascade.providers.has(channel)),
  };
}
