import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type CookieBrowser, openCookieBrowser, readHtmlForm, signInAtDemo } from '../support/cookie-browser.ts';
import { bodyText, createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { forgetAtProvider, openSignInSite, signInBriefly } from '../support/sign-in-site.ts';
import { waitUntil } from '../support/wait-until.ts';

// A form that arrives after the session has ended contains what a citizen typed. Nobody else may read or send it.
const headingOf = (answer: { readonly body: Buffer }) => /<h1>(.*?)<\/h1>/.exec(bodyText(answer))?.[1];
const path = '/me/contact/email';
const typed = 'typed.by.mary@example.org';
const addressIn = (page: { readonly body: Buffer }) => readHtmlForm(bodyText(page), 'name="address"').get('address');

/** Sends the form until the token has expired. Each try with a valid token is refused, because the address has no @. */
async function sendWhenExpired(browser: CookieBrowser, address = typed.replace('@', ' at ')) {
  let answer = await browser.post(path, {}, new URLSearchParams({ address }));
  await waitUntil(async () => {
    if (answer.status !== 400) return true;
    answer = await browser.post(path, {}, new URLSearchParams({ address }));
    return answer.status !== 400;
  });
  return answer;
}

test('a form of an expired session is shown again, filled in, after a renewal without interaction', async (t) => {
  const { provider, site } = await openSignInSite(t);
  const mary = await signInBriefly(provider, site);
  // A slow sign-in may have renewed the session less than a minute ago.
  mary.cookies.delete('citizen-renewal');
  const sent = await sendWhenExpired(mary);
  assert.equal(new URL(sent.headers.location ?? '').origin, provider.url);
  const page = await mary.follow(sent.headers.location ?? '');
  assert.deepEqual([page.status, page.url, headingOf(page)], [200, `${site.url}${path}`, 'Change your email address']);
  assert.match(bodyText(page), /role="status"[^>]*><p>You were signed out before you sent this form\./);
  assert.equal(addressIn(page), 'typed.by.mary at example.org');
  assert.equal(addressIn(await mary.get(path)), 'typed.by.mary at example.org', 'a reload keeps it');
  assert.equal(addressIn(await mary.get('/me/contact/phone')), '', 'another form is empty');
  const again = await mary.post(path, {}, new URLSearchParams({ address: 'typed' }));
  assert.deepEqual([again.status, mary.cookies.has('citizen-form')], [400, false]);
});

test('a search of an expired session runs after a renewal, and its words are in no address', async (t) => {
  const { provider, site } = await openSignInSite(t);
  const mary = await signInBriefly(provider, site);
  const words = new URLSearchParams({ text: 'refund', where: 'archive' });
  let sent = '';
  await waitUntil(async () => {
    // The session may have been renewed less than a minute ago.
    mary.cookies.delete('citizen-renewal');
    sent = (await mary.post('/me', {}, words)).headers.location ?? '';
    return sent !== '';
  });
  const page = await mary.follow(sent);
  const found = readHtmlForm(bodyText(page), 'name="text"');
  assert.deepEqual([page.status, page.url], [200, `${site.url}/me`]);
  assert.match(bodyText(page), /<option value="archive" selected>/);
  assert.equal(found.get('text'), 'refund');
  assert.equal(
    readHtmlForm(bodyText(await mary.get('/me')), 'name="text"').get('text'),
    '',
    'the next page is the inbox',
  );
});

test('an expired form of another person is neither shown nor kept after the sign-in of somebody else', async (t) => {
  const { provider, site } = await openSignInSite(t);
  const browser = await signInBriefly(provider, site);
  forgetAtProvider(browser);
  browser.cookies.set('citizen-renewal', 'tried');
  const over = await sendWhenExpired(browser);
  assert.equal(over.status, 403);
  assert.match(bodyText(over), /We kept what you typed\. Sign in again/);
  const kept = browser.cookies.get('citizen-form') ?? assert.fail();
  assert.doesNotMatch(Buffer.from(kept, 'base64url').toString('latin1') + kept, /typed|example/);

  // Somebody else signs in at the same browser.
  provider.person = 'demo-anh';
  const page = await browser.follow(`/me/sign-in?to=${path}`);
  assert.deepEqual([page.status, headingOf(page), addressIn(page)], [200, 'Change your email address', '']);
  assert.equal(browser.cookies.has('citizen-form'), false);
  // Nor with a stolen cookie in a browser of their own.
  browser.cookies.set('citizen-form', kept);
  assert.equal(addressIn(await browser.get(path)), '');

  // The same person at the same browser.
  provider.person = 'demo-mary';
  const own = openCookieBrowser(site.url);
  own.cookies.set('citizen-form', kept);
  const filled = await own.follow(`/me/sign-in?to=${path}`);
  assert.deepEqual([filled.status, addressIn(filled)], [200, 'typed.by.mary at example.org']);
  for (const changed of [`${kept}AAAA`, kept.replace(/.(?=.{9}$)/, (one) => (one === 'A' ? 'B' : 'A')), 'x', '']) {
    own.cookies.set('citizen-form', changed);
    assert.equal(addressIn(await own.get(path)), '', changed);
  }
  own.cookies.set('citizen-form', kept);
  await own.post('/me/sign-out');
  assert.equal(own.cookies.has('citizen-form'), false, 'nothing remains after a sign-out');
});

test('a form that a citizen sends has nothing of the expired form that another person left in the browser', async (t) => {
  const { provider, site } = await openSignInSite(t);
  const browser = await signInBriefly(provider, site);
  forgetAtProvider(browser);
  browser.cookies.set('citizen-renewal', 'tried');
  await sendWhenExpired(browser);
  const kept = browser.cookies.get('citizen-form') ?? assert.fail();
  provider.person = 'demo-anh';
  const anh = openCookieBrowser(site.url);
  await anh.follow('/me/sign-in');
  for (const [form, own] of [
    [{ address: 'anh at example.org' }, 'anh at example.org'],
    [{}, ''],
  ] as const) {
    anh.cookies.set('citizen-form', kept);
    const answer = await anh.post(path, {}, new URLSearchParams(form));
    assert.deepEqual([answer.status, addressIn(answer), anh.cookies.has('citizen-form')], [400, own, false]);
  }
});

const otherPersonAnswer = [403, 'Someone else has signed in', false];
const shownForms = [
  '/me',
  ...['channels', 'hours', 'language', 'email', 'phone'].map((name) => `/me/contact/${name}`),
  '/me/record/lock',
  '/me/record/unlock',
];

/** The forms of these pages by path. Each form but the one to sign out has the hidden field. */
async function readShownForms(browser: CookieBrowser): Promise<Map<string, URLSearchParams>> {
  const forms = new Map<string, URLSearchParams>();
  for (const action of shownForms) {
    const page = bodyText(await browser.get(action));
    const unbound = page.match(/<form method="post"[^>]*>(?!<input type="hidden" name="formOwner" value="[^"])/g);
    assert.deepEqual(unbound, ['<form method="post" action="/me/sign-out">'], action);
    forms.set(action, readHtmlForm(page, `action="${action}"`));
  }
  return forms;
}

