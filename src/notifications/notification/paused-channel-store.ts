import type { Read, Statement } from '../../db/database.ts';
import { bytesField, enumField, integerField } from '../../db/row-fields.ts';
import { type ChannelName, channelNames } from './notification.ts';

/** A channel whose deliveries wait, since an instant (epoch milliseconds). The staff slice seals `content`. */
type PausedChannel = { readonly channel: ChannelName; readonly at: number; readonly content: Uint8Array };

/** The paused channels. */
export async function findPausedChannels(read: Read): Promise<readonly PausedChannel[]> {
  const rows = await read('select channel, at, content from paused_channel order by channel', []);
  return rows.map((row) => ({
    channel: enumField(row, 'channel', channelNames),
    at: integerField(row, 'at'),
    content: bytesField(row, 'content'),
  }));
}

/** Pauses a channel: `findWaitingLanes` and `claimDueDeliveries` then find none of its deliveries. Refused (`unique`) if it is paused. */
export function insertPausedChannel({ channel, at, content }: PausedChannel): Statement {
  return {
    sql: 'insert into paused_channel (channel, at, content) values ($1, $2, $3)',
    args: [channel, at, content],
  };
}

/** Ends the pause of a channel. Refused (`rows`) if it is not paused. */
export function deletePausedChannel(channel: ChannelName): Statement {
  return { sql: 'delete from paused_channel where channel = $1 returning channel', args: [channel], rows: 1 };
}
