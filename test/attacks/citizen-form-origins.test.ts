import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type CookieBrowser, openCookieBrowser, readHtmlForm, signInAtDemo } from '../support/cookie-browser.ts';
import { bodyText, createHttpClient, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// Another site sends the forms of a citizen who is signed in, or somebody sends forms that the pages do not have.
let home: ServerFixture;
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start('demo');
  ask = createHttpClient(home.url);
});

const headingOf = (answer: { readonly body: Buffer }) => /<h1>(.*?)<\/h1>/.exec(bodyText(answer))?.[1];
const signInHeading = 'Your official messages and documents';

async function signedIn(citizenId: string): Promise<CookieBrowser> {
  const browser = openCookieBrowser(home.url);
  await signInAtDemo(browser, citizenId);
  assert.ok(browser.cookies.has('citizen-session'));
  return browser;
}

test('a form from another site, or with invalid content, changes no contact preference', async () => {
  const mary = await signedIn('demo-mary');
  const readForm = async () => readHtmlForm(bodyText(await mary.get('/me/contact/channels')), 'name="letter"');
  const own = await readForm();
  const form = await readForm();
  form.set('letter', '1');
  const send = (headers: object, sent?: URLSearchParams) => mary.post('/me/contact/channels', { ...headers }, sent);
  // Browsers send the cookie for forms of the same domain, and not for forms of other domains.
  for (const site of ['same-site', 'cross-site', 'same-origin, cross-site', ''])
    assert.equal((await send({ 'sec-fetch-site': site }, form)).status, 403, site);
  const bare = openCookieBrowser(home.url);
  assert.equal((await bare.post('/me/contact/channels', { 'sec-fetch-site': 'same-origin' }, form)).status, 403);
  // An incomplete form would delete the preferences that it does not contain.
  assert.equal((await send({}, new URLSearchParams('letter=1'))).status, 400);
  // A body that is no form of these pages does not name its citizen.
  assert.equal((await send({})).status, 403);
  assert.equal((await send({ 'content-type': 'text/plain' }, form)).status, 403);
  const large = new URLSearchParams(form);
  large.set('email', 'x'.repeat(20_000));
  assert.equal((await send({}, large)).status, 403);
  for (const [path, bad] of [
    ['channels', { email: '"><script>alert(1)</script>', sms: '', letter: '' }],
    ['hours', { hoursFor: 'email', from: '8', until: '9', timeZone: '"><script>alert(1)</script>' }],
    ['language', { language: '"><script>alert(1)</script>' }],
    ['email', { address: '"><script>alert(1)</script>' }],
    ['phone/code', { code: '"><script>alert(1)</script>' }],
  ] as const) {
    const refused = await mary.post(`/me/contact/${path}`, {}, new URLSearchParams({ ...bad }));
    assert.equal(refused.status, 400, path);
    assert.doesNotMatch(bodyText(refused), /<script/, path);
  }
  for (const path of ['/me/contact/channels', '/me/contact'])
    assert.equal((await ask({ method: 'PUT', path })).status, 405);
  assert.deepEqual([...(await readForm())], [...own]);
  assert.equal((await send({ 'sec-fetch-site': 'same-origin' }, form)).status, 303);
});

/** The headers that a browser sends with a form of another page: with Fetch Metadata, and of an older browser without. */
const foreignForms = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
  { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site', origin: 'null' },
  { origin: 'https://evil.example' },
  { origin: 'http://127.0.0.1:1' },
  { origin: 'null' },
  { 'sec-fetch-site': 'none', origin: 'null' },
  { origin: '' },
];

test('every form of the citizen pages is refused with the Origin or Sec-Fetch-Site of another page, sign-out included', async () => {
  const mary = await signedIn('demo-mary');
  const session = mary.cookies.get('citizen-session');
  const own = readHtmlForm(bodyText(await mary.get('/me/contact/channels')), 'name="letter"');
  const forms = [
    ['/me/contact/channels', own],
    ['/me/contact/hours', new URLSearchParams({ from: '8', until: '9', timeZone: 'UTC' })],
    ['/me/contact/language', new URLSearchParams({ language: 'de' })],
    ['/me/contact/print-size', new URLSearchParams({ printSize: 'large' })],
    ['/me/contact/email', new URLSearchParams({ address: 'mallory@example.org' })],
    ['/me/contact/email/code', new URLSearchParams({ code: '123456' })],
    ['/me/contact/email/remove', new URLSearchParams()],
    ['/me/contact/phone', new URLSearchParams({ address: '+44 7700 900123' })],
    ['/me/contact/phone/code', new URLSearchParams({ code: '123456' })],
    ['/me/contact/phone/remove', new URLSearchParams()],
    ['/me/record/lock', new URLSearchParams()],
    ['/me/record/unlock', new URLSearchParams()],
    ['/me', new URLSearchParams({ text: 'permit' })],
    ['/me/messages/ntf_x', new URLSearchParams({ what: 'archive' })],
    ['/me/sign-out', undefined],
  ] as const;
  for (const headers of foreignForms) {
    for (const [path, form] of forms) {
      const answer = await mary.post(path, headers, form);
      // The sign-in page is the start page of visitors.
      const expected = [path === '/me' ? 200 : 403, signInHeading];
      assert.deepEqual([answer.status, headingOf(answer)], expected, `${path} ${JSON.stringify(headers)}`);
    }
  }
  assert.equal(mary.cookies.get('citizen-session'), session);
  const page = await mary.get('/me/record');
  assert.equal(page.headers['referrer-policy'], 'same-origin', 'otherwise browsers send Origin: null for own forms');
  assert.match(bodyText(page), /href="\/me\/record\/lock"/);
  assert.equal(mary.cookies.has('citizen-form'), false, 'no form of another site is kept');
  const ownHeaders = [{ origin: home.url }, { origin: 'null', 'sec-fetch-site': 'same-origin' }];
  for (const headers of ownHeaders) assert.equal((await mary.post('/me/contact/channels', headers, own)).status, 303);
  const out = await mary.post('/me/sign-out', { origin: home.url, 'sec-fetch-site': 'same-origin' });
  assert.deepEqual(
    [out.status, mary.cookies.size],
    [200, 2],
    'the choice at the issuer of the demo and the hash of the last attempt stay',
  );
  assert.equal(headingOf(await mary.get('/me')), signInHeading);
});

test('the confirmation page of a mail does not accept the form of another page, and asks again', async () => {
  const body = { citizenId: 'demo-anh', message: 'Text.', channels: ['email'] };
  const token = await home.fetchAccessToken();
  assert.equal((await ask(postJson(token, '/v1/notifications/send', body))).status, 202);
  let path = '';
  await waitUntil(async () => {
    path = /\/received\/[\w.-]+/.exec(bodyText(await ask({ path: '/outbox' })))?.[0] ?? '';
    return path !== '';
  });
  const askHeading = 'Confirm that you received the message';
  for (const headers of foreignForms) {
    const answer = await ask({ method: 'POST', path, headers });
    assert.deepEqual([answer.status, headingOf(answer)], [403, askHeading], JSON.stringify(headers));
  }
  const page = await ask({ path });
  assert.equal(headingOf(page), askHeading);
  assert.equal(page.headers['referrer-policy'], 'same-origin', 'otherwise browsers send Origin: null for own forms');
  assert.equal((await ask({ method: 'POST', path, headers: { origin: home.url } })).status, 303);
  assert.equal(headingOf(await ask({ path })), 'You confirmed that you received the message');
});
