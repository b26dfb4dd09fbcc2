import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { awayFromMidnight } from '../away-from-midnight.ts';
import { type Answered, type Asked, createExchange, jsonOf, sendJson, withToken } from '../exchange.ts';
import { startUpload } from '../half-upload.ts';
import { makeDemoWithIssuer, type OutsideIssuer } from '../outside-issuer.ts';
import { runHere } from '../run-here.ts';
import { until } from '../until.ts';
import { afterThisFile, type ServerHome } from '../whole-server.ts';
import { depositHeaders, goodDocument, goodMessage, goodRequest, noIds } from './good-requests.ts';

// Answers that the OpenAPI document declares and that need more than one request to be met. That each is of its schema is
// seen by the watcher of the run (test/answer-watch.ts).
let home: ServerHome;
let issuer: OutsideIssuer;
let citizensClient = '';
let token = '';
let ask: ReturnType<typeof createExchange>;

const thisFile = afterThisFile();
before(async () => {
  // Without a scanner deposited documents wait.
  ({ issuer, home, citizensClient } = await makeDemoWithIssuer(thisFile, { CLAMAV: '' }));
  await prepareDatabase();
  await home.start('start');
  ask = createExchange(home.url);
  token = await home.token();
});

/** Messages of this reference change again each time they are to become read. */
const unopenable = 'unopenable';
/** And documents that are kept until then, each time they are to be withdrawn. */
const unmovable = '2099-01-01T00:00:00.000Z';

/** The first event of the demo's client is no longer kept, as after its time; and see `unopenable` and `unmovable`. */
async function prepareDatabase(): Promise<void> {
  const db = await home.openDb();
  const [demo] = home.demo().clients;
  await db.write([
    {
      sql: 'insert into feed_head (client_id, last, pruned) values ($1, 1, 1) on conflict (client_id) do update set pruned = 1',
      args: [demo?.clientId ?? ''],
    },
    {
      sql: `create trigger unopenable before update on notification
        when new.status = 'read' and new.reference = '${unopenable}' begin select raise(ignore); end`,
      args: [],
    },
    {
      sql: `create trigger unlockable before update on citizen
        when new.own_lock = 1 and new.citizen_id = 'demo-anh' begin select raise(ignore); end`,
      args: [],
    },
    {
      sql: `create trigger unmovable before update on document
        when new.status = 'withdrawn' and new.retain_until = ${Date.parse(unmovable)} begin select raise(ignore); end`,
      args: [],
    },
  ]);
  await db.close();
}

const slugOf = (answer: Answered) => [answer.status, String(jsonOf(answer)['type']).split('/').at(-1)];

async function deposited(headers: Asked['headers'] = {}): Promise<string> {
  const good = goodRequest('depositDocument', { token, ids: noIds });
  const answer = await ask({ ...good, headers: { ...good.headers, ...headers } });
  assert.equal(answer.status, 201, String(answer.body));
  return String(jsonOf(answer)['id']);
}

test('a rehearsal shows what would be sent, and sends nothing', async () => {
  const answer = await ask(sendJson(token, '/v1/notifications/send', { ...goodMessage, dryRun: true }));
  assert.equal(answer.status, 200, String(answer.body));
  assert.equal(answer.headers.location, undefined);
});

/** A token that says which citizen is at the client. */
async function citizensToken(citizenId: string): Promise<string> {
  const claims = { client_id: citizensClient, sub: 'somebody', scope: 'citizen:self', citizen_id: citizenId };
  return await issuer.sign({ ...claims, aud: `${home.url}/v1` });
}

test('a citizen states how to be reached, and reads it again; whom the register does not have cannot', async () => {
  const wishes = { declined: ['sms'], language: 'en' };
  const state = async (citizenId: string) =>
    await ask(sendJson(await citizensToken(citizenId), '/v1/contact-preferences', wishes));
  const stated = await state('demo-mary');
  assert.equal(stated.status, 200, String(stated.body));
  const read = await ask({ path: '/v1/contact-preferences', headers: withToken(await citizensToken('demo-mary')) });
  assert.deepEqual([read.status, jsonOf(read)], [200, { ...wishes, verified: [], awaiting: [], confirmable: [] }]);
  assert.deepEqual(slugOf(await state('nobody')), [404, 'citizen-not-found']);
});

test('a citizen reads what the register has about them; whom it does not have finds nothing', async () => {
  const read = async (citizenId: string) =>
    await ask({ path: '/v1/register-record', headers: withToken(await citizensToken(citizenId)) });
  const own = await read('demo-mary');
  assert.equal(own.status, 200, String(own.body));
  const { citizenId, familyName, email, locked } = jsonOf(own);
  assert.deepEqual([citizenId, familyName, email, locked], ['demo-mary', 'Smith', 'demo-mary@citizens.example', false]);
  assert.deepEqual(slugOf(await read('nobody')), [404, 'citizen-not-found']);
});

