import assert from 'node:assert/strict';
import { request } from 'node:http';
import { before, test } from 'node:test';
import { maxTemplates } from '../../src/notifications/templates/template-store.ts';
import {
  bearerHeaders,
  createHttpClient,
  type HttpRequest,
  type HttpResponse,
  parseJsonBody,
  postJson,
} from '../support/http-client.ts';
import { fileCleanupScope } from '../support/server-process.ts';
import { openStaffSite, type StaffSite } from '../support/staff-site.ts';
import { validMessage, validTemplate } from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';

// The refusals of requests for a service that depend on earlier requests, for its caseworkers and for its client.
let site: StaffSite;
let ask: ReturnType<typeof createHttpClient>;
let caseworker = '';
let client = '';

const openPerClient = 10;
const dayMs = 86_400_000;
const callers = () =>
  [
    { token: caseworker, base: '/v1/staff/notification-batches' },
    { token: client, base: '/v1/notification-batches' },
  ] as const;
const file = 'citizenId,message\r\ndemo-mary,Your permit is ready.\r\n';

const thisFile = fileCleanupScope();
before(async () => {
  site = await openStaffSite(thisFile, { settings: { BATCH_KEPT_DAYS: '2' } });
  ask = createHttpClient(site.server.url);
  await signIn();
});

async function signIn(): Promise<void> {
  caseworker = await site.staffToken({ subject: 'cas', roles: ['caseworker'], service: site.service });
  client = await site.clientToken();
}

const slugOf = (answer: HttpResponse) => [answer.status, String(parseJsonBody(answer)['type']).split('/').at(-1)];
const get = (token: string, path: string, method = 'GET') => ask({ method, path, headers: bearerHeaders(token) });

function uploadOf({ token, base }: ReturnType<typeof callers>[number], key?: string, body = file): HttpRequest {
  const headers = { 'content-type': 'text/csv', ...(key === undefined ? {} : { 'idempotency-key': key }) };
  return { method: 'POST', path: base, headers: bearerHeaders(token, headers), body };
}

test('a message of a caseworker to an unknown citizen, or with a used idempotency key, is refused', async () => {
  const send = (body: object, key: string) =>
    ask(postJson(caseworker, '/v1/staff/notifications', body, { 'idempotency-key': key }));
  assert.deepEqual(slugOf(await send({ ...validMessage, citizenId: 'nobody' }, 'nobody')), [404, 'citizen-not-found']);
  assert.equal((await send(validMessage, 'one')).status, 202);
  assert.deepEqual(slugOf(await send({ ...validMessage, subject: 'Another' }, 'one')), [422, 'idempotency-key-reused']);
  let count = 0;
  // One of several requests at the same time meets another one that has not ended. If not, the test repeats with a new key.
  await waitUntil(async () => {
    count += 1;
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(validMessage, `together-${count}`)));
    return answers.some(({ status }) => status === 409);
  });
});

test('an idempotency key creates one template, and a service has a limited number of them', async () => {
  const create = (body: object, key: string) =>
    ask(postJson(caseworker, '/v1/staff/templates', body, { 'idempotency-key': key }));
  assert.equal((await create(validTemplate, 'one')).status, 201);
  const other = { ...validTemplate, name: 'Another' };
  assert.deepEqual(slugOf(await create(other, 'one')), [422, 'idempotency-key-reused']);
  let last = await create(other, 'more');
  for (let count = 0; last.status === 201 && count <= maxTemplates; count += 1)
    last = await create(validTemplate, `${count}`);
  assert.deepEqual(slugOf(last), [409, 'conflict']);
});

test('a batch that is incomplete, or that has ended, is refused', async () => {
  for (const caller of callers()) {
    const { token, base } = caller;
    const key = `incomplete ${base}`;
    const headers = bearerHeaders(token, {
      'content-type': 'text/csv',
      'idempotency-key': key,
      'content-length': file.length,
    });
    const upload = request(`${site.server.url}${base}`, { method: 'POST', headers });
    upload.on('error', () => undefined);
    upload.write(file.slice(0, 30));
    let id = '';
    await waitUntil(async () => {
      const { items } = parseJsonBody(await get(token, base));
      const receiving = (items as { readonly id: string; readonly state: string }[]).find(
        ({ state }) => state === 'receiving',
      );
      id = receiving?.id ?? '';
      return id !== '';
    });
    assert.deepEqual(slugOf(await get(token, `${base}/${id}/results`)), [409, 'conflict']);
    if (base.includes('staff')) assert.deepEqual(slugOf(await get(token, `${base}/${id}/preview`)), [409, 'conflict']);
    assert.deepEqual(slugOf(await ask(uploadOf(caller, key))), [409, 'idempotency-key-in-progress']);
    assert.equal((await get(token, `${base}/${id}/cancel`, 'POST')).status, 200);
    assert.deepEqual(slugOf(await get(token, `${base}/${id}/cancel`, 'POST')), [409, 'conflict']);
    upload.destroy();
  }
});

test('a key of another file, a file over the limit, and too many open batches are refused with the ids of these', async () => {
  for (const caller of callers()) {
    const key = `used ${caller.base}`;
    assert.equal((await ask(uploadOf(caller, key))).status, 202);
    const other = file.replace('ready', 'late');
    assert.deepEqual(slugOf(await ask(uploadOf(caller, key, other))), [422, 'idempotency-key-reused']);
    const { headers = {}, ...rest } = uploadOf(caller);
    const large = await ask({ ...rest, headers: { ...headers, 'content-length': '104857601' } });
    assert.deepEqual(slugOf(large), [413, 'payload-too-large']);
  }
  const [staff, own] = callers();
  const waiting = { ...uploadOf(own), path: `${own.base}?start=manual` };
  for (let count = 0; count < openPerClient; count += 1) await ask(waiting);
  const { items } = parseJsonBody(await get(own.token, `${own.base}?open=true`));
  const open = (items as { readonly id: string }[]).map(({ id }) => id);
  assert.equal(open.length, openPerClient);
  for (const caller of [own, staff]) {
    const refused = await ask(uploadOf(caller));
    assert.deepEqual(slugOf(refused), [409, 'conflict']);
    assert.deepEqual(String(parseJsonBody(refused)['detail']).match(/bat_\w+/g), open);
  }
});

test('the file of an old batch is deleted: its preview and results are refused', async () => {
  await site.restart('SIGTERM', async () => {
    const db = await site.server.openDb();
    await db.write([{ sql: 'update notification_batch set created_at = created_at - $1', args: [3 * dayMs] }]);
    await db.close();
  });
  await signIn();
  const [staff] = callers();
  const { items } = parseJsonBody(await get(staff.token, staff.base));
  const [{ id } = { id: '' }] = items as { readonly id: string }[];
  for (const part of ['preview', 'results'])
    await waitUntil(async () => (await get(staff.token, `${staff.base}/${id}/${part}`)).status === 410);
});
