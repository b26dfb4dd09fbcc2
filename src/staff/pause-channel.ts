import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { insertPausedChannel } from '../notifications/notification/paused-channel-store.ts';
import { channelParams, sealPause } from './channel-pause.ts';
import type { StaffPorts } from './ports.ts';
import { actReasonSchema } from './proposal.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { staffActor, staffOf } from './staff-member.ts';

const request = {
  params: channelParams,
  body: Type.Object(
    { reason: actReasonSchema('Why the channel is paused, for the staff log.') },
    { additionalProperties: false },
  ),
};

/** Pauses a channel in all processes. Deliveries that have begun end; all others wait. */
export const pauseChannel = defineOperation({
  name: 'pauseChannel',
  since: '1.0',
  method: 'POST',
  path: '/v1/staff/queues/{channel}/pause',
  scope: 'staff:operate',
  callers: ['staff'],
  summary: 'Pause a channel',
  description:
    'Stops all new deliveries by this channel, of all services and in all processes, until somebody resumes it. Deliveries that have begun end. A message whose deliverBy passes meanwhile fails.',
  request,
  responses: {
    200: {
      description: 'The channel is paused.',
      schema: Type.Object({ channel: Type.String({ description: 'The paused channel.' }) }),
    },
  },
  refusals: ['affects-all-services', 'conflict'],
  citizenData: true,
  run: async ({ params, body, caller, now, createId, ports }: OperationCall<typeof request, StaffPorts>) => {
    const { channel } = params;
    const member = staffOf(caller);
    if (member.service !== null) return { refusal: refuse('affects-all-services') };
    const event = { type: 'channel.changed', id: createId('event'), at: now, actor: staffActor(member) } as const;
    const { name } = member;
    const { reason } = body;
    return {
      effect: {
        events: [{ ...event, channel, change: 'paused' }],
        statements: [
          insertPausedChannel({ channel, at: now, content: sealPause(ports, channel, { name, reason }) }),
          ...insertStaffEntry(ports, {
            id: createId('staffEntry'),
            at: now,
            member,
            operation: 'pauseChannel',
            reason,
            before: { channel, paused: false },
            after: { channel, paused: true },
            events: [event.id],
          }),
        ],
      },
      answer: { status: 200, json: { channel } },
      onConflict: () => refuse('conflict', 'The channel is already paused.'),
    };
  },
});
