import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import type { Statement } from '../../db/database.ts';
import { createIdGenerator } from '../../kernel/id.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import { pruneFeed } from './prune-feed.ts';

const createId = createIdGenerator({ now: () => 0 }, systemRandom);

for (const engine of engines) {
  test(`${engine.name}: an event that is stored while the feed is pruned keeps its calls, even with an older id`, async (t) => {
    const db = await engine.open(t);
    const webhook = createId('webhook');
    const event = (id: string, at: number, number: number | null): Statement[] => [
      {
        sql: "insert into feed_event (id, client_id, at, type, data, number) values ($1, 'tax', $2, 't', '{}', $3)",
        args: [id, at, number],
      },
      {
        sql: "insert into webhook_call (webhook_id, event_id, status, attempts, run_at) values ($1, $2, 'queued', 0, 0)",
        args: [webhook, id],
      },
    ];
    await db.write([
      {
        sql: `insert into webhook (id, client_id, url, status, secret, created_at) values ($1, 'tax', 'u', 'active', $2, 0)`,
        args: [webhook, new Uint8Array(1)],
      },
      ...event('e5', 1, 1),
      ...event('e9', 10, 2),
    ]);
    // The clocks of two processes differ, so a new event can have an older id than a stored one.
    await pruneFeed({
      read: db.read,
      before: 10,
      write: async (unit) => {
        await db.write([...event('e1', 1, null), ...event('e2', 10, 3)]);
        return await db.write(unit);
      },
    });
    const left = ['e1', 'e2', 'e9'];
    assert.deepEqual(
      [
        (await db.read('select id from feed_event order by id')).map(({ id }) => id),
        (await db.read('select event_id from webhook_call order by event_id')).map(({ event_id: id }) => id),
      ],
      [left, left],
    );
  });
}
