import type { Channel } from '../notification/channel.ts';

/**
 * The citizen's inbox on this server. The encrypted notification row is the message, so no provider is called: the message
 * is in the inbox once the worker has stored `sent`. It is `delivered` only when the citizen opens it.
 */
export const inboxChannel: Channel = {
  name: 'inbox',
  concurrency: 64,
  addressOf: () => 'inbox',
  prepare: async () => ({ call: async () => ({ outcome: 'sent' }), drop: () => undefined }),
  close: async () => undefined,
};
