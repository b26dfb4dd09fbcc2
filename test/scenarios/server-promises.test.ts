import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import {
  bearerHeaders,
  createHttpClient,
  parseJsonBody,
  postJson,
  startPartialUpload,
} from '../support/http-client.ts';
import { startNotificationSenders } from '../support/load-generators.ts';
import { makeServerFixture, type RunningServer, type ServerFixture } from '../support/server-process.ts';
import { startTestSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { findInStoredData, relativeFilesIn } from '../support/stored-data-search.ts';
import { createClientToken, markers, validDepositHeaders, validMessage } from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';
import { callEveryOperation, type OperationUsage } from './operation-usage.ts';

type Life = {
  readonly home: ServerFixture;
  readonly sink: TestSmtpServer;
  readonly token: string;
  readonly ask: ReturnType<typeof createHttpClient>;
  server: RunningServer;
};

const send = '/v1/notifications/send';
const document = Buffer.alloc(1_000_000, `${markers.document} `);
document.write('%PDF-1.7\n');

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: a server loses and repeats nothing from its start through a stop under load to the next start`, async (t) => {
    const sink = await startTestSmtpServer(t);
    const home = await makeServerFixture(t, { engine, settings: { SMTP_URL: sink.url } });
    const server = await home.start();
    const life: Life = { home, sink, server, token: await home.fetchAccessToken(), ask: createHttpClient(home.url) };
    let first: { readonly body: Buffer; readonly id: string } | undefined;
    let uses: OperationUsage | undefined;

    await t.test('twenty concurrent requests with one idempotency key create one notification', async () => {
      first = await oneOfMany(life);
    });
    await t.test('every operation that uses data gets a response', async () => {
      uses = await callEveryOperation(
        life.ask,
        await createClientToken(home, 'Every Use'),
        await createClientToken(home, 'Other Client'),
      );
    });
    await t.test('an interrupted upload stores nothing', () => brokenUploads(life));
    await t.test('a stop under load completes exactly the accepted requests', (step) => stopUnderLoad(step, life));
    await t.test('message texts, claims and documents are encrypted at rest', () => unreadable(life));
    await t.test('each use of data has exactly one event of its type', () => eventsOf(life, uses));
    await t.test(
      'after the next start an idempotency key returns its first response, and each mail was sent once',
      async () => {
        life.server = await home.start();
        if (first !== undefined) await replayed(life, first);
        await life.server.stop('SIGTERM');
      },
    );
  });
}

const oneKey = { 'idempotency-key': 'one-of-many' };

async function oneOfMany({ ask, token }: Life) {
  const asked = postJson(token, send, { ...validMessage, citizenId: 'demo-anh' }, oneKey);
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(asked)));
  const accepted = answers.filter(({ status }) => status === 202);
  const others = answers.filter(({ status }) => status !== 202).map((one) => [one.status, one.headers['retry-after']]);
  assert.deepEqual(
    others,
    Array.from({ length: others.length }, () => [409, '1']),
  );
  const [one] = accepted;
  assert.ok(one);
  for (const { body } of accepted) assert.deepEqual(body, one.body);
  const replays = accepted.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
  assert.equal(replays.length, accepted.length - 1);
  return { body: one.body, id: String(parseJsonBody(one)['id']) };
}

async function brokenUploads({ home, token }: Life): Promise<void> {
  const sealed = relativeFilesIn(join(home.dataDir, 'documents/sealed')).sort();
  for (const chunked of [false, true]) {
    const headers = bearerHeaders(token, validDepositHeaders(document));
    const upload = await startPartialUpload(home.port, document, headers, chunked);
    await waitUntil(async () => relativeFilesIn(join(home.dataDir, 'documents/incoming')).length === 1);
    upload.abort();
    await waitUntil(async () => relativeFilesIn(join(home.dataDir, 'documents/incoming')).length === 0);
  }
  assert.deepEqual(relativeFilesIn(join(home.dataDir, 'documents/sealed')).sort(), sealed);
}

/** Stops the server while 32 clients send and a document is uploaded. */
async function stopUnderLoad(t: TestContext, { home, token, server, ask }: Life): Promise<void> {
  const before = await ask({ path: '/v1/documents?citizenId=demo-mary', headers: bearerHeaders(token) });
  const citizenIds = home.readDemoFile().citizens.map(({ citizenId }) => citizenId);
  const senders = startNotificationSenders({
    url: home.url,
    token,
    citizenIds,
    senders: 32,
    pauseMs: 5,
    marker: markers.message,
    until: 'refused',
  });
  await waitUntil(async () => senders.accepted.size >= 200);
  // Starts after the 200 messages, which take long on a slow machine: the server ends an upload without progress.
  const upload = await startPartialUpload(home.port, document, bearerHeaders(token, validDepositHeaders(document)));
  await waitUntil(async () => relativeFilesIn(join(home.dataDir, 'documents/incoming')).length === 1);
  const stopped = server.stop('SIGTERM');
  await waitUntil(async () => (await refusal(ask)) !== undefined);
  assert.match(await upload.finish(), /^HTTP\/1\.1 201 /);
  assert.deepEqual(await stopped, { code: 0, signal: null });
  await senders.ended;
  t.diagnostic(`accepted ${senders.accepted.size}; ${JSON.stringify(Object.fromEntries(senders.failures))}`);
  assert.equal(server.stderr(), '');
  const known = new Set(['503 capacity-reduced', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);
  assert.deepEqual([...new Set(senders.failures.keys()).difference(known)], []);

  const db = await home.openDb();
  try {
    // A key is stored with its notification, so an interrupted response would leave a key that no sender has.
    const keys = await db.read("select key from idempotency where key like 'sender-%' order by key");
    assert.deepEqual(
      keys.map(({ key }) => key),
      [...senders.accepted.keys()].sort(),
    );
    const rows = await db.read("select id from notification where reference like 'sender-%' order by id");
    assert.deepEqual(
      rows.map(({ id }) => id),
      [...senders.accepted.values()].sort(),
    );
    const [{ n } = { n: -1 }] = await db.read("select count(*) as n from document where citizen_id = 'demo-mary'");
    // The document of the demo, that of callEveryOperation, and the upload that ended while the server stopped.
    assert.equal(n, 3);
    assert.equal((parseJsonBody(before)['items'] as unknown[]).length, 1);
  } finally {
    await db.close();
  }
}

/** The status or error of a server that stops; undefined while it accepts requests. */
async function refusal(ask: Life['ask']): Promise<unknown> {
  try {
    const answer = await ask({ path: '/healthz' });
    return answer.status === 200 ? undefined : answer.status;
  } catch (fault) {
    return fault;
  }
}

async function unreadable({ home }: Life): Promise<void> {
  const { clients } = home.readDemoFile();
  assert.deepEqual(await findInStoredData(home, Object.values(markers)), []);
  // The search does find plain text: an address of the register, and the secret in the file of the demo.
  const found = await findInStoredData(home, ['demo-mary@citizens.example', clients[0]?.clientSecret ?? '']);
  assert.ok(
    found.some((place) => /sqlite|^citizen:/.test(place)),
    found.join(),
  );
  // demo.json, and the environments of two API clients.
  assert.deepEqual(found.filter((place) => place.includes('cs_demo_')).length, 3);
}

async function eventsOf({ home }: Life, uses: OperationUsage | undefined): Promise<void> {
  assert.ok(uses);
  const db = await home.openDb();
  try {
    for (const { clientId, events } of [uses.user, uses.otherClient]) {
      assert.deepEqual(await countsOf(db, clientId), events);
    }
    const [attempts] = await db.read('select count(*) as n from delivery_attempt');
    // The events of deliveries belong to no client.
    const { 'notification.delivery-ended': ended, 'document.refused': refused } = await countsOf(db, null);
    assert.deepEqual({ ended, refused }, { ended: attempts?.['n'], refused: 2 });
  } finally {
    await db.close();
  }
}

/** The number of a client's events by type, numbered and pending. */
async function countsOf(db: Database, clientId: string | null): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['ledger_event', 'ledger_entry']) {
    const sql = `select type from ${table} where client_id = $1 or (client_id is null and cast($1 as text) is null)`;
    for (const { type } of await db.read(sql, [clientId])) counts[String(type)] = (counts[String(type)] ?? 0) + 1;
  }
  return counts;
}

async function replayed({ home, ask, token, sink }: Life, first: { body: Buffer; id: string }): Promise<void> {
  const asked = postJson(token, send, { ...validMessage, citizenId: 'demo-anh' }, oneKey);
  const { status, headers, body } = await ask(asked);
  assert.deepEqual(
    [status, headers['idempotent-replayed'], headers.location],
    [202, 'true', `/v1/notifications/${first.id}`],
  );
  assert.deepEqual(body, first.body);
  // The server now sends the notifications that it accepted before the stop.
  const counts = new Map<string, number>();
  await waitUntil(async () => {
    const { items } = parseJsonBody(
      await ask({ path: '/v1/notifications?status=accepted&limit=1', headers: bearerHeaders(token) }),
    );
    return (items as unknown[]).length === 0;
  });
  for (const { raw } of sink.mails) {
    const id = /^notification-id: (\S+)/im.exec(raw)?.[1] ?? '';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  assert.deepEqual(
    [...counts.values()].filter((count) => count !== 1),
    [],
  );
  assert.equal(counts.get(first.id), 1);
  assert.equal(home.url, `http://127.0.0.1:${home.port}`);
}
