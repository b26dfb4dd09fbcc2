import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { textField } from '../../src/db/row-fields.ts';
import { batchIn, createBatchCaller } from '../support/batches.ts';
import { bearerHeaders, createHttpClient, parseJsonBody } from '../support/http-client.ts';
import { makeServerFixture, waitForStored } from '../support/server-process.ts';
import { findInStoredData } from '../support/stored-data-search.ts';
import { waitUntil } from '../support/wait-until.ts';

const marker = 'Zzyxwbatch';
const fileOf = (rows: number) =>
  ['citizenId,message', ...Array.from({ length: rows }, (_, at) => `demo-mary,${marker} ${at}`), ''].join('\r\n');
const dayMs = 86_400_000;

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: an interrupted upload is sealed, continues with its key, and its stored rows must be the same`, async (t) => {
    const home = await makeServerFixture(t, { engine });
    let server = await home.start();
    const token = await home.fetchAccessToken();
    const caller = createBatchCaller(home.url, token);
    const file = fileOf(1_000);
    const listed = async () => {
      const ask = createHttpClient(home.url);
      return parseJsonBody(await ask({ path: '/v1/notification-batches', headers: bearerHeaders(token) }))['items'];
    };

    const headers = bearerHeaders(token, {
      'content-type': 'text/csv',
      'idempotency-key': 'k',
      'content-length': file.length,
    });
    const upload = request(`${home.url}/v1/notification-batches`, { method: 'POST', headers });
    upload.on('error', () => undefined);
    upload.write(file.slice(0, 20_000));
    const openOne = async () => ((await listed()) as unknown[]).length === 1;
    await waitUntil(openOne);
    const [interrupted] = (await listed()) as { readonly id: string; readonly state: string; readonly rows: null }[];
    assert.deepEqual([interrupted?.state, interrupted?.rows], ['receiving', null]);
    // Pieces are stored before the rest arrives.
    const stored = 'select first_row from notification_batch_piece';
    await waitForStored(home, async (read) => (await read(stored)).length >= 3);
    await server.stop('SIGKILL');
    assert.deepEqual(await findInStoredData(home, [marker]), []);
    server = await home.start();

    const other = await caller.upload(file.replace(`${marker} 5`, 'Changed'), { key: 'k' });
    assert.equal(other.status, 422);
    const completed = await caller.upload(file, { key: 'k' });
    assert.deepEqual([completed.status, batchIn(completed).id], [202, interrupted?.id]);
    const done = await caller.readUntil(batchIn(completed).id, ['done']);
    assert.equal(done.accepted, 1_000);
    assert.equal((await caller.results(done.id)).split('\r\n').length, 1_002);
    assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
    assert.deepEqual(await findInStoredData(home, [marker]), []);
  });

  test(`${engine}: an upload is deleted after BATCH_KEPT_DAYS, and a batch that has not ended is cancelled`, async (t) => {
    const home = await makeServerFixture(t, { engine, settings: { BATCH_KEPT_DAYS: '2' } });
    const server = await home.start();
    const caller = createBatchCaller(home.url, await home.fetchAccessToken());
    const done = await caller.run(fileOf(3));
    const waiting = await caller.run(fileOf(2), { query: { start: 'manual' } }, ['ready']);
    const recent = await caller.run(fileOf(1));
    await server.stop('SIGTERM');
    const db = await home.openDb();
    const sql = 'update notification_batch set created_at = created_at - $1 where id in ($2, $3)';
    await db.write([{ sql, args: [2 * dayMs + 1, done.id, waiting.id] }]);
    await db.close();

    const again = await home.start();
    const caller2 = createBatchCaller(home.url, await home.fetchAccessToken());
    for (const { id } of [done, waiting])
      await waitUntil(async () => (await caller2.get(`/${id}/results`)).status === 410);
    const { state, code } = await caller2.read(waiting.id);
    assert.deepEqual([state, code], ['cancelled', 'expired']);
    assert.equal((await caller2.rows(done.id)).length, 3);
    assert.equal((await caller2.get(`/${recent.id}/results`)).status, 200);
    assert.deepEqual(await again.stop('SIGTERM'), { code: 0, signal: null });
    const stored = await home.openDb();
    t.after(() => stored.close());
    const pieces = await stored.read('select batch_id from notification_batch_piece');
    assert.deepEqual(
      pieces.map((row) => textField(row, 'batch_id')),
      [recent.id],
    );
  });
}
