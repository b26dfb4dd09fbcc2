import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { createIdGenerator } from '../../kernel/id.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import type { CitizenEvent } from '../../ledger/ledger-event.ts';
import type { Notification, NotificationStatus } from '../notification/notification.ts';
import { findFeedEvents, insertFeedEvent } from './feed-store.ts';
import { createFeedNumberer } from './number-feed.ts';
import { findWaitingWebhooks } from './webhook-call-store.ts';
import { insertWebhook } from './webhook-store.ts';

const start = 1_800_000_000_000;
const clock = { now: () => start };
const mint = createIdGenerator(clock, systemRandom);

function notification(): Notification {
  return {
    ...{ id: mint('notification'), clientId: 'team', citizenId: 'A', reference: null, category: 'information' },
    ...{ language: null, createdAt: start, sendAt: null, deliverBy: start + 1, legalEffect: null, revision: 0 },
    ...{ acceptedEvent: mint('event'), status: 'accepted', statusAt: start },
  };
}

/** Tells an event of a process by whose clock it is that late. */
function eventOf(
  of: Notification,
  { type, status, at }: { type: 'delivery-ended' | 'opened'; status: NotificationStatus; at: number },
) {
  const id = createIdGenerator({ now: () => at }, systemRandom)('event');
  const head = { id, at, citizenId: 'A', notification: of.id };
  const event: Extract<CitizenEvent, { type: `notification.${typeof type}` }> =
    type === 'opened'
      ? { type: 'notification.opened', actor: { citizen: true }, channel: 'email', ...head }
      : {
          ...{ type: 'notification.delivery-ended', actor: { process: 'delivery' }, ...head },
          ...{ delivery: mint('delivery'), channel: 'email', outcome: 'sent', reason: undefined },
        };
  return insertFeedEvent(of, status, event);
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
      await db.write([eventOf(of, { type, status, at })]);
    };
    const [one, other] = [notification(), notification()];
    await told(one, 'delivery-ended', 'sending', start + 1_000);
    await told(other, 'delivery-ended', 'sending', start + 400);
    await told(one, 'opened', 'read', start + 300);
    await told(other, 'delivery-ended', 'sending', start + 500);
    await createFeedNumberer({ read: db.read, write: db.write, clock }).run('pass');
    const feed = await findFeedEvents(db.read, 'team', 0, 10);
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

  test(`${engine.name}: what a process tells whose clock is an hour ahead waits neither for its number nor for its call`, async (t) => {
    const db = await engine.open(t);
    const hour = 3_600_000;
    await db.write([
      ...[eventOf(notification(), { type: 'opened', status: 'read', at: start + hour })],
      ...insertWebhook({
        ...{ id: mint('webhook'), clientId: 'team', url: 'https://team.example', createdAt: start },
        ...{ signature: 'v1', secret: Buffer.alloc(1) },
      }),
    ]);
    const numberer = createFeedNumberer({ read: db.read, write: db.write, clock });
    assert.equal(await numberer.nextDueAt(), start);
    await numberer.run('pass');
    assert.deepEqual(
      (await findFeedEvents(db.read, 'team', 0, 10)).map(({ number, at }) => [number, at - start]),
      [[1, hour]],
    );
    assert.deepEqual(
      (await findWaitingWebhooks(db.read)).map(({ runAt }) => runAt),
      [start],
    );
  });

  test(`${engine.name}: what comes while a pass over the feed rests is numbered together, by the next`, async (t) => {
    const db = await engine.open(t);
    const come = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        await db.write([eventOf(notification(), { type: 'opened', status: 'read', at: start + at })]);
      }
    };
    let units = 0;
    const write: typeof db.write = async (unit) => {
      units += 1;
      return await db.write(unit);
    };
    const pause = async () => {
      if (units > 1) return;
      await come(3);
      assert.deepEqual([await numberer.nextDueAt(), await numberer.claim(1)], [undefined, []]);
    };
    const numberer = createFeedNumberer({ read: db.read, write, clock, pause });
    const passes: number[] = [];
    await come(1);
    while ((await numberer.nextDueAt()) !== undefined) {
      for (const pass of await numberer.claim(1)) await numberer.run(pass);
      passes.push((await findFeedEvents(db.read, 'team', 0, 10)).length);
    }
    assert.deepEqual([units, passes], [2, [1, 4]]);
  });
}
