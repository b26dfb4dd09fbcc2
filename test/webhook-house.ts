import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { parseId } from '../src/kernel/id.ts';
import { createWebhook } from '../src/notifications/webhooks/create-webhook.ts';
import { listWebhooks } from '../src/notifications/webhooks/list-webhooks.ts';
import { tellingCommit } from '../src/notifications/webhooks/number-feed.ts';
import { createPostCall, type PostCall } from '../src/notifications/webhooks/post-call.ts';
import { resolveFor } from '../src/notifications/webhooks/resolve-host.ts';
import { startWebhooks } from '../src/notifications/webhooks/start-webhooks.ts';
import type { Db } from '../src/store/db.ts';
import { createDeliveryHouse, minute, scripted } from './delivery-house.ts';
import type { Json } from './notification-house.ts';

const hour = 60 * minute;

/** Notifications, their feed and the webhooks over one database, on a virtual clock. */
export async function openWebhookHouse(t: TestContext, db: Db, keepDays = 180, timeoutMs = 5_000) {
  const { house, time, faults, start } = await createDeliveryHouse(t, db);
  const calling = startWebhooks({
    ...{
      read: house.db.read,
      write: house.db.write,
      clock: time.clock,
      timer: time.timer,
      random: house.random,
    },
    ...{
      webhookKey: house.ports.webhookKey,
      allowPrivateTargets: true,
      pollMs: hour,
      keepMs: keepDays * 24 * hour,
      isClockSure: async () => true,
    },
    post: createPostCall({ resolve: resolveFor(true), allowPrivate: true, timeoutMs }),
    onFault: (fault) => faults.push(fault),
  });
  t.after(() => calling.stop(1_000));
  const commit = tellingCommit(house.commit, calling.wake);
  const delivering = await start({ email: scripted(), commit });
  const idle = async () => {
    await delivering.idle();
    calling.wake();
    await calling.idle();
  };
  const operate = async (operation: Parameters<typeof house.serve>[0], parts: object = {}): Promise<Json> => {
    const answer = await house.serve(operation)(parts);
    if ('refused' in answer) throw new Error(JSON.stringify(answer.refused));
    return answer.json;
  };
  /** Sends so many, and waits until all is told. */
  const sendMany = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) await house.accept({ citizenId: 'cit-ada' });
    delivering.wake();
    await idle();
  };
  return { house, time, faults, idle, operate, sendMany };
}

/** Webhooks whose calls end as `post` says, and what tells one client of one event. */
export async function openCalls(t: TestContext, db: Db, { post, allowPrivateTargets = true }: CallsOptions) {
  const { house, time } = await createDeliveryHouse(t, db);
  const calling = startWebhooks({
    ...{ ...time, read: house.db.read, write: house.db.write, random: house.random },
    ...{
      pollMs: 60 * minute,
      keepMs: 24 * 60 * minute,
      isClockSure: async () => true,
      webhookKey: house.ports.webhookKey,
      allowPrivateTargets,
      post,
    },
    onFault: assert.fail,
  });
  t.after(() => calling.stop(1_000));
  const made = await house.serve(createWebhook)({ body: { url: 'http://127.0.0.1:1/' } });
  assert.ok('json' in made);
  const tell = async () => {
    await house.cancel(await house.accept({ citizenId: 'cit-ada', sendAt: '2026-02-01T00:00:00Z' }));
    // What was numbered is called at once, whatever the time of polling.
    calling.wake();
  };
  const counts = async () => {
    const listed = await house.serve(listWebhooks)({});
    assert.ok('json' in listed);
    const [item] = (listed.json as { items: Array<{ waiting: number; dead: number }> }).items;
    return [item?.waiting, item?.dead];
  };
  return { time, calling, id: parseId('webhook', String(made.json['id'])) ?? assert.fail(), tell, counts };
}

type CallsOptions = { readonly post: PostCall; readonly allowPrivateTargets?: boolean };
