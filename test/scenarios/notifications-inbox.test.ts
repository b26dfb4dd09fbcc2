import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type ExternalIssuer, makeDemoWithExternalIssuer } from '../support/external-issuer.ts';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { fileCleanupScope, type ServerFixture } from '../support/server-process.ts';
import { validPreferences } from '../support/valid-requests.ts';

// The inbox over HTTP: two citizens with tokens of a trusted issuer, and a service that writes to one of them.
let home: ServerFixture;
let issuer: ExternalIssuer;
let portal = '';
let service = '';
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  ({ issuer, home, citizensClient: portal } = await makeDemoWithExternalIssuer(thisFile));
  await home.start('demo');
  service = await home.fetchAccessToken();
  ask = createHttpClient(home.url);
});

const tokenOf = async (citizenId: string, scope = 'citizen:self') =>
  await issuer.sign({
    client_id: portal,
    sub: citizenId,
    scope,
    citizen_id: citizenId,
    aud: `${home.url}/v1`,
  });

async function get(path: string, token: string) {
  let answer = await ask({ path, headers: bearerHeaders(token) });
  // Opening a message conflicts with the mail that is sent at the same time: then the request is repeated.
  while (answer.status === 409) answer = await ask({ path, headers: bearerHeaders(token) });
  return { status: answer.status, json: parseJsonBody(answer), raw: String(answer.body) };
}

async function written(citizenId: string, message: string): Promise<string> {
  const answer = await ask(postJson(service, '/v1/notifications/send', { citizenId, message, subject: 'Your permit' }));
  assert.equal(answer.status, 202, String(answer.body));
  return String(parseJsonBody(answer)['id']);
}

test('a citizen can open a message in their inbox, and the sender sees that it was read', async () => {
  const id = await written('demo-mary', 'Come on **Monday**.');
  const mary = await tokenOf('demo-mary');
  const listed = async () => {
    const { items } = (await get('/v1/inbox', mary)).json;
    return (items as { id: string; subject: string; opened: boolean }[]).find((item) => item.id === id);
  };
  assert.deepEqual([(await listed())?.subject, (await listed())?.opened], ['Your permit', false]);
  const opened = await get(`/v1/inbox/${id}`, mary);
  assert.deepEqual([opened.status, opened.json['message']], [200, 'Come on **Monday**.']);
  assert.match(String(opened.json['html']), /<strong>Monday<\/strong>/);
  assert.equal((await listed())?.opened, true);
  assert.equal((await get(`/v1/notifications/${id}`, service)).json['status'], 'read');
});

test('a message of another citizen gets the same response as an unknown one, and stays unread', async () => {
  const id = await written('demo-mary', 'For Mary alone.');
  const layla = await tokenOf('demo-layla');
  const plain = ({ status, raw }: { status: number; raw: string }) => [status, raw.replace(/urn:uuid:[0-9a-f-]+/, '')];
  const another = await get(`/v1/inbox/${id}`, layla);
  const nobodys = await get(`/v1/inbox/${id.slice(0, -4)}0000`, layla);
  assert.equal(another.status, 404);
  assert.deepEqual(plain(another), plain(nobodys));
  const { items } = (await get('/v1/inbox', layla)).json;
  assert.ok(!(items as { id: string }[]).some((item) => item.id === id));
  assert.notEqual((await get(`/v1/notifications/${id}`, service)).json['status'], 'read');
});

test('only the citizen of a message can read its attached document with a citizen token', async () => {
  const headers = { 'content-type': 'text/plain', 'citizen-id': 'demo-mary', 'document-title': 'Notice' };
  const body = 'Nothing is owed.';
  const stored = await ask({ method: 'POST', path: '/v1/documents', headers: bearerHeaders(service, headers), body });
  const document = String(parseJsonBody(stored)['id']);
  const message = { citizenId: 'demo-mary', message: 'See the notice.', attachments: [document] };
  const sent = parseJsonBody(await ask(postJson(service, '/v1/notifications/send', message)));
  const opened = await get(`/v1/inbox/${sent['id']}`, await tokenOf('demo-mary'));
  const [attachment] = opened.json['attachments'] as { id: string; title: string }[];
  assert.deepEqual(attachment, { id: document, title: 'Notice' });
  const scope = 'citizen:self documents:read';
  const path = `/v1/documents/${document}`;
  const read = await ask({ path, headers: bearerHeaders(await tokenOf('demo-mary', scope)) });
  assert.deepEqual([read.status, String(read.body)], [200, body]);
  assert.equal((await ask({ path, headers: bearerHeaders(await tokenOf('demo-layla', scope)) })).status, 404);
});

test("a message without a language uses the citizen's language in mail and inbox", async () => {
  const mary = await tokenOf('demo-mary');
  const wishes = postJson(mary, '/v1/contact-preferences', { ...validPreferences, language: 'nb' });
  assert.equal((await ask(wishes)).status, 200);
  const sent = parseJsonBody(
    await ask(postJson(service, '/v1/notifications/send', { citizenId: 'demo-mary', message: 'Hei.' })),
  );
  // The server does not mail a message that was opened.
  for (let mails = ''; !mails.includes('Melding fra Demo Permit Service'); ) {
    mails = String((await ask({ path: '/outbox', headers: {} })).body);
  }
  const opened = await get(`/v1/inbox/${sent['id']}`, mary);
  assert.match(
    String(opened.json['html']),
    /<html lang="nb"[^>]*>[\s\S]*<title>Melding fra Demo Permit Service<\/title>/,
  );
  const { items } = (await get('/v1/inbox?limit=1', mary)).json;
  assert.deepEqual([opened.json['language'], (items as { language: string }[])[0]?.language], ['nb', 'nb']);
  assert.equal((await get(`/v1/notifications/${sent['id']}`, service)).json['language'], null);
});

test('HEAD does not mark a message as read, and GET does', async () => {
  const id = await written('demo-mary', 'Not seen yet.');
  const path = `/v1/inbox/${id}`;
  const head = await ask({ method: 'HEAD', path, headers: bearerHeaders(await tokenOf('demo-mary')) });
  assert.deepEqual([head.status, head.headers.allow], [405, 'GET, OPTIONS']);
  assert.notEqual((await get(`/v1/notifications/${id}`, service)).json['status'], 'read');
});

test('a list of the inbox page by page contains each message once', async () => {
  const sent = [
    await written('demo-layla', 'One.'),
    await written('demo-layla', 'Two.'),
    await written('demo-layla', 'Three.'),
  ];
  const layla = await tokenOf('demo-layla');
  const seen: string[] = [];
  for (let before = '', more = true; more; ) {
    const { items, next } = (await get(`/v1/inbox?limit=2${before}`, layla)).json;
    seen.push(...(items as { id: string }[]).map(({ id }) => id));
    more = typeof next === 'string';
    before = `&cursor=${String(next)}`;
  }
  assert.equal(new Set(seen).size, seen.length);
  assert.deepEqual(
    seen.filter((id) => sent.includes(id)),
    sent.toReversed(),
  );
});
