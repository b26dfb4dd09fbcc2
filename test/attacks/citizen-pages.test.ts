import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type CookieBrowser, openCookieBrowser, signInAtDemo } from '../support/cookie-browser.ts';
import { makeDemoWithExternalIssuer } from '../support/external-issuer.ts';
import { bearerHeaders, bodyText, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import {
  fileCleanupScope,
  makeServerFixture,
  type RunningServer,
  type ServerFixture,
} from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// An attacker tries to read the pages of a citizen, to forge a request of the citizen, or to redirect the citizen to another site.
let home: ServerFixture;
let server: RunningServer;
let service = '';
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  server = await home.start('demo');
  service = await home.fetchAccessToken();
  ask = createHttpClient(home.url);
});

const headingOf = (answer: { readonly body: Buffer }) => /<h1[^>]*>(.*?)<\/h1>/.exec(bodyText(answer))?.[1];
const signInHeading = 'Your official messages and documents';

async function signedIn(citizenId: string): Promise<CookieBrowser> {
  const browser = openCookieBrowser(home.url);
  await signInAtDemo(browser, citizenId);
  assert.ok(browser.cookies.has('citizen-session'));
  return browser;
}

/** The URL to which the issuer redirects after the sign-in that this browser began. */
async function returnOf(browser: CookieBrowser, citizenId: string, to = '/me'): Promise<string> {
  const choice = await browser.follow(`/me/sign-in?to=${to}`);
  return (await browser.get(`${choice.url}&as=${citizenId}`)).headers.location ?? assert.fail(bodyText(choice));
}

test('a sign-in link of an attacker does not sign in the victim: only the browser that began a sign-in can end it', async () => {
  const mallory = openCookieBrowser(home.url);
  const link = await returnOf(mallory, 'demo-layla');
  const victim = openCookieBrowser(home.url);
  assert.equal(headingOf(await victim.get(link)), 'You are not signed in');
  // The same while the victim has a sign-in in progress.
  const own = await returnOf(victim, 'demo-mary');
  assert.equal(headingOf(await victim.get(link)), 'You are not signed in');
  assert.equal(victim.cookies.has('citizen-session'), false);
  // The code works in the victim's browser only, and the sign-in in progress there still succeeds.
  assert.equal(headingOf(await mallory.get(own)), 'You are not signed in');
  assert.equal((await victim.get(own)).status, 303);
  assert.match(bodyText(await victim.get('/me/documents')), /Sign out/);
});

test('two sign-ins in one browser both succeed, in any order, and each ends on the requested page', async () => {
  const browser = openCookieBrowser(home.url);
  const first = await returnOf(browser, 'demo-mary', '/me/uses');
  const last = await returnOf(browser, 'demo-layla', '/me/record');
  for (const [url, page, name] of [
    [last, '/me/record', 'demo-layla'],
    [first, '/me/uses', 'demo-mary'],
  ] as const) {
    assert.deepEqual((await browser.get(url)).headers.location, page);
    assert.match(bodyText(await browser.get('/me/record')), new RegExp(`<bdi>${name}</bdi>`));
  }
});

test('a callback that is loaded again leads a signed-in citizen to the page, and anybody else to a new sign-in for it', async () => {
  const browser = openCookieBrowser(home.url);
  const callback = await returnOf(browser, 'demo-mary', '/me/uses');
  assert.equal((await browser.get(callback)).headers.location, '/me/uses');
  const session = browser.cookies.get('citizen-session');
  const cancelled = `${callback.replace(/([?&])code=[^&]*/, '$1error=access_denied')}`;
  for (const again of [callback, cancelled]) {
    const { status, headers } = await browser.get(again);
    assert.deepEqual([status, headers.location, headers['set-cookie']], [303, '/me/uses', undefined]);
  }
  assert.equal(browser.cookies.get('citizen-session'), session);
  browser.cookies.delete('citizen-session');
  const refused = await browser.get(callback);
  assert.deepEqual([refused.status, headingOf(refused)], [403, 'You are not signed in']);
  assert.match(bodyText(refused), /href="[^"]+\/me\/sign-in\?to=%2Fme%2Fuses"/);
});

