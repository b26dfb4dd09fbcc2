import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/engines.ts';
import { createMint } from '../../kernel/id.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import type { CitizenEvent } from '../../ledger/event.ts';
import type { Notification, NotificationStatus } from '../notification.ts';
import { findFeed, tell } from './feed-store.ts';
import { createNumberer } from './number-feed.ts';

const start = 1_800_000_000_000;
const mint = createMint({ now: () => start }, systemRandom);

function notification(): Notification {
  return {
    ...{ id: mint('notification'), clientId: 'team', citizenId: 'A', reference: null, category: 'information' },
    ...{ language: null, createdAt: start, sendAt: null, deliverBy: start + 1, legalEffect: null, revision: 0 },
    ...{ acceptedEvent: mint('event'), status: 'accepted', statusAt: start },
  };
}

for (const engine of engines) {
  test(`${engine.name}: what became of a notification is told in its order, whatever the clocks of the processes`, async (t) => {
    const db = await engine.open(t);
    // The mail left from a process whose clock is a second ahead, and was confirmed at another one.
    const told = async (
      of: Notification,
      type: 'delivery-ended' | 'opened',
      status: NotificationStatus,
      at: number,
    ) => {
      const id = createMint({ now: () => at }, systemRandom)('event');
      const head = { id, at, citizenId: 'A', notification: of.id };
      const event: Extract<CitizenEvent, { type: `notification.${typeof type}` }> =
        type === 'opened'
          ? { type: 'notification.opened', actor: { citizen: true }, channel: 'email', ...head }
          : {
              ...{ type: 'notification.delivery-ended', actor: { process: 'delivery' }, ...head },
              ...{ delivery: mint('delivery'), channel: 'email', outcome: 'sent', reason: undefined },
            };
      await db.write([tell(of, status, event)]);
    };
    const [one, other] = [notification(), notification()];
    await told(one, 'delivery-ended', 'sending', start + 1_000);
    await told(other, 'delivery-ended', 'sending', start + 400);
    await told(one, 'opened', 'read', start + 300);
    await told(other, 'delivery-ended', 'sending', start + 500);
    await createNumberer({ read: db.read, write: db.write }).run('pass');
    const feed = await findFeed(db.read, 'team', 0, 10);
    assert.deepEqual(
      feed.map(({ number, at, data }) => [number, at - start, data.notification, data.status]),
      [
        [1, 1_000, one.id, 'sending'],
        [2, 400, other.id, 'sending'],
        [3, 500, other.id, 'sending'],
        [4, 300, one.id, 'read'],
      ],
    );
  });
}
