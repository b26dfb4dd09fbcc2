import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { insertPausedChannel } from '../notifications/notification/paused-channel-store.ts';
import { changeChannel } from './change-channel.ts';
import { channelParams, sealPause } from './channel-pause.ts';
import type { StaffPorts } from './ports.ts';
import { actReasonSchema } from './proposal.ts';
import { staffOf } from './staff-member.ts';

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
  run: async (call: OperationCall<typeof request, StaffPorts>) => {
    const { channel } = call.params;
    const { reason } = call.body;
    const content = sealPause(call.ports, channel, { name: staffOf(call.caller).name, reason });
    const statement = insertPausedChannel({ channel, at: call.now, content });
    return changeChannel(call, { operation: 'pauseChannel', channel, reason, statement });
  },
});
