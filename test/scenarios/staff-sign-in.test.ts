import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type CookieBrowser, openCookieBrowser } from '../support/cookie-browser.ts';
import { bodyText, createHttpClient } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';

// The staff pages in the demo, which has its own issuer of staff.
let server: ServerFixture;

const thisFile = fileCleanupScope();
before(async () => {
  server = await makeServerFixture(thisFile);
  await server.start('demo');
});

const headingOf = (answer: { readonly body: Buffer }) => /<h1[^>]*>(.*?)<\/h1>/.exec(bodyText(answer))?.[1];

async function signInAs(browser: CookieBrowser, person: string) {
  const choice = await browser.follow('/staff/sign-in');
  return await browser.follow(`${choice.url}&as=${person}`);
}

test('each person of the demo signs in on the staff pages and sees the rights of their role', async () => {
  const rights = {
    sam: 'Help a person',
    chris: 'Send messages',
    alex: 'Approve what other people propose',
    olu: 'See what needs attention',
    ada: 'Read what staff did',
  };
  for (const [person, right] of Object.entries(rights)) {
    const browser = openCookieBrowser(server.url);
    assert.equal(headingOf(await browser.get('/staff')), 'Sign in to the staff pages');
    const page = await signInAs(browser, person);
    assert.deepEqual([page.status, page.url, headingOf(page)], [200, `${server.url}/staff`, 'Staff pages']);
    const shown = Object.values(rights).filter((one) => bodyText(page).includes(one));
    assert.deepEqual(shown, [right]);
    const hasService = /Your service: .*Demo Permit Service/.test(bodyText(page));
    assert.equal(hasService, ['sam', 'chris'].includes(person), person);
  }
});

test('a session of staff opens no page of citizens, and a session of a citizen no staff page', async () => {
  const staff = openCookieBrowser(server.url);
  await signInAs(staff, 'sam');
  assert.deepEqual(headingOf(await staff.get('/me')), 'Your official messages and documents');
  const secret = staff.cookies.get('staff-session') ?? assert.fail('no session');
  staff.cookies.set('citizen-session', secret);
  assert.deepEqual(headingOf(await staff.get('/me')), 'Your official messages and documents');
  const citizen = openCookieBrowser(server.url);
  const choice = await citizen.follow('/me/sign-in');
  await citizen.follow(`${choice.url}&as=demo-mary`);
  citizen.cookies.set('staff-session', citizen.cookies.get('citizen-session') ?? assert.fail('no session'));
  assert.deepEqual(headingOf(await citizen.get('/staff')), 'Sign in to the staff pages');
});

test('a sign-out form of another site does not end a session of staff, and that of the page ends it', async () => {
  const browser = openCookieBrowser(server.url);
  await signInAs(browser, 'sam');
  const forged = await browser.post('/staff/sign-out', {
    origin: 'https://other.example',
    'sec-fetch-site': 'cross-site',
  });
  assert.equal(forged.status, 403);
  assert.equal(headingOf(await browser.get('/staff')), 'Staff pages');
  const embedded = await browser.get('/staff', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' });
  assert.equal(headingOf(embedded), 'Sign in to the staff pages');
  const secret = browser.cookies.get('staff-session') ?? assert.fail('no session');
  assert.equal(headingOf(await browser.post('/staff/sign-out', { origin: server.url })), 'You are signed out');
  browser.cookies.set('staff-session', secret);
  assert.equal(headingOf(await browser.get('/staff')), 'Sign in to the staff pages');
});

test('a sign-in of staff leads only to staff pages, and a code of the issuer of citizens is not accepted', async () => {
  const browser = openCookieBrowser(server.url);
  const choice = await browser.follow('/staff/sign-in?to=https://other.example/');
  assert.equal((await browser.follow(`${choice.url}&as=sam`)).url, `${server.url}/staff`);
  const other = openCookieBrowser(server.url);
  const citizenChoice = await other.follow('/me/sign-in');
  const redirect = await other.get(`${citizenChoice.url}&as=demo-mary`);
  const query = new URL(redirect.headers.location ?? '').search;
  assert.equal(headingOf(await other.get(`/staff/sign-in/return${query}`)), 'You are not signed in');
});

test('the start page of the demo links to the staff pages', async () => {
  const page = await createHttpClient(server.url)({ path: '/' });
  assert.match(bodyText(page), /<a href="\/staff">Staff pages of this demo<\/a>/);
});

// Attack: a page of another site sends a form of the staff pages with the cookie of a signed-in operator.
test('a form of another site does not pause a channel, and that of the page pauses it', async () => {
  const browser = openCookieBrowser(server.url);
  await signInAs(browser, 'olu');
  const path = '/staff/queues/letter/pause';
  const form = new URLSearchParams({ reason: 'A test.' });
  for (const headers of [
    { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'same-site' },
  ])
    assert.equal(headingOf(await browser.post(path, headers, form)), 'Sign in to the staff pages');
  assert.doesNotMatch(bodyText(await browser.get('/staff/queues')), /Paused by/);
  assert.equal((await browser.post(path, { origin: server.url }, form)).status, 303);
  assert.match(bodyText(await browser.get('/staff/queues')), /Paused by/);
});

test('the pages tell people whose service was disabled that their account belongs to no service', async () => {
  const browser = openCookieBrowser(server.url);
  await signInAs(browser, 'sam');
  const [client] = server.readDemoFile().clients;
  const operator = openCookieBrowser(server.url);
  await signInAs(operator, 'olu');
  const path = `/staff/clients/${client?.clientId ?? ''}/disable`;
  const why = new URLSearchParams({ reason: 'The service has ended.' });
  assert.equal((await operator.post(path, { origin: server.url }, why)).status, 303);
  assert.match(bodyText(await browser.get('/staff')), /Your account belongs to no service\./);
  const form = new URLSearchParams({ reason: 'citizen-asked', case: 'CASE-1', citizenId: 'demo-mary' });
  const refused = await browser.post('/staff/person', { origin: server.url }, form);
  assert.equal(refused.status, 403);
  assert.match(bodyText(refused), /Your account belongs to no service\./);
});
