import type { Channel } from '../notification/channel.ts';

/**
 * The citizen's inbox in this house. The sealed notification row is the message in the inbox, so there is nobody to
 * call: the outcome that the worker stores places it. It is `delivered` only when the citizen opens it.
 */
export const inboxChannel: Channel = {
  name: 'inbox',
  concurrency: 64,
  addressOf: () => 'inbox',
  prepare: async () => ({ call: async () => ({ outcome: 'sent' }), drop: () => undefined }),
  close: async () => undefined,
};
