import { Type } from 'typebox';
import { type ChannelName, channelNames } from '../notifications/notification/notification.ts';
import { literalUnion } from '../notifications/notification/notification-shape.ts';
import { openStaffValue, type StaffKeys, sealStaffValue } from './staff-entry-store.ts';

/** The person who paused a channel, and the reason. */
type ChannelPause = { readonly name: string; readonly reason: string };

const contextOf = (channel: ChannelName) => `paused-channel\0${channel}`;

/** Seals the person and the reason of a pause. */
export function sealPause(keys: StaffKeys, channel: ChannelName, pause: ChannelPause): Uint8Array {
  return sealStaffValue(keys, contextOf(channel), pause);
}

/** Opens a value of `sealPause`. */
export function openPause(
  keys: Pick<StaffKeys, 'root'>,
  { channel, content }: { readonly channel: ChannelName; readonly content: Uint8Array },
): ChannelPause {
  // `sealPause` wrote it, and it was authenticated.
  return openStaffValue(keys, contextOf(channel), content) as ChannelPause;
}

/** The path parameters of the operations on one channel. */
export const channelParams = Type.Object(
  { channel: literalUnion(channelNames, 'The channel.') },
  { additionalProperties: false },
);
