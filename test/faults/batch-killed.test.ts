import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { request } from 'node:http';
import { test } from 'node:test';
import type { Read } from '../../src/db/database.ts';
import { integerField, textField } from '../../src/db/row-fields.ts';
import { batchIn, createBatchCaller } from '../support/batches.ts';
import { bearerHeaders } from '../support/http-client.ts';
import { makeServerFixture, type ServerFixture, waitForStored } from '../support/server-process.ts';
import { seededRandom } from '../support/test-data.ts';

// `KILL_ROUNDS=10 KILL_SEED=… node --test test/faults/batch-killed.test.ts` kills more often, and repeats an earlier run.
const rounds = Number(process.env['KILL_ROUNDS'] ?? 3);
const seed = Number(process.env['KILL_SEED'] ?? randomInt(2 ** 31));
const rowCount = 1_000;
/** The states in which the server is killed, in turn. */
const killStates = ['sending', 'receiving', 'checking'] as const;
type KillState = (typeof killStates)[number];
/** On a busy machine the server may be in the next state before the signal arrives. The round then repeats with another file. */
const maxTries = 8;

const fileOf = (number: number) => {
  const rows = Array.from(
    { length: rowCount },
    (_, at) => `demo-mary,File ${number} row ${at + 1},inbox,K-${number}-${at}`,
  );
  return ['citizenId,message,channels,reference', ...rows, ''].join('\r\n');
};

type Upload = { readonly home: ServerFixture; readonly token: string; readonly key: string; readonly file: string };

/** Sends a part of a file, which ends when the server is killed. */
function sendPart({ home, token, key, file }: Upload, bytes: number): void {
  const headers = bearerHeaders(token, {
    'content-type': 'text/csv',
    'idempotency-key': key,
    'content-length': file.length,
  });
  const upload = request(`${home.url}/v1/notification-batches`, { method: 'POST', headers });
  upload.on('error', () => undefined);
  upload.write(file.slice(0, bytes));
}

const findBatchRow = `select state, checked, handled,
    (select count(*) from notification_batch_piece where batch_id = notification_batch.id) as pieces
  from notification_batch where idempotency_key = $1`;

/** The state of the batch with this key, and the part of its rows that this state has processed, from 0 to 1. */
async function progressOf(read: Read, key: string): Promise<{ readonly state: string; readonly part: number }> {
  const [row] = await read(findBatchRow, [key]);
  if (row === undefined) return { state: 'none', part: 0 };
  const state = textField(row, 'state');
  const column = state === 'receiving' ? 'pieces' : state === 'checking' ? 'checked' : 'handled';
  return { state, part: integerField(row, column) / rowCount };
}

/** Uploads a file, waits until its batch has this state and a random part of its rows, and kills the server. Returns the state. */
async function killIn(state: KillState, upload: Upload, stop: () => Promise<unknown>, random: () => number) {
  const { home, token, key, file } = upload;
  const part = random() * 0.8;
  const sent =
    state === 'receiving'
      ? sendPart(upload, Math.round(file.length * (0.1 + part)))
      : createBatchCaller(home.url, token)
          .upload(file, { key })
          .catch(() => undefined);
  const states: readonly string[] = ['none', 'receiving', 'checking', 'sending'];
  await waitForStored(home, async (read) => {
    const now = await progressOf(read, key);
    const isPast = states.indexOf(now.state) < 0 || states.indexOf(now.state) > states.indexOf(state);
    return isPast || (now.state === state && (state === 'receiving' ? now.part > 0 : now.part >= part));
  });
  await stop();
  await sent;
  let killed = '';
  await waitForStored(home, async (read) => {
    killed = (await progressOf(read, key)).state;
    return true;
  });
  return killed;
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: a server that is killed while it receives, checks or sends a batch loses and doubles no row`, async (t) => {
    t.diagnostic(`KILL_SEED=${seed}, ${rounds} kills`);
    const random = seededRandom(seed);
    const home = await makeServerFixture(t, { engine });
    let server = await home.start();
    const token = await home.fetchAccessToken();
    const caller = createBatchCaller(home.url, token);
    let files = 0;
    for (let round = 0; round < rounds; round += 1) {
      const wanted = killStates[round % killStates.length] ?? assert.fail();
      let killed = '';
      for (let tries = 1; killed !== wanted; tries += 1) {
        assert.ok(tries <= maxTries, `expected to kill the server in the state ${wanted}, and it was ${killed}`);
        files += 1;
        const upload = { home, token, key: `file-${files}`, file: fileOf(files) };
        killed = await killIn(wanted, upload, () => server.stop('SIGKILL'), random);
        t.diagnostic(`kill ${round + 1}: ${killed}`);
        server = await home.start();
        const created = await caller.upload(upload.file, { key: upload.key });
        assert.equal(created.status, 202, String(created.body));
        await requireComplete(caller, batchIn(created).id);
      }
    }
    assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
    const db = await home.openDb();
    t.after(() => db.close());
    const count = async (sql: string) => (await db.read(sql)).map((row) => integerField(row, 'found'))[0];
    const ofBatches = 'from notification where batch_id is not null';
    assert.equal(await count(`select count(*) as found ${ofBatches}`), files * rowCount);
    assert.equal(await count(`select count(distinct reference) as found ${ofBatches}`), files * rowCount);
    assert.equal(
      await count(`select count(*) as found from delivery where notification_id in (select id ${ofBatches})`),
      files * rowCount,
    );
  });
}

/** Checks that a batch is done, that its results have each row once, and that the feed has its end once. */
async function requireComplete(caller: ReturnType<typeof createBatchCaller>, id: string): Promise<void> {
  const done = await caller.readUntil(id, ['done']);
  assert.deepEqual([done.rows, done.accepted, done.refused], [rowCount, rowCount, 0]);
  const rows = await caller.rows(id);
  assert.deepEqual(
    rows.map(({ row }) => row),
    Array.from({ length: rowCount }, (_, at) => at + 1),
  );
  assert.equal(new Set(rows.map(({ notificationId }) => notificationId)).size, rowCount);
  assert.equal((await caller.results(id)).split('\r\n').length, rowCount + 2);
  const data = { batch: id, rows: rowCount, accepted: rowCount, refused: 0 };
  assert.deepEqual(await caller.endEvents(id), [{ type: 'notification-batch.done', data }]);
}
