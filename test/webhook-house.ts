import type { TestContext } from 'node:test';
import { tellingCommit } from '../src/notifications/webhooks/number-feed.ts';
import { createPostCall } from '../src/notifications/webhooks/post-call.ts';
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
      read: db.read,
      write: db.write,
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