test('a citizen locks the own details, and lifts that five times a day', async () => {
  await awayFromMidnight();
  const own = await citizensToken('demo-mary');
  const change = (locked: boolean) => ask(sendJson(own, '/v1/register-lock', { locked }));
  for (let times = 0; times < 5; times += 1) {
    assert.deepEqual(jsonOf(await change(true)), { ownLock: true });
    assert.deepEqual(jsonOf(await change(false)), { ownLock: false });
  }
  await change(true);
  const refused = await change(false);
  assert.deepEqual(slugOf(refused), [429, 'too-many-unlocks']);
  assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
  const of = async (citizenId: string) =>
    await ask(sendJson(await citizensToken(citizenId), '/v1/register-lock', { locked: true }));
  assert.deepEqual(slugOf(await of('nobody')), [404, 'citizen-not-found']);
  // Something else always comes before: see `prepareDatabase`.
  assert.deepEqual(slugOf(await of('demo-anh')), [409, 'changed-meanwhile']);
});

test('a citizen opens a message of the own inbox, eight times at once too, and none of another', async () => {
  const headers = withToken(await citizensToken('demo-mary'));
  const sent = await ask(sendJson(token, '/v1/notifications/send', goodMessage));
  const path = `/v1/inbox/${jsonOf(sent)['id']}`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask({ path, headers })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  );
  const listed = await ask({ path: '/v1/inbox?limit=5', headers });
  assert.equal(listed.status, 200, String(listed.body));
  assert.deepEqual(slugOf(await ask({ path: `/v1/inbox/${noIds.notification}`, headers })), [
    404,
    'notification-not-found',
  ]);
});

test('an opening that something else always comes before is refused as such, and opens nothing', async () => {
  const headers = withToken(await citizensToken('demo-mary'));
  const sent = await ask(sendJson(token, '/v1/notifications/send', { ...goodMessage, reference: unopenable }));
  const path = `/v1/inbox/${jsonOf(sent)['id']}`;
  assert.deepEqual(slugOf(await ask({ path, headers })), [409, 'changed-meanwhile']);
  const shown = await ask({ path: `/v1/notifications/${jsonOf(sent)['id']}`, headers: withToken(token) });
  assert.notEqual(jsonOf(shown)['status'], 'read');
});

test('only a client that may know it is told that the register has no such citizen', async () => {
  const narrow = await home.token(['notifications:send']);
  const message = { ...goodMessage, citizenId: 'nobody' };
  const told = await ask(sendJson(token, '/v1/notifications/send', message));
  const accepted = await ask(sendJson(narrow, '/v1/notifications/send', message));
  assert.deepEqual([...slugOf(told), accepted.status], [404, 'citizen-not-found', 202]);
});

test('a cursor from before the events that are kept is refused, not answered with a gap', async () => {
  const answer = await ask({ path: '/v1/events?after=0', headers: withToken(token) });
  assert.deepEqual(slugOf(answer), [410, 'cursor-expired']);
});

test('a citizen reads the own access log with a token of a trusted issuer', async () => {
  const signed = await citizensToken('demo-mary');
  await ask(sendJson(token, '/v1/notifications/send', goodMessage));
  const read = () => ask({ path: '/v1/access-log', headers: withToken(signed) });
  await until(async () => Number(jsonOf(await read())['returnedUsages']) > 0);
  const answer = await read();
  assert.equal(answer.status, 200, String(answer.body));
});

test('a receipt is recorded at once, says when to come back, and then has its proof', async () => {
  const receiptOf = async () => {
    const sent = await ask(sendJson(token, '/v1/notifications/send', goodMessage));
    return String(jsonOf(sent)['receipt']);
  };
  const read = (path: string) => ask({ path, headers: withToken(token) });
  let path = '';
  let first: Answered | undefined;
  // The ledger can be faster than the second request.
  await until(async () => {
    path = await receiptOf();
    first = await read(path);
    return first.status === 202;
  });
  assert.match(String(first?.headers['retry-after']), /^[1-9]$/);
  await until(async () => (await read(path)).status === 200);
});

test('a use is hidden only by a client with that right', async () => {
  const narrow = await home.token(['notifications:send']);
  const headers = {
    'access-log-hidden-until': new Date(Date.now() + 86_400_000).toISOString(),
    'access-log-hidden-reason': 'because',
  };
  const good = goodRequest('readReceipt', { token: narrow, ids: noIds });
  const answer = await ask({ ...good, headers: { ...good.headers, ...headers } });
  assert.deepEqual(slugOf(answer), [403, 'hiding-not-permitted']);
});

