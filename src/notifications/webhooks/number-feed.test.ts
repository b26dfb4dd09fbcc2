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
const createId = createIdGenerator(clock, systemRandom);

function notification(): Notification {
  return {
    id: createId('notification'),
    clientId: 'team',
    citizenId: 'A',
    reference: null,
    category: 'information',
    language: null,
    createdAt: start,
    sendAt: null,
    deliverBy: start + 1,
    legalEffect: null,
    noticeOnly: false,
    revision: 0,
    acceptedEvent: createId('event'),
    status: 'accepted',
    statusAt: start,
  };
}

/** Adds an event of a process whose clock shows `at`. */
function eventOf(
  of: Notification,
  { type, status, at }: { type: 'delivery-ended' | 'opened'; status: NotificationStatus; at: number },
) {
  const id = createIdGenerator({ now: () => at }, systemRandom)('event');
  const head = { id, at, citizenId: 'A', notification: of.id };
  const event: Extract<CitizenEvent, { type: `notification.${typeof type}` }> =
    type === 'opened'
      ? { type: 'notification.opened', actor: { citizen: true }, ...head }
      : {
          ...head,
          type: 'notification.delivery-ended',
          actor: { process: 'delivery' },
          delivery: createId('delivery'),
          channel: 'email',
          outcome: 'sent',
          reason: undefined,
        };
  return insertFeedEvent(of, status, event);
}

for (const engine of engines) {
  test(`${engine.name}: the events of a notification are numbered in the order of its statuses when the clocks of processes differ`, async (t) => {
    const db = await engine.open(t);
    // One process sent the mail with a clock a second ahead. Another process recorded its confirmation.
    const addEvent = async (
      of: Notification,
      type: 'delivery-ended' | 'opened',
      status: NotificationStatus,
      at: number,
    ) => {
      await db.write([eventOf(of, { type, status, at })]);
    };
    const [one, other] = [notification(), notification()];
    await addEvent(one, 'delivery-ended', 'sending', start + 1_000);
    await addEvent(other, 'delivery-ended', 'sending', start + 400);
    await addEvent(one, 'opened', 'read', start + 300);
    await addEvent(other, 'delivery-ended', 'sending', start + 500);
    await createFeedNumberer({ read: db.read, write: db.write, clock }).run('pass');
    const feed = await findFeedEvents(db.read, { clientId: 'team', after: 0, limit: 10 });
    assert.deepEqual(
      feed.map(({ number, at, data }) => [
        number,
        at - start,
        'notification' in data && [data.notification, data.status],
      ]),
      [
        [1, 1_000, [one.id, 'sending']],
        [2, 400, [other.id, 'sending']],
        [3, 500, [other.id, 'sending']],
        [4, 300, [one.id, 'read']],
      ],
    );
  });

  test(`${engine.name}: an event of a process whose clock is an hour ahead is numbered and called at once`, async (t) => {
    const db = await engine.open(t);
    const hour = 3_600_000;
    await db.write([
      eventOf(notification(), { type: 'opened', status: 'read', at: start + hour }),
      ...insertWebhook({
        id: createId('webhook'),
        clientId: 'team',
        url: 'https://team.example',
        createdAt: start,
        signature: 'v1',
        secret: Buffer.alloc(1),
      }),
    ]);
    const numberer = createFeedNumberer({ read: db.read, write: db.write, clock });
    assert.equal(await numberer.nextDueAt(), start);
    await numberer.run('pass');
    assert.deepEqual(
      (await findFeedEvents(db.read, { clientId: 'team', after: 0, limit: 10 })).map(({ number, at }) => [
        number,
        at - start,
      ]),
      [[1, hour]],
    );
    assert.deepEqual(
      (await findWaitingWebhooks(db.read)).map(({ runAt }) => runAt),
      [start],
    );
  });

  test(`${engine.name}: events that arrive during the pause of a pass are numbered together by the next pass`, async (t) => {
    const db = await engine.open(t);
    const addEvents = async (count: number) => {
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
      if (units === 1) await addEvents(3);
    };
    const numberer = createFeedNumberer({ read: db.read, write, clock, pause });
    const passes: number[] = [];
    await addEvents(1);
    while ((await numberer.nextDueAt()) !== undefined) {
      for (const pass of await numberer.claim(1)) await numberer.run(pass);
      passes.push((await findFeedEvents(db.read, { clientId: 'team', after: 0, limit: 10 })).length);
    }
    assert.deepEqual([units, passes], [2, [1, 4]]);
  });
}
