import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { operations } from '../../src/app/operations.ts';
import {
  bearerHeaders,
  createHttpClient,
  parseJsonBody,
  postJson,
  sendRawHttp,
  statusCodesIn,
} from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import {
  createClientToken,
  createResources,
  type ResourceIds,
  unknownIds,
  validMessage,
} from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';

// Two agencies and two citizens: each agency has created one object of each kind for each citizen.
type Agency = {
  readonly token: string;
  readonly narrow: string;
  readonly mary: ResourceIds;
  readonly layla: ResourceIds;
};

let home: ServerFixture;
let ask: ReturnType<typeof createHttpClient>;
let tax: Agency;
let land: Agency;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
  ask = createHttpClient(home.url);
  tax = await agency('Tax Office');
  land = await agency('Land Registry');
});

async function agency(name: string): Promise<Agency> {
  const token = await createClientToken(home, name);
  const narrow = await createClientToken(home, `${name} without scopes`, '--scopes', 'access-log:hide');
  return {
    token,
    narrow,
    mary: await createResources(ask, token),
    layla: await createResources(ask, token, 'demo-layla'),
  };
}

type Way = {
  readonly method: string;
  readonly kind: keyof ResourceIds;
  path(id: string): string;
  readonly line?: string;
  readonly body?: object;
};

const verification = (id: string) => `/v1/identity/verifications/${id}`;
const notification = (id: string) => `/v1/notifications/${id}`;
const document = (id: string) => `/v1/documents/${id}`;
const record = (id: string) => `${document(id)}/record`;
const receipt = (id: string) => `/v1/receipts/${id}`;
const webhook = (id: string) => `/v1/webhooks/${id}`;
const template = (id: string) => `/v1/templates/${id}`;
const batch = (id: string) => `/v1/notification-batches/${id}`;

const presentation = (id: string) => `/v1/identity/presentations/${id}`;

/** Every request for one object by its id. */
const ways: readonly Way[] = [
  { method: 'GET', kind: 'verification', path: verification },
  { method: 'HEAD', kind: 'verification', path: verification },
  { method: 'GET', kind: 'notification', path: notification },
  { method: 'HEAD', kind: 'notification', path: notification },
  { method: 'POST', kind: 'notification', path: (id) => `${notification(id)}/cancel` },
  { method: 'GET', kind: 'document', path: document },
  { method: 'HEAD', kind: 'document', path: document },
  { method: 'GET', kind: 'document', path: document, line: 'range: bytes=0-3' },
  { method: 'GET', kind: 'document', path: document, line: 'range: bytes=9999999-' },
  { method: 'GET', kind: 'document', path: document, line: 'if-none-match: *' },
  { method: 'GET', kind: 'document', path: document, line: 'if-match: "another"' },
  { method: 'GET', kind: 'document', path: document, line: 'accept: application/json' },
  { method: 'GET', kind: 'document', path: document, line: 'accept: image/png' },
  { method: 'GET', kind: 'document', path: document, line: 'purpose: permit' },
  { method: 'GET', kind: 'document', path: record },
  { method: 'HEAD', kind: 'document', path: record },
  { method: 'DELETE', kind: 'document', path: document },
  {
    method: 'POST',
    kind: 'document',
    path: (id) => `${document(id)}/grants`,
    body: { clientId: 'land-registry', purpose: 'permit' },
  },
  {
    method: 'DELETE',
    kind: 'document',
    path: (id) => `${document(id)}/grants?clientId=land-registry&purpose=permit`,
  },
  { method: 'GET', kind: 'notification', path: (id) => `${notification(id)}/evidence` },
  { method: 'DELETE', kind: 'webhook', path: webhook },
  { method: 'POST', kind: 'webhook', path: (id) => `${webhook(id)}/rotate-secret` },
  { method: 'POST', kind: 'webhook', path: (id) => `${webhook(id)}/redeliver` },
  { method: 'POST', kind: 'webhook', path: (id) => `${webhook(id)}/test`, body: {} },
  { method: 'GET', kind: 'webhook', path: (id) => `${webhook(id)}/calls` },
  { method: 'HEAD', kind: 'webhook', path: (id) => `${webhook(id)}/calls` },
  { method: 'GET', kind: 'template', path: template },
  { method: 'HEAD', kind: 'template', path: template },
  { method: 'DELETE', kind: 'template', path: template },
  { method: 'GET', kind: 'batch', path: batch },
  { method: 'HEAD', kind: 'batch', path: batch },
  { method: 'GET', kind: 'batch', path: (id) => `${batch(id)}/rows` },
  { method: 'HEAD', kind: 'batch', path: (id) => `${batch(id)}/rows` },
  { method: 'GET', kind: 'batch', path: (id) => `${batch(id)}/results` },
  { method: 'POST', kind: 'batch', path: (id) => `${batch(id)}/start` },
  { method: 'POST', kind: 'batch', path: (id) => `${batch(id)}/cancel` },
  { method: 'GET', kind: 'presentation', path: presentation },
  { method: 'HEAD', kind: 'presentation', path: presentation },
  {
    method: 'POST',
    kind: 'presentation',
    path: (id) => `${presentation(id)}/complete`,
    body: { responseCode: 'none' },
  },
  { method: 'POST', kind: 'presentation', path: (id) => `${presentation(id)}/cancel` },
  { method: 'GET', kind: 'event', path: receipt },
  { method: 'HEAD', kind: 'event', path: receipt },
  { method: 'GET', kind: 'event', path: (id) => `${receipt(id)}/proof` },
  { method: 'HEAD', kind: 'event', path: (id) => `${receipt(id)}/proof` },
];