test('a form that was shown to one citizen changes nothing for another one who then signs in with the same browser', async (t) => {
  const home = await makeServerFixture(t);
  await home.start('demo');
  const message = postJson(await home.fetchAccessToken(), '/v1/notifications/send', {
    citizenId: 'demo-anh',
    message: 'Your permit is ready.',
  });
  const messagePath = `/me/messages/${parseJsonBody(await createHttpClient(home.url)(message))['id']}`;
  const browser = openCookieBrowser(home.url);
  const post = async (action: string, form: URLSearchParams) => {
    const answer = await browser.post(action, {}, form);
    return [answer.status, headingOf(answer), browser.cookies.has('citizen-form')];
  };

  await signInAtDemo(browser, 'demo-mary');
  const forms = await readShownForms(browser);
  const ownerOf = (shown: typeof forms) => shown.get('/me')?.get('formOwner') ?? assert.fail();
  const marys = ownerOf(forms);
  forms.get(path)?.set('address', typed);
  forms.get('/me/contact/language')?.set('language', 'uk');
  for (const channel of ['email', 'phone']) {
    forms.set(`/me/contact/${channel}/code`, new URLSearchParams({ code: '123456', formOwner: marys }));
    forms.set(`/me/contact/${channel}/remove`, new URLSearchParams({ formOwner: marys }));
  }
  forms.set(messagePath, new URLSearchParams({ what: 'archive', formOwner: marys }));

  await signInAtDemo(browser, 'demo-anh');
  const stateOf = async () => ({
    forms: await readShownForms(browser),
    contact: /<dl.*<\/dl>/s.exec(bodyText(await browser.get('/me/contact')))?.[0],
    lock: bodyText(await browser.get('/me/record')).match(/\/me\/record\/(?:un)?lock/g),
    inbox: bodyText(await browser.get('/me')).includes(messagePath),
  });
  const before = await stateOf();
  assert.deepEqual([before.lock, before.inbox], [['/me/record/lock'], true]);
  for (const [action, form] of forms) assert.deepEqual(await post(action, form), otherPersonAnswer, action);
  const anhs = ownerOf(before.forms);
  const mac = anhs.slice(anhs.indexOf('-') + 1);
  for (const formOwner of [
    '',
    '-',
    anhs.slice(0, -1),
    mac,
    `${'0'.repeat(16)}-${mac}`,
    `${anhs}AAAA`,
    `${marys}${anhs}`,
  ]) {
    const form = new URLSearchParams({ language: 'uk', formOwner });
    assert.deepEqual(await post('/me/contact/language', form), otherPersonAnswer, formOwner);
  }
  assert.deepEqual(await stateOf(), before);

  // The citizen to whom the form was shown can send it after another sign-in.
  await signInAtDemo(browser, 'demo-mary');
  for (const [action, form] of [...forms].filter(([one]) => ['/me/contact/language', path].includes(one)))
    assert.deepEqual(await post(action, form), [303, undefined, false], action);
});