test('the URL of a sign-in does not tell the issuer which page a citizen reads, and a changed state signs in nobody', async () => {
  const browser = openCookieBrowser(home.url);
  const { headers } = await browser.get('/me/sign-in?to=/me/documents/doc_01M7WKVMFEE008WANFAS9XRDZX');
  const state = new URL(String(headers.location)).searchParams.get('state') ?? assert.fail();
  assert.doesNotMatch(Buffer.from(state, 'base64url').toString('latin1'), /doc_|documents/);
  const callback = await returnOf(browser, 'demo-mary');
  for (const changed of [
    '',
    'x',
    state.slice(0, -4),
    `${state}AAAA`,
    state.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    '%ff',
  ]) {
    const url = callback.replace(/state=[^&]*/, `state=${changed}`);
    assert.equal(headingOf(await browser.get(url)), 'You are not signed in', changed);
  }
  assert.equal(browser.cookies.has('citizen-session'), false);
});

test('a sign-in creates a new session, and a session cookie from before it stays signed out', async () => {
  const ofAttacker = (await signedIn('demo-layla')).cookies.get('citizen-session') ?? assert.fail();
  for (const set of [ofAttacker, 'x'.repeat(43)]) {
    const victim = openCookieBrowser(home.url);
    victim.cookies.set('citizen-session', set);
    await signInAtDemo(victim, 'demo-mary');
    assert.notEqual(victim.cookies.get('citizen-session'), set);
    assert.match(bodyText(await victim.get('/me/record')), /<bdi>demo-mary<\/bdi>/);
    const mallory = openCookieBrowser(home.url);
    mallory.cookies.set('citizen-session', set);
    assert.equal(headingOf(await mallory.get('/me')), signInHeading);
  }
});

test('the sign-in redirects only to known pages of this site', async () => {
  for (const to of [
    'https://evil.example/',
    '//evil.example/me',
    '/\\evil.example',
    '/me/../../evil',
    '/me/messages/x/../../..',
    '/me/sign-out',
    'javascript:alert(1)',
    '/me\r\nlocation: https://evil.example',
  ]) {
    const page = await signInAtDemo(openCookieBrowser(home.url), 'demo-mary', to);
    assert.equal(page.url, `${home.url}/me`, to);
  }
});

