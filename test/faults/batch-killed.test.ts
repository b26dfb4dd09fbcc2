import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { integerField } from '../../src/db/row-fields.ts';
import { batchIn, createBatchCaller } from '../support/batches.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { seededRandom } from '../support/test-data.ts';

// `KILL_ROUNDS=10 KILL_SEED=… node --test test/faults/batch-killed.test.ts` kills more often, and repeats an earlier run.
const rounds = Number(process.env['KILL_ROUNDS'] ?? 2);
const seed = Number(process.env['KILL_SEED'] ?? randomInt(2 ** 31));
const rowCount = 2_000;
const longestMs = 1_500;

const fileOf = (round: number) => {
  const rows = Array.from(
    { length: rowCount },
    (_, at) => `demo-mary,Round ${round} row ${at + 1},inbox,K-${round}-${at}`,
  );
  return ['citizenId,message,channels,reference', ...rows, ''].join('\r\n');
};

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: a server that is killed while it receives, checks or sends a batch loses and doubles no row`, async (t) => {
    t.diagnostic(`KILL_SEED=${seed}, ${rounds} kills`);
    const random = seededRandom(seed);
    const home = await makeServerFixture(t, { engine });
    let server = await home.start();
    const token = await home.fetchAccessToken();
    const caller = createBatchCaller(home.url, token);
    for (let round = 1; round <= rounds; round += 1) {
      const key = `round-${round}`;
      const interrupted = caller.upload(fileOf(round), { key }).catch(() => undefined);
      await pause(Math.round(longestMs * random()));
      await server.stop('SIGKILL');
      await interrupted;
      server = await home.start();
      const created = await caller.upload(fileOf(round), { key });
      assert.equal(created.status, 202, String(created.body));
      const { id } = batchIn(created);
      const done = await caller.readUntil(id, ['done']);
      t.diagnostic(
        `round ${round}: ${created.headers['idempotent-replayed'] === 'true' ? 'after' : 'within'} the upload`,
      );
      assert.deepEqual([done.rows, done.accepted, done.refused], [rowCount, rowCount, 0]);
      const rows = await caller.rows(id);
      assert.deepEqual(
        rows.map(({ row }) => row),
        Array.from({ length: rowCount }, (_, at) => at + 1),
      );
      assert.equal(new Set(rows.map(({ notificationId }) => notificationId)).size, rowCount);
      assert.equal((await caller.results(id)).split('\r\n').length, rowCount + 2);
    }
    assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
    const db = await home.openDb();
    t.after(() => db.close());
    const count = async (sql: string) => (await db.read(sql)).map((row) => integerField(row, 'found'))[0];
    const ofBatches = 'from notification where batch_id is not null';
    assert.equal(await count(`select count(*) as found ${ofBatches}`), rounds * rowCount);
    assert.equal(await count(`select count(distinct reference) as found ${ofBatches}`), rounds * rowCount);
    assert.equal(
      await count(`select count(*) as found from delivery where notification_id in (select id ${ofBatches})`),
      rounds * rowCount,
    );
  });
}
