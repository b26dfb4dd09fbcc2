import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { inspect } from 'node:util';
import type { JSONWebKeySet, JWK } from 'jose';
import { type Client, createClient, ProblemError, TokenError } from '../../client/src/client.ts';
import { type Clock, defaultClock } from '../../client/src/retry.ts';
import { verifyResult } from '../../client/src/verify-result.ts';
import { engines } from '../support/database-engines.ts';
import { fetchOnce } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

// The client in `client/` with a running server.
const mary = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };

let home: ServerFixture;
let client: Client;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
  client = createClient({ baseUrl: home.url, ...credentials() });
});

function credentials() {
  const [first] = home.readDemoFile().clients;
  assert.ok(first !== undefined);
  return { clientId: first.clientId, clientSecret: first.clientSecret };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('the result of a verification is accepted only for its client and its request', async () => {
  const answer = await client.verify({ ...mary, nonce: 'n-1' });
  assert.equal(answer.decision, 'match');
  const { requestHash, token } = answer;
  const result = await client.verifyResult(token, { nonce: 'n-1', requestHash });
  assert.deepEqual(result.verified_claims?.claims['citizen_id'], 'demo-mary');
  assert.equal(result.jti, answer.verificationId);
  await assert.rejects(client.verifyResult(token, { nonce: 'n-2' }), { name: 'ResultError', code: 'NONCE' });
  await assert.rejects(client.verifyResult(token, { requestHash: `${requestHash}x` }), { code: 'REQUEST_HASH' });
  const jwks = (await (await fetchOnce(`${home.url}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
  const { clientId } = credentials();
  const rules = { issuer: home.url, clientId, jwks };
  assert.equal((await verifyResult(token, rules)).decision, 'match');
  const wrong = { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' };
  await assert.rejects(verifyResult(token, { ...rules, clientId: 'another' }), wrong);
  await assert.rejects(verifyResult(token, { ...rules, issuer: 'https://other.example' }), wrong);
  await assert.rejects(verifyResult(token, { ...rules, now: Date.now() + 600_000 }), { code: 'ERR_JWT_EXPIRED' });
  const [head, , signature] = token.split('.');
  const forged = Buffer.from(JSON.stringify({ ...result, decision: 'match', jti: 'ver_x' })).toString('base64url');
  const forgery = verifyResult(`${head}.${forged}.${signature}`, rules);
  await assert.rejects(forgery, { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' });
  const otherUses = jwks.keys.filter(
    (key: JWK & { citizen_services_use?: unknown }) => key.citizen_services_use !== 'result',
  );
  assert.ok(otherUses.length > 0);
  const unknown = verifyResult(token, { ...rules, jwks: { keys: otherUses } });
  await assert.rejects(unknown, (fault) => !inspect(fault, { depth: 9 }).includes('Mary'));
  await assert.rejects(unknown, { code: 'ERR_JWKS_NO_MATCHING_KEY' });
});

test('an access token of the server is not accepted as a result', async () => {
  await assert.rejects(client.verifyResult(await client.accessToken()), { name: 'ResultError' });
});

for (const { name: engine } of engines) {
  test(`${engine}: a live client gets its tokens with its own key, and can list all pages`, async (t) => {
    const own = await makeServerFixture(t, { engine });
    assert.equal((await runCommandInProcess(own, 'keys', 'create')).code, 0);
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(join(own.dataDir, 'jwks.json'), JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
    const scopes = 'notifications:send,notifications:read,events:read';
    const order = ['clients', 'create', 'Tax', '--kind', 'live', '--scopes', scopes, '--json'];
    const made = await runCommandInProcess(own, ...order, '--jwks', join(own.dataDir, 'jwks.json'));
    assert.equal(made.code, 0, made.stderr);
    const { clientId } = JSON.parse(made.stdout) as { clientId: string };
    await own.start('start');
    const live = createClient({ baseUrl: `${own.url}/`, clientId, privateKey: privateKey.export({ format: 'jwk' }) });
    const sent: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      sent.push((await live.send({ citizenId: 'nobody', message: 'Hello', reference: 'five' })).id);
    }
    const listed = await all(live.notifications({ reference: 'five', limit: 2 }));
    assert.deepEqual(listed.map(({ id }) => id).sort(), sent.sort());
    const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    const thief = createClient({ baseUrl: own.url, clientId, privateKey: otherKey });
    await assert.rejects(thief.notification('ntf_1'), { name: 'TokenError', error: 'invalid_client', status: 401 });
  });
}

test('a client can have its assertions signed by another program, and a wrong form of signature is reported', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwks = join(home.dataDir, 'signer-jwks.json');
  writeFileSync(jwks, JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'hsm-1' }] }));
  const order = ['clients', 'create', 'Signer', '--scopes', 'events:read', '--jwks', jwks, '--json'];
  const made = await runCommandInProcess(home, ...order);
  assert.equal(made.code, 0, made.stderr);
  const { clientId } = JSON.parse(made.stdout) as { clientId: string };
  const signed: Uint8Array[] = [];
  const clientWith = (key: KeyObject, dsaEncoding: 'ieee-p1363' | 'der') =>
    createClient({
      baseUrl: home.url,
      clientId,
      signer: {
        alg: 'ES256',
        kid: 'hsm-1',
        sign: async (data) => {
          signed.push(data);
          return sign('sha256', data, { key, dsaEncoding });
        },
      },
    });
  assert.equal((await clientWith(privateKey, 'ieee-p1363').call('readEvents')).status, 200);
  assert.equal(signed.length, 1);
  await assert.rejects(
    clientWith(privateKey, 'der').call('readEvents'),
    /for ES256, R and S of 32 bytes each, not ASN\.1/,
  );
  const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  await assert.rejects(clientWith(otherKey, 'ieee-p1363').call('readEvents'), { error: 'invalid_client' });
  assert.throws(
    () => createClient({ baseUrl: home.url, clientId } as never),
    /expected one of clientSecret, privateKey/,
  );
});

test('a refusal has its fix and all issues, and contains no data of the request', async () => {
  const secretWords = { familyName: 'Zzyxwname', birthDate: 'Zzyxwdate' };
  const fault = await client.verify({ citizenId: 'demo-mary', ...secretWords }).catch((error: unknown) => error);
  assert.ok(fault instanceof ProblemError);
  assert.deepEqual([fault.status, fault.slug, fault.retryable], [400, 'bad-request', false]);
  assert.deepEqual(
    fault.issues.map(({ in: place, pointer }) => [place, pointer]),
    [['body', '/birthDate']],
  );
  assert.match(fault.requestId, /^urn:uuid:/);
  assert.match(fault.message, /^400 bad-request: .* \/birthDate /);
  const token = await client.accessToken();
  const shown = inspect(fault, { depth: 9, showHidden: true }) + inspect(client, { depth: 9, showHidden: true });
  for (const word of ['Zzyxw', token, credentials().clientSecret]) assert.equal(shown.includes(word), false, word);
  await assert.rejects(client.notification('ntf_00000000000000000000000000'), {
    name: 'ProblemError',
    status: 404,
    slug: 'notification-not-found',
  });
  await assert.rejects(client.call('readNotification', { params: { id: '..' } }), /params\.id is missing/);
});

test('a wrong secret and an unknown scope are reported with the message of the token endpoint', async () => {
  const { clientId, clientSecret } = credentials();
  const wrongClient = createClient({ baseUrl: home.url, clientId, clientSecret: 'Zzyxwsecret' });
  const fault = await wrongClient.accessToken().catch((error: unknown) => error);
  assert.ok(fault instanceof TokenError);
  assert.equal(fault.error, 'invalid_client');
  assert.equal(inspect(fault, { depth: 9, showHidden: true }).includes('Zzyxw'), false);
  const greedy = createClient({ baseUrl: home.url, clientId, clientSecret, scope: 'all:things' });
  await assert.rejects(greedy.accessToken(), { error: 'invalid_scope', status: 400 });
  const narrow = createClient({ baseUrl: home.url, clientId, clientSecret, scope: 'documents:read' });
  await assert.rejects(narrow.verify(mary), { slug: 'missing-scope', status: 403 });
  assert.throws(
    () => createClient({ baseUrl: home.url, clientId } as never),
    /expected one of clientSecret, privateKey and signer/,
  );
});

test('documents can be deposited from bytes, blobs and streams, read by range and listed to the end', async () => {
  const about = {
    citizenId: 'demo-mary',
    title: 'Bescheid für Grünfläche 😀',
    mediaType: 'text/plain',
    kind: 'client-test',
  };
  const bytes = new TextEncoder().encode('PARKING PERMIT');
  const contents = [bytes, new Blob([bytes]), new Blob([bytes]).stream()];
  const ids: string[] = [];
  for (const content of contents) {
    const made = await client.deposit(content, about);
    assert.deepEqual([made.title, made.size, made.status], [about.title, bytes.length, 'available']);
    ids.push(made.id);
  }
  assert.equal(new Set(ids).size, 3);
  await assert.rejects(client.deposit('PARKING' as never, about), /has to be a Uint8Array, a Blob or a ReadableStream/);
  const given = { headers: { 'Content-Type': 'text/plain' }, body: { text: 'PARKING' } as never };
  await assert.rejects(client.call('depositDocument', given), /has to be a Uint8Array, a Blob or a ReadableStream/);
  const [id = ''] = ids;
  const whole = await client.document(id);
  assert.equal(await whole.text(), 'PARKING PERMIT');
  const part = await client.document(id, { headers: { Range: 'bytes=8-' } });
  assert.deepEqual([part.status, await part.text()], [206, 'PERMIT']);
  const etag = whole.headers.get('etag') ?? '';
  assert.equal((await client.document(id, { headers: { 'If-None-Match': etag } })).status, 304);
  assert.equal((await client.documentRecord(id)).kind, 'client-test');
  const receipt = /<([^>]+)>; rel="receipt"/.exec(whole.headers.get('link') ?? '')?.[1] ?? assert.fail();
  assert.match(await client.receiptProof(receipt), /^c2sp\.org\/tlog-proof@v1\n/);
  const listed = await all(client.documents({ citizenId: 'demo-mary', limit: 2 }));
  const known = new Set(listed.map((record) => record.id));
  assert.ok(listed.length > 3 && known.size === listed.length);
  assert.deepEqual(
    ids.filter((one) => !known.has(one)),
    [],
  );
});

test('a list of documents reports a damaged document after all others', async (t) => {
  const own = await makeServerFixture(t);
  const server = await own.start();
  const [first] = own.readDemoFile().clients;
  assert.ok(first !== undefined);
  const reader = createClient({ baseUrl: own.url, clientId: first.clientId, clientSecret: first.clientSecret });
  const about = { citizenId: 'demo-eleni', mediaType: 'text/plain', title: 'Permit' };
  const ids: string[] = [];
  for (const text of ['one', 'two', 'three']) ids.unshift((await reader.deposit(new Blob([text]), about)).id);
  await server.stop('SIGTERM');
  const db = await own.openDb();
  await db.write([{ sql: 'update document set created_at = 1 where id = $1', args: [ids[1] ?? ''] }]);
  await db.close();
  await own.start();
  const come: string[] = [];
  const going = async () => {
    for await (const { id } of reader.documents({ citizenId: 'demo-eleni', limit: 2 })) come.push(id);
  };
  await assert.rejects(going(), { name: 'UnreadableError', ids: [ids[1]] });
  assert.deepEqual(come.slice(0, 2), [ids[0], ids[2]]);
});

test('a download stops when its signal aborts', async () => {
  const bytes = new TextEncoder().encode('0123456789abcde\n'.repeat(1_048_576));
  const { id } = await client.deposit(bytes, { citizenId: 'demo-mary', title: 'Long', mediaType: 'text/plain' });
  const stopping = new AbortController();
  const document = await client.document(id, { signal: stopping.signal });
  stopping.abort();
  await assert.rejects(document.arrayBuffer(), { name: 'AbortError' });
});

test('each operation of a verification can be called by its operationId, also with QUERY', async () => {
  const { status, body, headers } = await client.call('verifyIdentityQuery', { body: mary });
  assert.deepEqual([status, body.verified], [200, true]);
  assert.equal(headers.get('api-version'), '1.0.0');
  const again = await client.call('readVerification', { params: { id: body.verificationId } });
  assert.equal(again.body.token, body.token);
  assert.ok((await client.call('listEndpoints')).body.endpoints.length > 20);
});

test('the feed can be read to its end, from a given event, and followed until the caller stops', async () => {
  const first = await client.send({
    citizenId: 'demo-mary',
    message: 'One',
    sendAt: new Date(Date.now() + 9e7).toISOString(),
  });
  await client.call('cancelNotification', { params: { id: first.id } });
  const ofFirst = async () =>
    (await all(client.events({ follow: false }))).filter(({ data }) => data.notification === first.id);
  // Events get their numbers a moment later.
  let seen = await ofFirst();
  await waitUntil(async () => {
    seen = await ofFirst();
    return seen.length > 0;
  });
  const after = String(seen.at(-1)?.number);
  const second = await client.send({ citizenId: 'demo-mary', message: 'Two' });
  const stopping = new AbortController();
  for await (const event of client.events({ after, pollMs: 20 }, { signal: stopping.signal })) {
    assert.ok(event.number > Number(after));
    if (event.data.notification === second.id) break;
  }
  const rest = await all(client.events({ after, follow: false }));
  assert.deepEqual(
    rest.map(({ number }) => number),
    rest.map((_, index) => Number(after) + 1 + index),
  );
  let isWaiting = false;
  const wait: Clock['wait'] = (ms, signal) => {
    isWaiting = true;
    return defaultClock.wait(ms, signal);
  };
  const follower = createClient({ baseUrl: home.url, ...credentials(), clock: { ...defaultClock, wait } });
  const waiting = all(follower.events({ pollMs: 60_000 }, { signal: stopping.signal }));
  await waitUntil(async () => isWaiting);
  stopping.abort(new Error('enough'));
  await assert.rejects(waiting, /^Error: enough$/);
  await assert.rejects(all(client.events({ after: '999999' })), { slug: 'cursor-expired', status: 410 });
});

test('a team reads its own client, tests its webhook, and lists its calls and deposits', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const { body: webhook } = await client.call('createWebhook', { body: { url: receiver.url } });
  const { outcome, httpStatus } = await client.testWebhook(webhook.id);
  assert.deepEqual([outcome, httpStatus, receiver.calls.length], ['accepted', 204, 1]);
  const tested = await client.testWebhook(webhook.id, { type: 'notification.opened' });
  assert.equal(tested.type, 'notification.opened');
  const { id } = await client.send({ citizenId: 'demo-mary', message: 'Three' });
  await waitUntil(async () => (await all(client.webhookCalls(webhook.id))).some(({ state }) => state === 'done'));
  const types = ['notification.opened', 'notification.delivery-ended'];
  const ended = await all(client.events({ follow: false, types }));
  assert.ok(ended.some(({ data }) => data.notification === id));
  assert.deepEqual(await all(client.events({ follow: false, types: ['notification.confirmed'] })), []);
  const about = { title: 'Permit', mediaType: 'text/plain' };
  const deposited: string[] = [];
  for (const citizenId of ['demo-mary', 'demo-layla'])
    deposited.push((await client.deposit(new Blob(['Permit']), { ...about, citizenId })).id);
  const listed: string[] = [];
  for await (const document of client.documents({ limit: 1 })) {
    listed.push(document.id);
    if (listed.length === 2) break;
  }
  assert.deepEqual(listed, deposited.toReversed());
  const own = await client.ownClient();
  assert.equal(own.clientId, credentials().clientId);
  assert.ok(own.usage.counts.some(({ operation, requests }) => operation === 'testWebhook' && requests === 2));
  await client.call('removeWebhook', { params: { id: webhook.id } });
});