test('a document that was not scanned yet is not given out, and says when to come back', async () => {
  const answer = await ask({ path: `/v1/documents/${await deposited()}`, headers: withToken(token) });
  assert.deepEqual([...slugOf(answer), answer.headers['retry-after']], [409, 'document-not-ready', '5']);
});

test('what is done to an erased document is answered 410 with a link to the proof', async () => {
  const id = await deposited();
  const path = `/v1/documents/${id}`;
  const erased = await ask({ method: 'DELETE', path, headers: withToken(token) });
  assert.deepEqual([erased.status, jsonOf(erased)['status']], [200, 'erased']);
  const grant = { clientId: 'another-client', purpose: 'permit' };
  const later: readonly Asked[] = [
    { method: 'DELETE', path, headers: withToken(token) },
    sendJson(token, `${path}/grants`, grant),
    { method: 'DELETE', path: `${path}/grants?${new URLSearchParams(grant)}`, headers: withToken(token) },
    { path, headers: withToken(token) },
  ];
  for (const asked of later) {
    const answer = await ask(asked);
    assert.deepEqual(slugOf(answer), [410, 'document-erased'], asked.path);
    assert.match(String(answer.headers.link), /^<\/v1\/receipts\/evt_\w{26}>; rel="describedby"$/);
  }
});

async function otherClient(): Promise<{ readonly clientId: string }> {
  const flags = ['--scopes', 'documents:read', '--secret', '--json'];
  return JSON.parse((await runHere(home, 'clients', 'create', 'Registry', ...flags)).stdout);
}

test('a grant is given to a client until that is disabled', async () => {
  const path = `/v1/documents/${await deposited()}/grants`;
  const { clientId } = await otherClient();
  const grant = async (purpose: string) => await ask(sendJson(token, path, { clientId, purpose }));
  assert.equal((await grant('permit')).status, 201);
  assert.equal((await runHere(home, 'clients', 'disable', clientId)).code, 0);
  assert.deepEqual(slugOf(await grant('tax')), [400, 'bad-request']);
});

test('a document has a hundred grants at most', async () => {
  const path = `/v1/documents/${await deposited()}/grants`;
  const { clientId } = await otherClient();
  const grant = async (purpose: string) => await ask(sendJson(token, path, { clientId, purpose }));
  for (let count = 0; count < 100; count += 1) assert.equal((await grant(`permit ${count}`)).status, 201);
  assert.deepEqual(slugOf(await grant('permit 100')), [409, 'conflict']);
});

test('a grant ends once', async () => {
  const path = `/v1/documents/${await deposited()}/grants?clientId=another-client&purpose=permit`;
  const answer = await ask({ method: 'DELETE', path, headers: withToken(token) });
  assert.deepEqual(slugOf(answer), [409, 'conflict']);
});

test('of several withdrawals at once one erases, and the others are told that it is gone', async () => {
  const asked = { method: 'DELETE', path: `/v1/documents/${await deposited()}`, headers: withToken(token) };
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(asked)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 410)]);
});

test('a withdrawal that something else always comes before is refused as such, and may be repeated', async () => {
  const path = `/v1/documents/${await deposited({ 'document-retain-until': unmovable })}`;
  const answer = await ask({ method: 'DELETE', path, headers: withToken(token) });
  assert.deepEqual([...slugOf(answer), jsonOf(answer)['retryable']], [409, 'changed-meanwhile', true]);
});

test('one idempotency key is one document: running 409, another document 422', async () => {
  let headers: Asked['headers'] = {};
  let running: Answered | undefined;
  let count = 0;
  // Whichever of two connections is heard first has the key: again with another key, until it was the half upload.
  await until(async () => {
    count += 1;
    headers = { ...withToken(token, depositHeaders()), 'idempotency-key': `document-${count}` };
    const upload = await startUpload(home.port, goodDocument, headers);
    running = await ask({ method: 'POST', path: '/v1/documents', headers, body: goodDocument });
    assert.match(await upload.finish(), /^HTTP\/1\.1 (201|409) /);
    return running.status === 409;
  });
  assert.ok(running);
  assert.deepEqual([...slugOf(running), running.headers['retry-after']], [409, 'idempotency-key-in-progress', '1']);
  const other = Buffer.from('%PDF-1.7\nanother\n');
  const otherHeaders = { ...headers, ...depositHeaders(other) };
  const answer = await ask({ method: 'POST', path: '/v1/documents', headers: otherHeaders, body: other });
  assert.deepEqual(slugOf(answer), [422, 'idempotency-key-reused']);
});
