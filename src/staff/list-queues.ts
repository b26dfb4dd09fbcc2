import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { countDueDeliveries, maxQueueCount } from '../notifications/delivery/queue-monitor.ts';
import { channelNames } from '../notifications/notification/notification.ts';
import { instantSchema, literalUnion } from '../notifications/notification/notification-shape.ts';
import { findPausedChannels } from '../notifications/notification/paused-channel-store.ts';
import { openPause } from './channel-pause.ts';
import type { StaffPorts } from './ports.ts';

const queueShape = Type.Object(
  {
    channel: literalUnion(channelNames, 'The channel.'),
    due: Type.Integer({
      minimum: 0,
      maximum: maxQueueCount,
      description: `The deliveries that wait and are due now. They are counted up to ${maxQueueCount}.`,
    }),
    oldestDueAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When the oldest of them became due. null: none waits.',
    }),
    paused: Type.Union(
      [
        Type.Object({
          at: instantSchema('Since when the channel takes no new delivery.'),
          name: Type.String({ description: 'The name of the person who paused it.' }),
          reason: Type.String({ description: 'Why it is paused.' }),
        }),
        Type.Null(),
      ],
      { description: 'The pause of the channel. null: it is not paused.' },
    ),
  },
  { $id: 'StaffQueue' },
);

/** Shows how many deliveries wait for each channel. It has no data of citizens. */
export const listQueues = defineOperation({
  name: 'listQueues',
  since: '1.0',
  method: 'GET',
  path: '/v1/staff/queues',
  scope: 'staff:operate',
  callers: ['staff'],
  summary: 'List the queues of the channels',
  description: 'Returns the waiting deliveries of each channel, and the channels that staff have paused.',
  request: {},
  responses: {
    200: { description: 'The queues.', schema: Type.Object({ items: Type.Array(queueShape) }) },
  },
  refusals: [],
  citizenData: false,
  run: async ({ read, ports, now }: OperationCall<Record<never, never>, StaffPorts>) => {
    const pauses = await findPausedChannels(read);
    const items = [];
    for (const channel of channelNames) {
      const { due, oldestSeconds } = await countDueDeliveries(read, channel, now);
      const pause = pauses.find((one) => one.channel === channel);
      items.push({
        channel,
        due,
        oldestDueAt: due === 0 ? null : formatInstant(now - oldestSeconds * 1_000),
        paused: pause === undefined ? null : { at: formatInstant(pause.at), ...openPause(ports, pause) },
      });
    }
    return { plain: { status: 200, json: { items } } };
  },
});
