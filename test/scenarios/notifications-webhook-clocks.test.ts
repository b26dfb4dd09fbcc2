import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWebhook } from '../../src/notifications/webhooks/create-webhook.ts';
import type { PostResult } from '../../src/notifications/webhooks/post-call.ts';
import { startWebhooks } from '../../src/notifications/webhooks/start-webhooks.ts';
import { createDeliveryHouse, minute, settled, until } from '../delivery-house.ts';
import { engines } from '../engines.ts';

const hour = 60 * minute;

for (const engine of engines) {
  for (const apart of [hour, -hour]) {
    test(`${engine.name}: of processes whose clocks are ${apart / hour} hours apart the other leaves alone what one calls, or is to repeat`, async (t) => {
      const db = await engine.open(t);
      const { house, time } = await createDeliveryHouse(t, db);
      const posts: { readonly by: string; readonly at: number; end(result: PostResult): void }[] = [];
      const start = (by: string, ahead: number) => {
        const calling = startWebhooks({
          ...{
            read: db.read,
            write: db.write,
            timer: time.timer,
            random: house.random,
            pollMs: hour,
            keepMs: 24 * hour,
          },
          ...{ clock: { now: () => time.clock.now() + ahead }, sharedClock: time.clock, onFault: assert.fail },
          ...{ webhookKey: house.ports.webhookKey, allowPrivateTargets: true },
          post: ({ headers }) =>
            new Promise((end) => posts.push({ by, at: Number(headers['webhook-timestamp']) * 1_000, end })),
        });
        t.after(() => calling.stop(1_000));
        return calling;
      };
      const [right, wrong] = [start('right', 0), start('wrong', apart)];
      assert.ok('json' in (await house.serve(createWebhook)({ body: { url: 'http://127.0.0.1:1/' } })));
      const tell = async () => {
        await house.cancel(await house.accept({ citizenId: 'cit-ada', sendAt: '2026-02-01T00:00:00Z' }));
      };
      const lookAll = async () => {
        // Asked whether all is done, a process looks what is due.
        for (const calling of [right, wrong]) void calling.idle();
        await settled(db);
      };
      await tell();
      right.wake();
      await until(async () => posts.length === 1);
      await lookAll();
      assert.equal(posts.length, 1);
      posts[0]?.end({ failed: 'unreachable' });
      const soon = "select 1 as one from webhook_call where status = 'queued' and run_at < $1";
      await until(async () => (await db.read(soon, [time.clock.now() + 6_000])).length === 1);
      await lookAll();
      assert.deepEqual(
        posts.map(({ by }) => by),
        ['right'],
      );
      await time.advance(6_000, lookAll);
      await until(async () => posts.length === 2);
      posts[1]?.end({ status: 204, retryAfter: undefined });
      await until(async () => (await db.read("select 1 as one from webhook_call where status = 'done'")).length === 1);
      await tell();
      wrong.wake();
      await until(async () => posts.length === 3);
      await lookAll();
      // A receiver is told the time that the process has.
      assert.deepEqual([posts[2]?.by, (posts[2]?.at ?? 0) - time.clock.now()], ['wrong', apart]);
      posts[2]?.end({ status: 204, retryAfter: undefined });
      await Promise.all([right.idle(), wrong.idle()]);
      assert.equal(posts.length, 3);
    });
  }
}