/** The response on the wire without the parts that differ between any two responses. */
async function answerTo(way: Way, id: string, authorization: string | undefined): Promise<string> {
  const { method, path, line, body } = way;
  const json = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} ${path(id)} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: close',
    ...(authorization === undefined ? [] : [`authorization: ${authorization}`]),
    ...(line === undefined ? [] : [line]),
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${json.length}`]),
  ];
  const answer = await sendRawHttp(home.port, `${lines.join('\r\n')}\r\n\r\n${json}`);
  return answer
    .replace(/^date: .{29}\r$/im, 'date\r')
    .replace(/^(x-ratelimit-remaining|ratelimit): .*\r$/gim, '$1\r')
    .replaceAll(/urn:uuid:[0-9a-f-]{36}/g, 'instance');
}

const notFound: Readonly<Record<keyof ResourceIds, string>> = {
  verification: 'verification-not-found',
  notification: 'notification-not-found',
  document: 'document-not-found',
  event: 'receipt-not-found',
  webhook: 'webhook-not-found',
  template: 'template-not-found',
  batch: 'batch-not-found',
  presentation: 'presentation-not-found',
};

for (const way of ways) {
  const { method, kind, line } = way;
  const title = `${method} ${way.path('{id}')}${line === undefined ? '' : ` with ${line}`}`;

  test(`[R53] ${title}: the object of another agency gets the same bytes as an unknown object`, async () => {
    for (const [caller, other] of [
      [tax, land],
      [land, tax],
    ] as const) {
      const bearer = `Bearer ${caller.token}`;
      const unknown = await answerTo(way, unknownIds[kind], bearer);
      assert.deepEqual(statusCodesIn(unknown), [404]);
      if (method !== 'HEAD') assert.ok(unknown.includes(`/problems/${notFound[kind]}"`), unknown);
      const own = caller.mary[kind];
      const not: readonly string[] = [
        ...[other.mary[kind], other.layla[kind]],
        // Ids of the caller, but of another kind, in another case, truncated, or with a space.
        ...Object.values(caller.mary).filter((id) => id !== own),
        ...[own.toLowerCase(), own.slice(0, -1), `${own}0`, `${own}%20`, '*', '%2e%2e', `${own}%0d%0ax:%20y`],
      ];
      const answers = await Promise.all(not.map((id) => answerTo(way, id, bearer)));
      for (const [index, answer] of answers.entries()) assert.equal(answer, unknown, not[index] ?? '');
    }
  });

  test(`${title}: all ids get the same response without a token, with an invalid token or without the scope`, async () => {
    const statuses = [];
    for (const authorization of [undefined, 'Bearer garbage', `Bearer ${tax.narrow}`]) {
      const unknown = await answerTo(way, unknownIds[kind], authorization);
      statuses.push(...statusCodesIn(unknown));
      for (const id of [tax.mary[kind], land.mary[kind], 'x']) {
        assert.equal(await answerTo(way, id, authorization), unknown);
      }
    }
    // A receipt needs no scope: it is for the client that caused the event.
    assert.deepEqual(statuses, [401, 401, kind === 'event' ? 404 : 403]);
  });
}

