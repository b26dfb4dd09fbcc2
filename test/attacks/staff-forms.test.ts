import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type CookieBrowser, openCookieBrowser, readHtmlForm } from '../support/cookie-browser.ts';
import { bodyText, createHttpClient } from '../support/http-client.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { withShiftedClock } from '../support/shifted-clock.ts';

// A form of staff that arrives after the session has ended can have details of a citizen. Only the person who typed them may see them.
const path = '/staff/person';
const typed = { reason: 'complaint', case: 'CASE-7', familyName: 'Typed-Smith' };
const nameIn = (page: { readonly body: Buffer }) => readHtmlForm(bodyText(page), 'name="familyName"').get('familyName');

async function signInAs(browser: CookieBrowser, person: string, to = path) {
  const choice = await browser.follow(`/staff/sign-in?to=${to}`);
  return await browser.follow(`${choice.url}&as=${person}`);
}

test('a form of an expired session of staff is shown again to the same person only, and not as a form of a citizen', async (t) => {
  const server = await makeServerFixture(t);
  const earlier = await server.start('demo');
  const sam = openCookieBrowser(server.url);
  await signInAs(sam, 'sam');
  await earlier.stop('SIGTERM');
  Object.assign(server.environment, withShiftedClock(2 * 3_600_000));
  await server.start('demo');
  const over = await sam.post(path, { origin: server.url }, new URLSearchParams(typed));
  assert.match(
    bodyText(over),
    /We kept what you typed\. Sign in again[\s\S]*href="[^"]*\/staff\/sign-in\?to=%2Fstaff%2Fperson"/,
  );
  const kept = sam.cookies.get('staff-form') ?? assert.fail('no form is kept');
  assert.doesNotMatch(Buffer.from(kept, 'base64url').toString('latin1') + kept, /Typed|CASE-7|complaint/);

  // Another member of staff, and a citizen, with the same browser or a stolen cookie.
  const other = openCookieBrowser(server.url);
  other.cookies.set('staff-form', kept);
  const page = await signInAs(other, 'chris', '/staff/send?template=own');
  assert.doesNotMatch(bodyText(page), /Typed|CASE-7/);
  assert.equal(other.cookies.has('staff-form'), false);
  other.cookies.set('citizen-form', kept);
  assert.doesNotMatch(bodyText(await other.follow('/me/contact/email')), /Typed|CASE-7/);

  const again = await signInAs(sam, 'sam');
  assert.match(bodyText(again), /You were signed out before you sent this form/);
  assert.equal(nameIn(again), typed.familyName);
  const sent = await sam.post(path, { origin: server.url }, new URLSearchParams(typed));
  assert.deepEqual([sent.status, sam.cookies.has('staff-form')], [200, false]);
});

// Texts of a language are compressed, random ones are not.
const longText = Array.from({ length: 150 }, (_, at) => `Sentence ${at} of a long message about the bins.`).join('\n');
const tooLongText = randomBytes(3_000).toString('hex');
const message = (text: string) =>
  new URLSearchParams({ template: 'own', citizenId: 'demo-mary', text, step: 'preview' });

test('forms of an expired session keep reasons and long texts; a file and a text without redundancy are not kept', async (t) => {
  const server = await makeServerFixture(t);
  const earlier = await server.start('demo');
  const origin = { origin: server.url };
  const open = async (person: string) => {
    const browser = openCookieBrowser(server.url);
    await signInAs(browser, person, '/staff');
    return browser;
  };
  const forms = [
    ['chris', '/staff/send', message(longText), /Sentence 0 of[\s\S]*Sentence 149 of/],
    ['olu', '/staff/queues/letter/pause', new URLSearchParams({ reason: 'Typed reason' }), /value="Typed reason"/],
    [
      'olu',
      '/staff/clients/propose',
      new URLSearchParams({ name: 'Typed name', scopes: 'feed:read' }),
      /value="Typed name"/,
    ],
  ] as const;
  const browsers = [];
  for (const [person] of forms) browsers.push(await open(person));
  const [withFile, withTooMuch] = [await open('chris'), await open('chris')];
  await earlier.stop('SIGTERM');
  Object.assign(server.environment, withShiftedClock(3_600_000));
  await server.start('demo');
  for (const [at, [person, to, form, shown]] of forms.entries()) {
    const browser = browsers[at] ?? assert.fail('no browser');
    assert.match(bodyText(await browser.post(to, origin, form)), /We kept what you typed\. Sign in again/);
    const again = bodyText(await signInAs(browser, person, to));
    assert.match(again, /You were signed out before you sent this form/, to);
    assert.match(again, shown, to);
  }

  const parts = [
    ['name="templateId"', 'own'],
    ['name="name"', 'Typed batch'],
    ['name="file"; filename="a.csv"', 'citizenId,message\r\ndemo-mary,Hello'],
  ];
  const body = parts.map(([name, value]) => `--end\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`);
  const cookie = [...withFile.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const late = await createHttpClient(server.url)({
    method: 'POST',
    path: '/staff/batches/new',
    headers: { ...origin, cookie, 'accept-language': 'en', 'content-type': 'multipart/form-data; boundary=end' },
    body: `${body.join('')}--end--\r\n`,
  });
  assert.match(bodyText(late), /We kept what you typed\..* We could not keep the file\. Choose it again\./);
  const kept =
    late.headers['set-cookie']?.find((one) => one.startsWith('staff-form=')) ?? assert.fail('no form is kept');
  withFile.cookies.set('staff-form', /^staff-form=([^;]*)/.exec(kept)?.[1] ?? '');
  const upload = bodyText(await signInAs(withFile, 'chris', '/staff/batches/new'));
  assert.match(upload, /We could not keep the file\. Choose it again\.[\s\S]*value="Typed batch"/);

  const copied = await withTooMuch.post('/staff/send', origin, message(tooLongText));
  assert.match(bodyText(copied), new RegExp(`Copy it from here before you sign in again\\.[\\s\\S]*${tooLongText}`));
  assert.equal(withTooMuch.cookies.has('staff-form'), false);
});