test('a form of another citizen is not kept when the session has expired', async (t) => {
  const { provider, site } = await openSignInSite(t);
  const mary = openCookieBrowser(site.url);
  await mary.follow('/me/sign-in');
  const form = readHtmlForm(bodyText(await mary.get(path)), 'name="address"');
  form.set('address', typed);
  provider.person = 'demo-anh';
  const anh = await signInBriefly(provider, site);
  forgetAtProvider(anh);
  anh.cookies.set('citizen-renewal', 'tried');
  assert.match(bodyText(await sendWhenExpired(anh)), /We kept what you typed/);
  anh.cookies.delete('citizen-form');
  const answer = await anh.post(path, {}, form);
  assert.deepEqual([answer.status, headingOf(answer), anh.cookies.has('citizen-form')], otherPersonAnswer);
});

test('a silent renewal signs in nobody else and shows them no form, when another person is signed in at the provider', async (t) => {
  const { provider, site } = await openSignInSite(t);
  const browser = await signInBriefly(provider, site);
  provider.person = 'demo-anh';
  const other = openCookieBrowser(site.url);
  await other.follow('/me/sign-in');
  forgetAtProvider(browser);
  for (const [name, value] of other.cookies) if (name.startsWith('_session')) browser.cookies.set(name, value);
  const sent = await sendWhenExpired(browser);
  const page = await browser.follow(sent.headers.location ?? '');
  assert.deepEqual([page.status, headingOf(page)], [403, 'Your official messages and documents']);
  assert.equal(browser.cookies.has('citizen-session'), false);
  const own = await browser.follow(`/me/sign-in?to=${path}`);
  assert.match(bodyText(own), /Change your email address/);
  assert.deepEqual([addressIn(own), browser.cookies.has('citizen-form')], ['', false]);
});

test('no form is kept of a visitor without a session, of another site, or above the size limit', async (t) => {
  const { provider, site } = await openSignInSite(t);
  const form = new URLSearchParams({ address: typed });
  const nobody = openCookieBrowser(site.url);
  nobody.cookies.set('citizen-session', 'x'.repeat(43));
  assert.equal((await nobody.post(path, {}, form)).status, 403);
  const mary = await signInBriefly(provider, site);
  mary.cookies.set('citizen-renewal', 'tried');
  // A text without redundancy, because forms are compressed.
  const over = await sendWhenExpired(mary, randomBytes(3_000).toString('hex'));
  assert.deepEqual([over.status, bodyText(over).includes('We kept')], [403, false]);
  assert.equal((await mary.post(path, { 'sec-fetch-site': 'cross-site' }, form)).status, 403);
  for (const { cookies } of [nobody, mary]) assert.equal(cookies.has('citizen-form'), false);
});

test('a stolen session cookie is worth nothing after a renewal or a sign-in of the citizen', async (t) => {
  const { provider, site } = await openSignInSite(t);
  const mary = await signInBriefly(provider, site);
  const stolen = mary.cookies.get('citizen-session') ?? assert.fail();
  await waitUntil(async () => {
    mary.cookies.delete('citizen-renewal');
    await mary.follow('/me/stay');
    return mary.cookies.get('citizen-session') !== stolen;
  });
  const renewed = mary.cookies.get('citizen-session') ?? assert.fail();
  await mary.follow('/me/sign-in');
  for (const secret of [stolen, renewed]) {
    const mallory = openCookieBrowser(site.url);
    mallory.cookies.set('citizen-session', secret);
    assert.deepEqual(
      [(await mallory.follow('/me/documents')).status, mallory.cookies.has('citizen-form')],
      [403, false],
    );
    assert.equal((await mallory.post(path, {}, new URLSearchParams({ address: typed }))).status, 403);
  }
  assert.equal((await mary.get('/me/documents')).status, 200);
});
