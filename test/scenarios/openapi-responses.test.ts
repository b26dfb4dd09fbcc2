import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type ExternalIssuer, makeDemoWithExternalIssuer } from '../support/external-issuer.ts';
import {
  bearerHeaders,
  createHttpClient,
  type HttpRequest,
  type HttpResponse,
  parseJsonBody,
  postJson,
  startPartialUpload,
} from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, type ServerFixture } from '../support/server-process.ts';
import {
  unknownIds,
  validDepositHeaders,
  validDocument,
  validMessage,
  validPreferences,
  validRequest,
} from '../support/valid-requests.ts';
import { waitPastMidnight, waitUntil } from '../support/wait-until.ts';

// Declared responses that need more than one request. test/support/openapi-response-preload.ts checks each response against its
// schema.
let home: ServerFixture;
let issuer: ExternalIssuer;
let citizensClient = '';
let token = '';
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  // Without a scanner deposited documents wait.
  ({ issuer, home, citizensClient } = await makeDemoWithExternalIssuer(thisFile, { CLAMAV: '' }));
  await prepareDatabase();
  await home.start('start');
  ask = createHttpClient(home.url);
  token = await home.fetchAccessToken();
});

/** Opening a message with this reference always conflicts with another change. */
const unopenable = 'unopenable';
/** The withdrawal of a document that is retained until this instant always conflicts with another change. */
const unmovable = '2099-01-01T00:00:00.000Z';

/**
 * Deletes the first event of the demo's client, as after its retention, and creates the triggers of `unopenable` and `unmovable`.
 */
