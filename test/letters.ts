import { createMint } from '../src/kernel/id.ts';
import { systemRandom } from '../src/kernel/system-clock.ts';
import type { Message } from '../src/notifications/channels/channel.ts';

/** When the letters of tests are made. */
export const letterAt = Date.UTC(2026, 0, 15, 9);

const mint = createMint({ now: () => letterAt }, systemRandom);

/** A message that can be printed, of a delivery of its own. */
export function letterOf(text: string, more: Partial<Message> = {}): Message {
  return {
    ...{ notification: mint('notification'), delivery: mint('delivery'), attempt: 1 },
    address: ['Ada Berg', 'Long Road 17', '0150 Oslo', 'NORWAY'].join('\n'),
    ...{ sender: 'Tax Office', subject: 'Your assessment', text, content: { message: text }, reminder: false },
    ...{ category: 'decision' as const, recipient: 'Ada Berg', language: undefined, at: letterAt },
    ...more,
  };
}