test('each agency opens its own objects of both citizens, and no attack has changed them', async () => {
  for (const { token, mary, layla } of [tax, land]) {
    for (const ids of [mary, layla]) {
      const headers = bearerHeaders(token);
      assert.equal((await ask({ path: verification(ids.verification), headers })).status, 200);
      const { status } = parseJsonBody(await ask({ path: notification(ids.notification), headers }));
      assert.equal(status, 'scheduled');
      assert.equal((await ask({ path: document(ids.document), headers })).status, 200);
      await waitUntil(async () => (await ask({ path: receipt(ids.event), headers })).status === 200);
    }
  }
});

test('lists contain only objects of the caller, for any id or cursor of another agency', async () => {
  const list = async (path: string, token: string) => parseJsonBody(await ask({ path, headers: bearerHeaders(token) }));
  const idsIn = (rows: unknown) => (rows as readonly { readonly id: string }[]).map(({ id }) => id);
  for (const citizenId of ['demo-mary', 'demo-layla'] as const) {
    const whose = citizenId === 'demo-mary' ? 'mary' : 'layla';
    for (const { token, [whose]: own } of [tax, land]) {
      const { items: documents, next } = await list(`/v1/documents?citizenId=${citizenId}`, token);
      assert.deepEqual([idsIn(documents), next], [[own.document], null]);
      const { items } = await list(`/v1/notifications?citizenId=${citizenId}`, token);
      assert.deepEqual(idsIn(items), [own.notification]);
    }
  }
  // The cursor of another agency is a position in time, and does not reveal whether its object exists.
  const listAfter = (id: string) => list(`/v1/documents?citizenId=demo-mary&cursor=${id}`, tax.token);
  const absent = `${land.mary.document.slice(0, -2)}00`;
  assert.deepEqual(await listAfter(land.mary.document), await listAfter(absent));
  const { next } = await list('/v1/notifications?limit=1', land.token);
  const { items } = await list(`/v1/notifications?cursor=${next}`, tax.token);
  assert.deepEqual(idsIn(items), [tax.layla.notification, tax.mary.notification]);
});

test('an idempotency key of another agency returns no stored response', async () => {
  const send = (token: string) =>
    ask(postJson(token, '/v1/notifications/send', validMessage, { 'idempotency-key': 'shared' }));
  const first = await send(tax.token);
  const second = await send(land.token);
  assert.deepEqual([first.status, second.status], [202, 202]);
  assert.equal(second.headers['idempotent-replayed'], undefined);
  assert.notEqual(parseJsonBody(first)['id'], parseJsonBody(second)['id']);
});

test('[R53] the document of another agency or citizen is refused as attachment like an unknown document', async () => {
  const attach = async (id: string) => {
    const { status, body } = await ask(
      postJson(tax.token, '/v1/notifications/send', { ...validMessage, citizenId: 'demo-mary', attachments: [id] }),
    );
    return [status, status === 202 ? '' : String(body).replace(/urn:uuid:[0-9a-f-]{36}/, 'instance')];
  };
  const unknown = await attach(unknownIds.document);
  assert.equal(unknown[0], 400);
  for (const id of [land.mary.document, land.layla.document, tax.layla.document]) {
    assert.deepEqual(await attach(id), unknown);
  }
  assert.deepEqual(await attach(tax.mary.document), [202, '']);
});

test('the list of attacked operations contains each operation with an id', () => {
  const asked = new Set(ways.map(({ method, path }) => `${method} ${path('{}').split('?')[0]}`));
  // Objects of a citizen are found by the citizen of the token: test/scenarios/notifications-received.test.ts. Staff see the objects
  // of their service: test/scenarios/staff-look-ups.test.ts.
  const ofClients = operations.filter(({ callers }) => !callers.includes('staff'));
  const taking = ofClients.filter(({ path, scope }) => path.includes('{') && scope !== 'citizen:self');
  const left = taking.filter(({ method, path }) => !asked.has(`${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`));
  assert.deepEqual(
    left.map(({ name }) => name),
    [],
  );
});