async function prepareDatabase(): Promise<void> {
  const db = await home.openDb();
  const [demo] = home.readDemoFile().clients;
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
        when new.locked_by_citizen = 1 and new.citizen_id = 'demo-anh' begin select raise(ignore); end`,
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

const slugOf = (answer: HttpResponse) => [answer.status, String(parseJsonBody(answer)['type']).split('/').at(-1)];

async function deposited(headers: HttpRequest['headers'] = {}): Promise<string> {
  const good = validRequest('depositDocument', { token, ids: unknownIds });
  const answer = await ask({ ...good, headers: { ...good.headers, ...headers } });
  assert.equal(answer.status, 201, String(answer.body));
  return String(parseJsonBody(answer)['id']);
}

test('a preview shows the notification and sends nothing', async () => {
  const answer = await ask(postJson(token, '/v1/notifications/preview', validMessage));
  assert.equal(answer.status, 200, String(answer.body));
  assert.equal(answer.headers.location, undefined);
});

/** An access token that names the citizen. */
async function citizensToken(citizenId: string): Promise<string> {
  const claims = { client_id: citizensClient, sub: 'somebody', scope: 'citizen:self', citizen_id: citizenId };
  return await issuer.sign({ ...claims, aud: `${home.url}/v1` });
}

test('a citizen can set and read contact preferences, and a person who is not in the register cannot', async () => {
  const state = async (citizenId: string) =>
    await ask(postJson(await citizensToken(citizenId), '/v1/contact-preferences', validPreferences));
  const stated = await state('demo-mary');
  assert.equal(stated.status, 200, String(stated.body));
  const read = await ask({ path: '/v1/contact-preferences', headers: bearerHeaders(await citizensToken('demo-mary')) });
  assert.deepEqual(
    [read.status, parseJsonBody(read)],
    [200, { ...validPreferences, verified: [], awaiting: [], confirmable: [] }],
  );
  assert.deepEqual(slugOf(await state('nobody')), [404, 'citizen-not-found']);
});

test('a citizen can read their own register record, and a person who is not in the register receives 404', async () => {
  const read = async (citizenId: string) =>
    await ask({ path: '/v1/register-record', headers: bearerHeaders(await citizensToken(citizenId)) });
  const own = await read('demo-mary');
  assert.equal(own.status, 200, String(own.body));
  const { citizenId, familyName, email, locked } = parseJsonBody(own);
  assert.deepEqual([citizenId, familyName, email, locked], ['demo-mary', 'Smith', 'demo-mary@citizens.example', false]);
  assert.deepEqual(slugOf(await read('nobody')), [404, 'citizen-not-found']);
});

test('a citizen can set the citizen lock, and remove it at most five times a day', async () => {
  await waitPastMidnight();
  const own = await citizensToken('demo-mary');
  const change = (locked: boolean) => ask(postJson(own, '/v1/register-lock', { locked }));
  for (let times = 0; times < 5; times += 1) {
    assert.deepEqual(parseJsonBody(await change(true)), { ownLock: true });
    assert.deepEqual(parseJsonBody(await change(false)), { ownLock: false });
  }
  await change(true);
  const refused = await change(false);
  assert.deepEqual(slugOf(refused), [429, 'too-many-unlocks']);
  assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
  const of = async (citizenId: string) =>
    await ask(postJson(await citizensToken(citizenId), '/v1/register-lock', { locked: true }));
  assert.deepEqual(slugOf(await of('nobody')), [404, 'citizen-not-found']);
  // The change always conflicts: see `prepareDatabase`.
  assert.deepEqual(slugOf(await of('demo-anh')), [409, 'changed-meanwhile']);
});

test('a citizen can open an inbox message, even eight times at once, but not one of another citizen', async () => {
  const headers = bearerHeaders(await citizensToken('demo-mary'));
  const sent = await ask(postJson(token, '/v1/notifications/send', validMessage));
  const path = `/v1/inbox/${parseJsonBody(sent)['id']}`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask({ path, headers })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  );
  const listed = await ask({ path: '/v1/inbox?limit=5', headers });
  assert.equal(listed.status, 200, String(listed.body));
  assert.deepEqual(slugOf(await ask({ path: `/v1/inbox/${unknownIds.notification}`, headers })), [
    404,
    'notification-not-found',
  ]);
});

test('the opening of a message is refused while other changes conflict with it, and the message stays unread', async () => {
  const headers = bearerHeaders(await citizensToken('demo-mary'));
  const sent = await ask(postJson(token, '/v1/notifications/send', { ...validMessage, reference: unopenable }));
  const path = `/v1/inbox/${parseJsonBody(sent)['id']}`;
  assert.deepEqual(slugOf(await ask({ path, headers })), [409, 'changed-meanwhile']);
  const shown = await ask({ path: `/v1/notifications/${parseJsonBody(sent)['id']}`, headers: bearerHeaders(token) });
  assert.notEqual(parseJsonBody(shown)['status'], 'read');
});

test('only a client with the scope citizens:known learns that a citizen is not in the register', async () => {
  const narrow = await home.fetchAccessToken(['notifications:send']);
  const message = { ...validMessage, citizenId: 'nobody' };
  const refused = await ask(postJson(token, '/v1/notifications/send', message));
  const accepted = await ask(postJson(narrow, '/v1/notifications/send', message));
  assert.deepEqual([...slugOf(refused), accepted.status], [404, 'citizen-not-found', 202]);
});

test('a cursor before the retained events is refused, so that a client does not miss events', async () => {
  const answer = await ask({ path: '/v1/events?after=0', headers: bearerHeaders(token) });
  assert.deepEqual(slugOf(answer), [410, 'cursor-expired']);
});

test('a citizen can read their access log with a token of a trusted issuer', async () => {
  const signed = await citizensToken('demo-mary');
  await ask(postJson(token, '/v1/notifications/send', validMessage));
  const read = () => ask({ path: '/v1/access-log', headers: bearerHeaders(signed) });
  await waitUntil(async () => Number(parseJsonBody(await read())['returnedUsages']) > 0);
  const answer = await read();
  assert.equal(answer.status, 200, String(answer.body));
});

test('a receipt and its proof are refused with Retry-After until the event has a number', async () => {
  const receiptOf = async () => {
    const sent = await ask(postJson(token, '/v1/notifications/send', validMessage));
    return String(parseJsonBody(sent)['receipt']);
  };
  const read = (path: string) => ask({ path, headers: bearerHeaders(token) });
  for (const end of ['', '/proof']) {
    let path = '';
    let first: HttpResponse | undefined;
    // The ledger can be faster than the second request.
    await waitUntil(async () => {
      path = `${await receiptOf()}${end}`;
      first = await read(path);
      return first.status !== 200;
    });
    assert.ok(first);
    assert.deepEqual([...slugOf(first), first.headers['retry-after']], [409, 'receipt-not-ready', '1']);
    await waitUntil(async () => (await read(path)).status === 200);
  }
});

test('only a client with the scope can conceal a use', async () => {
  const narrow = await home.fetchAccessToken(['notifications:read']);
  const headers = {
    'access-log-hidden-until': new Date(Date.now() + 86_400_000).toISOString(),
    'access-log-hidden-reason': 'because',
  };
  const good = validRequest('readNotification', { token: narrow, ids: unknownIds });
  const answer = await ask({ ...good, headers: { ...good.headers, ...headers } });
  assert.deepEqual(slugOf(answer), [403, 'hiding-not-permitted']);
});

test('a document that is not scanned yet is refused with Retry-After', async () => {
  const answer = await ask({ path: `/v1/documents/${await deposited()}`, headers: bearerHeaders(token) });
  assert.deepEqual([...slugOf(answer), answer.headers['retry-after']], [409, 'document-not-ready', '5']);
});

test('every operation on an erased document receives 410 with a link to the proof', async () => {
  const id = await deposited();
  const path = `/v1/documents/${id}`;
  const erased = await ask({ method: 'DELETE', path, headers: bearerHeaders(token) });
  assert.deepEqual([erased.status, parseJsonBody(erased)['status']], [200, 'erased']);
  const grant = { clientId: 'another-client', purpose: 'permit' };
  const later: readonly HttpRequest[] = [
    { method: 'DELETE', path, headers: bearerHeaders(token) },
    postJson(token, `${path}/grants`, grant),
    { method: 'DELETE', path: `${path}/grants?${new URLSearchParams(grant)}`, headers: bearerHeaders(token) },
    { path, headers: bearerHeaders(token) },
    { path: `${path}/record`, headers: bearerHeaders(token) },
  ];
  for (const asked of later) {
    const answer = await ask(asked);
    assert.deepEqual(slugOf(answer), [410, 'document-erased'], asked.path);
    assert.match(String(answer.headers.link), /^<\/v1\/receipts\/evt_\w{26}>; rel="describedby"$/);
  }
});

async function otherClient(): Promise<{ readonly clientId: string }> {
  const flags = ['--scopes', 'documents:read', '--secret', '--json'];
  return JSON.parse((await runCommandInProcess(home, 'clients', 'create', 'Registry', ...flags)).stdout);
}

test('a client can receive grants until it is disabled', async () => {
  const path = `/v1/documents/${await deposited()}/grants`;
  const { clientId } = await otherClient();
  const grant = async (purpose: string) => await ask(postJson(token, path, { clientId, purpose }));
  assert.equal((await grant('permit')).status, 201);
  assert.equal((await runCommandInProcess(home, 'clients', 'disable', clientId)).code, 0);
  assert.deepEqual(slugOf(await grant('tax')), [400, 'bad-request']);
});

test('a document can have at most 100 grants', async () => {
  const path = `/v1/documents/${await deposited()}/grants`;
  const { clientId } = await otherClient();
  const grant = async (purpose: string) => await ask(postJson(token, path, { clientId, purpose }));
  for (let count = 0; count < 100; count += 1) assert.equal((await grant(`permit ${count}`)).status, 201);
  assert.deepEqual(slugOf(await grant('permit 100')), [409, 'conflict']);
});

test('a grant can be ended once', async () => {
  const path = `/v1/documents/${await deposited()}/grants?clientId=another-client&purpose=permit`;
  const answer = await ask({ method: 'DELETE', path, headers: bearerHeaders(token) });
  assert.deepEqual(slugOf(answer), [409, 'conflict']);
});

test('one of several concurrent withdrawals erases the document, and the others receive 410', async () => {
  const asked = { method: 'DELETE', path: `/v1/documents/${await deposited()}`, headers: bearerHeaders(token) };
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(asked)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 410)]);
});

test('a withdrawal is refused as a conflict while other changes conflict with it, and can be repeated', async () => {
  const path = `/v1/documents/${await deposited({ 'document-retain-until': unmovable })}`;
  const answer = await ask({ method: 'DELETE', path, headers: bearerHeaders(token) });
  assert.deepEqual([...slugOf(answer), parseJsonBody(answer)['retryable']], [409, 'changed-meanwhile', true]);
});

test('one idempotency key creates one document, with 409 during the deposit and 422 for another document', async () => {
  let headers: HttpRequest['headers'] = {};
  let running: HttpResponse | undefined;
  let count = 0;
  // The server may process either request first. The test repeats with a new key until the incomplete upload is first.
  await waitUntil(async () => {
    count += 1;
    headers = { ...bearerHeaders(token, validDepositHeaders()), 'idempotency-key': `document-${count}` };
    const upload = await startPartialUpload(home.port, validDocument, headers);
    running = await ask({ method: 'POST', path: '/v1/documents', headers, body: validDocument });
    assert.match(await upload.finish(), /^HTTP\/1\.1 (201|409) /);
    return running.status === 409;
  });
  assert.ok(running);
  assert.deepEqual([...slugOf(running), running.headers['retry-after']], [409, 'idempotency-key-in-progress', '1']);
  const other = Buffer.from('%PDF-1.7\nanother\n');
  const otherHeaders = { ...headers, ...validDepositHeaders(other) };
  const answer = await ask({ method: 'POST', path: '/v1/documents', headers: otherHeaders, body: other });
  assert.deepEqual(slugOf(answer), [422, 'idempotency-key-reused']);
});
