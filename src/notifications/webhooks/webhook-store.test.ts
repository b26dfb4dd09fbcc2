import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { createIdGenerator } from '../../kernel/id.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import { countCalls, findWebhooksWithCounts, insertWebhook, maxCallCount } from './webhook-store.ts';

const createId = createIdGenerator({ now: () => 1_000 }, systemRandom);

for (const engine of engines) {
  test(`${engine.name}: the numbers of waiting and failed calls of a webhook are counted up to a limit`, async (t) => {
    const db = await engine.open(t);
    const webhook = { clientId: 'tax', url: 'https://tax.example/', signature: 'v1', createdAt: 1_000 } as const;
    const [few, many] = [createId('webhook'), createId('webhook')];
    await db.write([few, many].flatMap((id) => insertWebhook({ ...webhook, id, secret: systemRandom(40) })));
    const all = `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${2 * maxCallCount + 6})`;
    await db.write([
      {
        sql: `${all} insert into feed_event (id, client_id, number, at, type, data)
          select 'evt_' || i, 'tax', i, 1, 'notification.delivered', '{}' from numbers`,
      },
      {
        sql: `${all} insert into webhook_call (webhook_id, event_id, status, attempts, run_at)
          select cast($1 as text), 'evt_' || i, case when i % 2 = 0 then 'queued' else 'dead' end, 0, i from numbers`,
        args: [many],
      },
      {
        sql: `${all} insert into webhook_call (webhook_id, event_id, status, attempts, run_at)
          select cast($1 as text), 'evt_' || i, case when i = 2 then 'queued' else 'dead' end, 0, i from numbers where i < 5`,
        args: [few],
      },
    ]);
    const [ofFew, ofMany] = [
      { waiting: 1, dead: 3 },
      { waiting: maxCallCount, dead: maxCallCount },
    ];
    assert.deepEqual([await countCalls(db.read, few), await countCalls(db.read, many)], [ofFew, ofMany]);
    const found = await findWebhooksWithCounts(db.read, 'tax');
    const counts = new Map(found.map(({ webhook: { id }, calls }) => [id, calls]));
    assert.deepEqual([counts.get(few), counts.get(many)], [ofFew, ofMany]);
  });
}
