import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import type { Database } from '../../db/database.ts';
import { createIdGenerator } from '../../kernel/id.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import { createQueueMonitor } from './queue-monitor.ts';

const now = 1_000_000;
const newId = createIdGenerator({ now: () => now }, systemRandom);

type WaitingCalls = { readonly webhook?: string; readonly calls: readonly { status: string; runAt: number }[] };
type Waiting = { channel: string; lane?: string; priority?: number; runAt: number; status?: string; many?: number };

/** Puts deliveries of one notification into the queues. */
async function fill(db: Database, list: readonly Waiting[]): Promise<void> {
  await db.write([
    {
      sql: `insert into notification (id, client_id, citizen_id, category, status, status_at, revision, content, created_at,
          deliver_by, accepted_event) values ('n', 'tax', 'ada', 'decision', 'sending', 0, 0, $1, 0, 0, 'e')`,
      args: [new Uint8Array(1)],
    },
  ]);
  for (const [at, { channel, lane = 'a', priority = 1, runAt, status = 'queued', many = 1 }] of list.entries()) {
    await db.write([
      {
        sql: `insert into delivery (id, notification_id, channel, status, priority, run_at, attempts, lane)
          with recursive counted (i) as (select cast(1 as bigint) union all select i + 1 from counted where i < $7)
          select cast($1 as text) || '-' || cast(i as text), 'n', cast($2 as text), cast($3 as text), cast($4 as bigint),
            cast($5 as bigint), 0, cast($6 as text) from counted`,
        args: [String(at), channel, status, priority, runAt, lane, many],
      },
    ]);
  }
}

/** Puts the calls of some webhooks into their queue, each of an event of its own. */
async function fillCalls(db: Database, webhooks: readonly WaitingCalls[]): Promise<void> {
  const event = `insert into feed_event (id, client_id, at, type, data) values ($1, 'tax', 0, 't', '{}')`;
  const most = Math.max(...webhooks.map(({ calls }) => calls.length));
  for (let at = 0; at < most; at += 1) await db.write([{ sql: event, args: [`e${at}`] }]);
  for (const { webhook: status = 'active', calls } of webhooks) {
    const webhook = newId('webhook');
    await db.write([
      {
        sql: `insert into webhook (id, client_id, url, status, secret, created_at) values ($1, 'tax', 'u', $2, $3, 0)`,
        args: [webhook, status, new Uint8Array(1)],
      },
      ...calls.map(({ status: callStatus, runAt }, at) => ({
        sql: `insert into webhook_call (webhook_id, event_id, status, attempts, run_at) values ($1, $2, $3, 0, $4)`,
        args: [webhook, `e${at}`, callStatus, runAt],
      })),
    ]);
  }
}

for (const engine of engines) {
  test(`${engine.name}: the count of a channel contains the due jobs of all lanes and priorities, and no claimed or later jobs`, async (t) => {
    const db = await engine.open(t);
    const watch = createQueueMonitor(db.read, { now: () => now });
    assert.deepEqual([watch.deliveries().size, watch.calls()], [0, undefined]);
    await fill(db, [
      { channel: 'email', lane: 'a', runAt: now - 4_000, many: 3 },
      { channel: 'email', lane: 'b', runAt: now - 9_500 },
      { channel: 'email', lane: 'b', runAt: now + 1, many: 5 },
      { channel: 'email', lane: 'c', runAt: now + 60_000 },
      { channel: 'email', lane: 'd', runAt: now },
      { channel: 'email', lane: 'b', priority: 0, runAt: now - 1_000, many: 2 },
      { channel: 'email', runAt: 1, status: 'sending' },
      { channel: 'email', runAt: 2, status: 'failed' },
      { channel: 'sms', runAt: now + 1 },
    ]);
    await fillCalls(db, [
      {
        calls: [
          { status: 'queued', runAt: now - 2_000 },
          { status: 'queued', runAt: now + 1 },
          { status: 'dead', runAt: 1 },
        ],
      },
      { calls: [{ status: 'queued', runAt: now - 3_000 }] },
      { calls: [{ status: 'queued', runAt: now + 1 }] },
      // To be given up, not made.
      { webhook: 'removed', calls: [{ status: 'queued', runAt: now - 9_000 }] },
    ]);
    await watch.refresh();
    const none = { due: 0, oldestSeconds: 0 };
    assert.deepEqual(Object.fromEntries(watch.deliveries()), {
      inbox: none,
      sms: none,
      letter: none,
      email: { due: 7, oldestSeconds: 9.5 },
    });
    assert.deepEqual(watch.calls(), { due: 2, oldestSeconds: 3 });
  });

  test(`${engine.name}: the count of a channel stops at 10,000 jobs, and the oldest job is still found`, async (t) => {
    const db = await engine.open(t);
    const watch = createQueueMonitor(db.read, { now: () => now });
    await fill(db, [
      { channel: 'letter', lane: 'a', runAt: now - 1_000, many: 6_000 },
      { channel: 'letter', lane: 'b', runAt: now - 2_000, many: 6_000 },
      { channel: 'letter', lane: 'c', runAt: now - 7_000 },
      { channel: 'letter', lane: 'c', priority: 0, runAt: now - 5_000 },
    ]);
    await watch.refresh();
    assert.deepEqual(watch.deliveries().get('letter'), { due: 10_000, oldestSeconds: 7 });
  });
}
