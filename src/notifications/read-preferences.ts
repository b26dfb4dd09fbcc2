import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { findContactCodes } from './contact/contact-code-store.ts';
import { findPreferences } from './contact/contact-preferences-store.ts';
import type { NotificationPorts } from './ports.ts';
import { preferencesShape, preferencesView } from './state-preferences.ts';

const request = {};

/** Reads the citizen's own preferences and verified addresses. */
export const readPreferences = defineOperation({
  name: 'readPreferences',
  since: '1.0',
  method: 'GET',
  path: '/v1/contact-preferences',
  scope: 'citizen:self',
  callers: ['citizens'],
  summary: 'Read my contact preferences',
  description: 'Returns the preferences and verified addresses of the citizen whom the token names.',
  request,
  responses: { 200: { description: 'The current preferences and addresses.', schema: preferencesShape } },
  refusals: ['citizen-token-needed'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const { citizenId } = call.caller;
    if (citizenId === undefined) return { refusal: refuse('citizen-token-needed') };
    const deps = { ...call.ports, read: call.read };
    const [stored, codes] = await Promise.all([findPreferences(deps, citizenId), findContactCodes(deps, citizenId)]);
    const head = { id: call.createId('event'), at: call.now, actor: { citizen: true } } as const;
    return {
      effect: { events: [{ type: 'contact-wishes.read', ...head, citizenId }], statements: [] },
      answer: { status: 200, json: preferencesView({ ...stored, codes }, call) },
    };
  },
});
