import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { setClientDisabled } from '../auth/client-store.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse } from '../kernel/refusal.ts';
import { instantSchema } from '../notifications/notification/notification-shape.ts';
import { removeClientWebhooks } from '../notifications/webhooks/webhook-store.ts';
import type { StaffPorts } from './ports.ts';
import { actReasonSchema } from './proposal.ts';
import { clientParams, findVisibleClient } from './read-registered-client.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { staffActor, staffOf } from './staff-member.ts';

const request = {
  params: clientParams,
  body: Type.Object(
    { reason: actReasonSchema('Why the client is disabled, for the staff log.') },
    { additionalProperties: false },
  ),
};

/** Disables a client permanently. One person may do this alone, because a stolen key must be stopped at once. */
export const disableClient = defineOperation({
  name: 'disableClient',
  since: '1.0',
  method: 'POST',
  path: '/v1/staff/clients/{id}/disable',
  scope: 'staff:operate',
  callers: ['staff'],
  summary: 'Disable a client',
  description:
    'Disables a client permanently, and removes its webhooks. Its tokens stop working within a minute. This needs no second person, so that you can stop a stolen key at once.',
  request,
  responses: {
    200: {
      description: 'The client is disabled.',
      schema: Type.Object({ clientId: Type.String(), disabledAt: instantSchema('When the client was disabled.') }),
    },
  },
  refusals: ['client-not-found', 'conflict'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, StaffPorts>) => {
    const { params, body, caller, now, createId, ports, read } = call;
    const member = staffOf(caller);
    const client = await findVisibleClient(read, params.id, member);
    if (client === undefined) return { refusal: refuse('client-not-found') };
    const { clientId } = client;
    const disabledAt = formatInstant(now);
    const event = { type: 'client.disabled', id: createId('event'), at: now, actor: staffActor(member) } as const;
    return {
      effect: {
        events: [{ ...event, clientId }],
        statements: [
          setClientDisabled(clientId, now),
          removeClientWebhooks(clientId),
          ...insertStaffEntry(ports, {
            id: createId('staffEntry'),
            at: now,
            member,
            operation: 'disableClient',
            reason: body.reason,
            before: { clientId, disabledAt: null },
            after: { clientId, disabledAt },
            events: [event.id],
          }),
        ],
      },
      answer: async () => {
        ports.clients.invalidate();
        return { status: 200, json: { clientId, disabledAt } };
      },
      onConflict: () => refuse('conflict', 'The client is already disabled.'),
    };
  },
});
