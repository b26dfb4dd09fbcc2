import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CookieBrowser, openCookieBrowser, readHtmlForm } from '../support/cookie-browser.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { withShiftedClock } from '../support/shifted-clock.ts';

// A form of staff that arrives after the session has ended can have details of a citizen. Only the person who typed them may see them.
const path = '/staff/person';
const typed = { reason: 'complaint', case: 'CASE-7', familyName: 'Typed-Smith' };
const textOf = ({ body }: { readonly body: Buffer }) => body.toString('utf8');
const nameIn = (page: { readonly body: Buffer }) => readHtmlForm(textOf(page), 'name="familyName"').get('familyName');

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
    textOf(over),
    /We kept what you typed\. Sign in again[\s\S]*href="[^"]*\/staff\/sign-in\?to=%2Fstaff%2Fperson"/,
  );
  const kept = sam.cookies.get('staff-form') ?? assert.fail('no form is kept');
  assert.doesNotMatch(Buffer.from(kept, 'base64url').toString('latin1') + kept, /Typed|CASE-7|complaint/);

  // Another member of staff, and a citizen, with the same browser or a stolen cookie.
  const other = openCookieBrowser(server.url);
  other.cookies.set('staff-form', kept);
  const page = await signInAs(other, 'chris', '/staff/send?template=own');
  assert.doesNotMatch(textOf(page), /Typed|CASE-7/);
  assert.equal(other.cookies.has('staff-form'), false);
  other.cookies.set('citizen-form', kept);
  assert.doesNotMatch(textOf(await other.follow('/me/contact/email')), /Typed|CASE-7/);

  const again = await signInAs(sam, 'sam');
  assert.match(textOf(again), /You were signed out before you sent this form/);
  assert.equal(nameIn(again), typed.familyName);
  const sent = await sam.post(path, { origin: server.url }, new URLSearchParams(typed));
  assert.deepEqual([sent.status, sam.cookies.has('staff-form')], [200, false]);
});
