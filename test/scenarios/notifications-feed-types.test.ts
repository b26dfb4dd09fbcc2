import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvents } from '../../src/notifications/read-events.ts';
import { engines } from '../support/database-engines.ts';
import { openWebhookApp } from '../support/webhook-app.ts';

type Feed = { items: Array<{ number: number; type: string }>; after: string; more: boolean };

for (const engine of engines) {
  test(`${engine.name}: a feed of one type has each event of this type once, and its cursor is valid for all types`, async (t) => {
    const { app, operate, sendMany, idle } = await openWebhookApp(t, await engine.open(t));
    const cancelOne = async () => {
      await app.cancel(await app.accept({ citizenId: 'cit-ada', sendAt: '2026-02-01T00:00:00Z' }));
      await idle();
    };
    const read = async (query: string) => {
      const { items, after, more } = (await operate(readEvents, { query })) as Feed;
      return [items.map(({ number }) => number), after, more];
    };
    const onlyCancelled = 'types=notification.cancelled';
    await cancelOne();
    await sendMany(2);
    await cancelOne();
    await sendMany(1);
    assert.deepEqual(await read(`${onlyCancelled}&limit=1`), [[1], '1', true]);
    assert.deepEqual(await read(`${onlyCancelled}&limit=1&after=1`), [[4], '4', true]);
    assert.deepEqual(await read(`${onlyCancelled}&after=4`), [[], '5', false]);
    assert.deepEqual(await read(`${onlyCancelled},notification.delivery-ended`), [[1, 2, 3, 4, 5], '5', false]);
    await sendMany(1);
    assert.deepEqual(await read(`${onlyCancelled}&after=5`), [[], '6', false]);
    assert.deepEqual(await read('after=5'), [[6], '6', false]);
    const refused = await app.serve(readEvents)({ query: 'types=notification.sent,unknown' });
    assert.ok('refused' in refused);
    assert.deepEqual(refused.refused.issues?.[0]?.name, 'types');
  });

  test(`${engine.name}: a feed of a rare type passes ten thousand other events with each request, and reaches the end`, async (t) => {
    const { app, operate, sendMany } = await openWebhookApp(t, await engine.open(t));
    await sendMany(2);
    await app.db.write([
      { sql: 'update feed_event set number = 20001 where number = 2' },
      { sql: 'update feed_head set last = 20001' },
    ]);
    const pages: unknown[] = [];
    for (let after = '0'; ; ) {
      const query = `types=notification.opened&after=${after}`;
      const page = (await operate(readEvents, { query })) as Feed;
      pages.push([page.items, page.after]);
      if (!page.more) break;
      after = page.after;
    }
    assert.deepEqual(pages, [
      [[], '10000'],
      [[], '20000'],
      [[], '20001'],
    ]);
  });
}
