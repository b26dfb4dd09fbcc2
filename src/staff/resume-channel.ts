import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { deletePausedChannel } from '../notifications/notification/paused-channel-store.ts';
import { changeChannel } from './change-channel.ts';
import { channelParams } from './channel-pause.ts';
import type { StaffPorts } from './ports.ts';
import { actReasonSchema } from './proposal.ts';

const request = {
  params: channelParams,
  body: Type.Object(
    { reason: actReasonSchema('Why the channel delivers again, for the staff log.') },
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
  run: async (call: OperationCall<typeof request, StaffPorts>) => {
    const { channel } = call.params;
    const { reason } = call.body;
    return changeChannel(call, {
      operation: 'resumeChannel',
      channel,
      reason,
      statement: deletePausedChannel(channel),
    });
  },
});
