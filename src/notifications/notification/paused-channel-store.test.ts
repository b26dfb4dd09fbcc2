import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { createDeliveryApp } from '../../../test/support/delivery-app.ts';
import { deletePausedChannel, findPausedChannels, insertPausedChannel } from './paused-channel-store.ts';

for (const engine of engines) {
  test(`${engine.name}: a paused channel takes no delivery in any process, and the other channels go on until it is resumed`, async (t) => {
    const db = await engine.open(t);
    const { app, sink, start } = await createDeliveryApp(t, db);
    const workers = [await start(), await start()];
    const content = new Uint8Array([1]);
    await db.write([insertPausedChannel({ channel: 'email', at: 5, content })]);
    await app.accept({ citizenId: 'cit-ada' });
    await app.accept({ citizenId: 'cit-bo', category: 'urgent' });
    const statuses = async () => {
      for (const worker of workers) {
        worker.wake();
        await worker.idle();
      }
      const rows = await db.read(
        'select channel, status, count(*) as n from delivery group by channel, status order by 1',
      );
      return rows.map(({ channel, status, n }) => `${channel} ${status} ${n}`);
    };
    assert.deepEqual(await statuses(), ['email queued 2', 'inbox sent 2']);
    const [paused] = await findPausedChannels(db.read);
    assert.deepEqual({ ...paused, content: [...(paused?.content ?? [])] }, { channel: 'email', at: 5, content: [1] });
    await db.write([deletePausedChannel('email')]);
    assert.deepEqual(await statuses(), ['email sent 2', 'inbox sent 2']);
    assert.equal(sink.mails.length, 2);
    for (const worker of workers) await worker.stop(1_000);
  });
}
