import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import { deletePausedChannel } from '../notifications/notification/paused-channel-store.ts';
import { channelParams } from './channel-pause.ts';
import type { StaffPorts } from './ports.ts';
import { actReasonSchema } from './proposal.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { staffActor, staffOf } from './staff-member.ts';

const request = {
  params: channelParams,
  body: Type.Object(
    { reason: Type.Optional(actReasonSchema('Why the channel delivers again, for the staff log.')) },
    { additionalProperties: false },
  ),
};

/** Ends the pause of a channel. Each worker sees it at its next poll, within about a second. */
export const resumeChannel = defineOperation({
  name: 'resumeChannel',
  since: '1.0',
  method: 'POST',
  path: '/v1/staff/queues/{channel}/resume',
  scope: 'staff:operate',
  callers: ['staff'],
  summary: 'Resume a channel',
  description: 'Ends the pause of a channel. The waiting deliveries begin within about a second.',
  request,
  responses: {
    200: {
      description: 'The channel is not paused.',
      schema: Type.Object({ channel: Type.String({ description: 'The channel that delivers again.' }) }),
    },
  },
  refusals: ['affects-all-services', 'conflict'],
  citizenData: true,
  run: async ({ params, body, caller, now, createId, ports }: OperationCall<typeof request, StaffPorts>) => {
    const { channel } = params;
    const member = staffOf(caller);
    if (member.service !== null) return { refusal: refuse('affects-all-services') };
    const event = { type: 'channel.changed', id: createId('event'), at: now, actor: staffActor(member) } as const;
    return {
      effect: {
        events: [{ ...event, channel, change: 'resumed' }],
        statements: [
          deletePausedChannel(channel),
          ...insertStaffEntry(ports, {
            id: createId('staffEntry'),
            at: now,
            member,
            operation: 'resumeChannel',
            reason: body.reason,
            before: { channel, paused: true },
            after: { channel, paused: false },
            events: [event.id],
          }),
        ],
      },
      answer: { status: 200, json: { channel } },
      onConflict: () => refuse('conflict', 'The channel is not paused.'),
    };
  },
});