test('HTML in texts of a service is escaped on every page', async () => {
  const bad = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&lt;`;
  const message = {
    citizenId: 'demo-anh',
    subject: bad,
    message: `${bad} **b**`,
  };
  const sent = await ask(postJson(service, '/v1/notifications/send', message));
  assert.equal(sent.status, 202, bodyText(sent));
  const id = String(parseJsonBody(sent)['id']);
  const headers = { 'content-type': 'text/html', 'citizen-id': 'demo-anh', 'document-title': encodeURIComponent(bad) };
  const stored = await ask({
    method: 'POST',
    path: '/v1/documents',
    headers: bearerHeaders(service, headers),
    body: bad,
  });
  assert.equal(stored.status, 201, bodyText(stored));
  const anh = await signedIn('demo-anh');
  const document = await anh.get(`/me/documents/${String(parseJsonBody(stored)['id'])}`);
  // A deposited HTML document is served as a download, sandboxed in an origin of its own.
  assert.match(String(document.headers['content-disposition']), /^attachment/);
  assert.match(String(document.headers['content-security-policy']), /sandbox/);
  for (const path of ['/me', `/me/messages/${id}`, '/me/documents', '/me/uses', '/me/record', '/me/contact']) {
    const page = await anh.get(path);
    assert.equal(page.status, 200, path);
    assert.doesNotMatch(bodyText(page), /<script|<img|onerror=alert\(1\)>[^&]*<|href="javascript:/, path);
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
    assert.deepEqual([page.headers['cache-control'], page.headers['x-frame-options']], ['no-store', 'DENY']);
  }
});

test('each invalid session cookie gets the same response as no session', async () => {
  const real = (await signedIn('demo-mary')).cookies.get('citizen-session') ?? assert.fail();
  const pages = new Set<string>();
  for (const value of ['', 'x', '0'.repeat(43), real.slice(0, -1), `${real}A`, '../../etc', '%00']) {
    const { status, body } = await ask({ path: '/me/uses', headers: { cookie: `citizen-session=${value}` } });
    pages.add(`${status} ${body.toString('utf8')}`);
  }
  assert.equal(pages.size, 1);
  assert.match([...pages][0] ?? '', /^403 /);
  const twice = await ask({
    path: '/me/uses',
    headers: { cookie: `citizen-session=${real}; citizen-session=${real}` },
  });
  assert.equal(twice.status, 403, 'an attacker may have set one of two cookies');
});

test('the API rejects the session cookie, and the pages reject an access token', async () => {
  const mary = await signedIn('demo-mary');
  const cookie = [...mary.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const path of ['/v1/inbox', '/v1/access-log', '/v1/documents?citizenId=demo-mary'])
    assert.equal((await ask({ path, headers: { cookie } })).status, 401, path);
  const secret = mary.cookies.get('citizen-session') ?? '';
  assert.equal((await ask({ path: '/v1/inbox', headers: bearerHeaders(secret) })).status, 401);
  assert.equal((await ask({ path: '/me/documents', headers: bearerHeaders(service) })).status, 403);
});

/** The headers of a browser that loads an address as a part of another page, on another host of the same domain. */
const embeddings = [
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'object' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
];

test('a message that another page embeds does not count as read, and a link to the message opens it', async () => {
  const body = { citizenId: 'demo-mary', subject: 'Embedded', message: 'Hello' };
  const { id } = parseJsonBody(await ask(postJson(service, '/v1/notifications/send', body)));
  const statusOf = async () =>
    parseJsonBody(await ask({ path: `/v1/notifications/${String(id)}`, headers: bearerHeaders(service) }))['status'];
  const mary = await signedIn('demo-mary');
  for (const headers of embeddings) {
    for (const path of [`/me/messages/${String(id)}`, '/me', '/me/uses'])
      assert.equal(headingOf(await mary.get(path, headers)), signInHeading, `${path} ${JSON.stringify(headers)}`);
  }
  assert.notEqual(await statusOf(), 'read');
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  assert.equal(headingOf(await mary.get(`/me/messages/${String(id)}`, link)), 'Embedded');
  assert.equal(await statusOf(), 'read');
});

test('a code of the demo issuer signs in once, also with the cookies of its first use and in another spelling', async () => {
  const victim = openCookieBrowser(home.url);
  const callback = await returnOf(victim, 'demo-mary');
  const copied = [...victim.cookies];
  await victim.follow(callback);
  assert.ok(victim.cookies.has('citizen-session'));
  const code = new URL(callback).searchParams.get('code') ?? assert.fail();
  for (const spelling of [code, `${code}=`, `${code.slice(0, 9)}.${code.slice(9)}`]) {
    const mallory = openCookieBrowser(home.url);
    for (const [name, value] of copied) mallory.cookies.set(name, value);
    const again = new URL(callback);
    again.searchParams.set('code', spelling);
    await mallory.follow(again.href);
    assert.equal(mallory.cookies.has('citizen-session'), false, spelling);
  }
});

test('the demo answers only requests whose Host is this machine (DNS rebinding)', async () => {
  for (const path of ['/outbox', '/me', '/me/sign-in', '/demo/sign-in/authorize', '/v1', '/docs']) {
    for (const host of ['evil.example', `evil.example:${home.port}`, 'localhost.evil.example']) {
      const { status, headers, body } = await ask({ path, headers: { host } });
      assert.deepEqual([status, headers['content-type']], [400, 'application/problem+json'], `${path} ${host}`);
      assert.match(String(body), /The Host header must be an address or a name of this machine/);
    }
  }
  for (const host of [`localhost:${home.port}`, '127.0.0.1', 'cs.localhost'])
    assert.equal((await ask({ path: '/outbox', headers: { host } })).status, 200, host);
});

test('a citizen with too many requests over several sessions receives 503, and other citizens are served', async () => {
  const [loud, again, quiet] = [await signedIn('demo-joao'), await signedIn('demo-joao'), await signedIn('demo-mary')];
  // The limit counts ten seconds in one thread. A slow machine, or one with two threads, needs more tries.
  await waitUntil(async () => {
    const answers = await Promise.all(
      Array.from({ length: 120 }, async (_, at) => await (at % 2 === 0 ? loud : again).get('/me/documents/doc_x')),
    );
    return answers.filter(({ status, headers }) => status === 503 && headers['retry-after'] === '10').length >= 19;
  });
  assert.equal((await quiet.get('/me')).status, 200);
});

test('at an unknown path a browser gets a page in its language, and a program gets a problem', async () => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  for (const [path, status] of [
    ['/me/nothing', 404],
    ['/me/', 404],
    ['/me/messages', 404],
    ['/menu', 404],
    ['/me/sign-out', 405],
    [`/me/${'x'.repeat(9_000)}`, 414],
  ] as const) {
    const page = await ask({ path, headers: { accept, 'accept-language': 'de' } });
    assert.deepEqual([page.status, page.headers['content-type']], [status, 'text/html; charset=utf-8'], path);
    assert.match(bodyText(page), /<html lang="de"/);
    const problem = await ask({ path });
    assert.deepEqual([problem.status, problem.headers['content-type']], [status, 'application/problem+json'], path);
  }
  const problem = await ask({ path: '/v1/nothing', headers: { accept } });
  assert.deepEqual([problem.status, problem.headers['content-type']], [404, 'application/problem+json']);
  const outside = await ask({ path: '/docs/nothing', headers: { accept, 'accept-language': 'de' } });
  assert.deepEqual([outside.status, /<html lang="en"[\s\S]*<a href="\/">/.test(bodyText(outside))], [404, true]);
});

test('invalid requests are refused, do not end the session, and log no error', async () => {
  const mary = await signedIn('demo-mary');
  for (const path of [
    '/me/uses?before=-1',
    '/me/uses?before=x',
    `/me/uses?before=${'9'.repeat(40)}`,
    '/me?before=x',
    '/me?sender=%00',
    `/me?sender=${'x'.repeat(300)}`,
    '/me/messages/ntf_x/download',
    '/me/documents?after=x',
    '/me/messages/%00',
    `/me/messages/${'a'.repeat(300)}`,
    '/me/documents/..%2f..%2fetc',
  ])
    assert.equal((await mary.get(path)).status, 404, path);
  assert.equal((await mary.get('/me/sign-out')).status, 405);
  assert.equal((await mary.post('/me/documents')).status, 405);
  assert.equal((await mary.get('/me/sign-in/return?code=x&state=y')).headers.location, '/me');
  assert.equal((await mary.get('/me')).status, 200);
  await server.stop('SIGTERM');
  const logged = `${server.stdout()}\n${server.stderr()}`.split('\n').filter((line) => line.startsWith('{'));
  assert.doesNotMatch(logged.join('\n'), /"level":"(?:error|fatal)"|demo-mary|citizen-session=|alert/);
});

test('repeated invalid returns from the issuer log at most ten errors a minute', async (t) => {
  const other = await makeServerFixture(t);
  const running = await other.start('demo');
  const browser = openCookieBrowser(other.url);
  const state = new URL((await browser.follow('/me/sign-in')).url).searchParams.get('state');
  for (let times = 0; times < 50; times += 1)
    assert.equal((await browser.get(`/me/sign-in/return?state=${state}&error=e${times}`)).status, 503);
  await running.stop('SIGTERM');
  const logged = running.stderr().match(/"level":"error"/g)?.length ?? 0;
  assert.ok(logged >= 1 && logged <= 10, `${logged} errors were logged`);
});

test('without SIGN_IN_ISSUER the citizen pages respond with 404', async (t) => {
  const { home: other } = await makeDemoWithExternalIssuer(t);
  await other.start('start');
  for (const path of ['/me', '/me/sign-in', '/demo/sign-in/authorize', '/demo/sign-in/keys'])
    assert.equal((await createHttpClient(other.url)({ path })).status, 404, path);
});
