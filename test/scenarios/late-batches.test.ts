import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatchCaller } from '../support/batches.ts';
import { engines } from '../support/database-engines.ts';
import { makeServerFixture } from '../support/server-process.ts';

const hourMs = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();

for (const { name: engine } of engines) {
  test(`${engine}: a batch that waited too long sends all rows at once after sendAt, and none after the deadline of a row`, async (t) => {
    const home = await makeServerFixture(t, { engine });
    const server = await home.start();
    const token = await home.fetchAccessToken();
    const caller = createBatchCaller(home.url, token);
    const sendAt = inHours(1);
    const makeReady = (rows: 'good' | 'all-or-none', name: string, query = {}) => {
      const file = `citizenId,message,deliverBy\r\ndemo-mary,${name} 1,${inHours(1.5)}\r\ndemo-mary,${name} 2,\r\n`;
      return caller.run(file, { query: { rows, start: 'manual', ...query } }, ['ready']);
    };
    const scheduled = await makeReady('good', 'Scheduled', { sendAt });
    const allScheduled = await makeReady('all-or-none', 'All scheduled', { sendAt });
    const late = await makeReady('all-or-none', 'Late');
    const started = await makeReady('all-or-none', 'Started');
    const partlyLate = await makeReady('good', 'Partly late');
    assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
    const db = await home.openDb();
    const tooLate = 'update notification_batch set start_before = start_before - $1 where id = $2';
    await db.write([
      { sql: 'update notification_batch set options = replace(options, $1, $2)', args: [sendAt, inHours(-1)] },
      ...[late, started, partlyLate].map(({ id }) => ({ sql: tooLate, args: [2 * hourMs, id] })),
      { sql: "update notification_batch set state = 'sending' where id = $1", args: [started.id] },
    ]);
    await db.close();
    await home.start();
    const again = createBatchCaller(home.url, await home.fetchAccessToken());
    for (const { id } of [scheduled, allScheduled, partlyLate]) {
      assert.equal((await again.post(`/${id}/start`)).status, 200);
      const { state, accepted, refused } = await again.readUntil(id, ['done']);
      assert.deepEqual({ state, accepted, refused }, { state: 'done', accepted: 2, refused: 0 });
    }
    assert.equal((await again.post(`/${late.id}/start`)).status, 409);
    for (const { id } of [late, started]) {
      const { state, code, accepted } = await again.readUntil(id, ['cancelled', 'done']);
      assert.deepEqual({ state, code, accepted }, { state: 'cancelled', code: 'expired', accepted: 0 });
      assert.deepEqual(await again.endEvents(id), [
        { type: 'notification-batch.cancelled', data: { batch: id, code: 'expired' } },
      ]);
    }
  });
}