const quantile = (times: readonly number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;

test('[R53] a request for the object of another agency takes as long as a request for an unknown object', async (t) => {
  const exchange = createHttpClient(home.url, 1);
  t.after(() => exchange.close());
  const looks = ways.filter(({ method, line }) => method === 'GET' && line === undefined);
  for (const { kind, path } of looks) {
    const times: { readonly foreign: number[]; readonly unknown: number[] } = { foreign: [], unknown: [] };
    const look = async (token: string, which: keyof typeof times, id: string) => {
      const from = performance.now();
      const { status } = await exchange({ path: path(id), headers: bearerHeaders(token) });
      times[which].push(performance.now() - from);
      assert.equal(status, 404);
    };
    const rounds = [tax, land];
    // Alternating, and with more rounds while the result is unclear, so that other load affects both.
    for (let turn = 0; turn < 400; turn += 1) {
      const [caller, other] = turn % 2 === 0 ? rounds : rounds.toReversed();
      if (caller === undefined || other === undefined) break;
      const first = turn % 4 < 2;
      if (first) await look(caller.token, 'foreign', other.mary[kind]);
      await look(caller.token, 'unknown', unknownIds[kind]);
      if (!first) await look(caller.token, 'foreign', other.mary[kind]);
      if (turn >= 60 && turn % 20 === 0 && areAlike(times)) break;
    }
    assert.ok(
      areAlike(times),
      `${path('{id}')}: ${[times.foreign, times.unknown].map((all) => quantile(all, 0.5))} ms`,
    );
  }
});

/** Whether the median of each is within the middle half of the other. */
function areAlike({ foreign, unknown }: { readonly foreign: readonly number[]; readonly unknown: readonly number[] }) {
  const within = (one: readonly number[], other: readonly number[]) =>
    quantile(one, 0.5) >= quantile(other, 0.25) && quantile(one, 0.5) <= quantile(other, 0.75);
  return within(foreign, unknown) && within(unknown, foreign);
}

const asking: Way = { method: 'GET', kind: 'document', path: document, line: 'purpose: permit' };
const otherwise: Way = { ...asking, line: 'purpose: curiosity' };

test('a grant opens a document for one client and one purpose until it ends', async () => {
  const id = tax.mary.document;
  const [owner, grantee, otherClient] = [tax.token, land.token, await createClientToken(home, 'Stranger')];
  const grants = `${document(id)}/grants`;
  const grant = postJson(owner, grants, { clientId: decodeJwt(grantee)['client_id'], purpose: 'permit' });
  const end = `${grants}?${new URLSearchParams({ clientId: String(decodeJwt(grantee)['client_id']), purpose: 'permit' })}`;
  const seen = async (token: string, way = asking) => {
    const [answer, unknown] = [
      await answerTo(way, id, `Bearer ${token}`),
      await answerTo(way, unknownIds.document, `Bearer ${token}`),
    ];
    return answer === unknown ? 'nothing' : statusCodesIn(answer)[0];
  };
  assert.deepEqual([await seen(owner), await seen(grantee), await seen(otherClient)], [200, 'nothing', 'nothing']);

  assert.equal((await ask(grant)).status, 201);
  assert.deepEqual(
    [await seen(grantee), await seen(grantee, otherwise), await seen(otherClient)],
    [200, 'nothing', 'nothing'],
  );
  for (const way of ways.filter(({ method, kind }) => kind === 'document' && !['GET', 'HEAD'].includes(method))) {
    assert.equal(await seen(grantee, way), 'nothing', `${way.method} by a client with a grant`);
  }
  assert.equal((await ask({ method: 'DELETE', path: end, headers: bearerHeaders(owner) })).status, 200);
  assert.equal(await seen(grantee), 'nothing');

  const gone = String(decodeJwt(await createClientToken(home, 'Gone'))['client_id']);
  assert.equal((await home.runCommand('clients', 'disable', gone)).code, 0);
  const refused = await ask(postJson(owner, grants, { clientId: gone, purpose: 'permit' }));
  assert.deepEqual([refused.status, refused.body.includes('a client that is not disabled')], [400, true]);

  assert.equal((await ask(grant)).status, 201);
  const withdrawn = await ask({ method: 'DELETE', path: document(id), headers: bearerHeaders(owner) });
  assert.equal(withdrawn.status, 200);
  // Without retention it is erased with its grants: only its issuer learns that it existed.
  assert.deepEqual([await seen(owner), await seen(grantee), await seen(otherClient)], [410, 'nothing', 'nothing']);
});
