import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserSkipReason } from '../support/browser.ts';
import { openCookieBrowser, signInAtDemo } from '../support/cookie-browser.ts';
import { bearerHeaders, createHttpClient, parseJsonBody } from '../support/http-client.ts';
import { type StaffWindow, startStaffDemo, textOf } from '../support/staff-window.ts';

// Templates, messages and proposals of staff by clicks. Every page on the way is checked for accessibility.
const skip = browserSkipReason;
const demo = startStaffDemo();

async function readJson(path: string) {
  const headers = bearerHeaders(await demo.server.fetchAccessToken());
  return parseJsonBody(await createHttpClient(demo.server.url)({ method: 'GET', path, headers }));
}

/** Writes a template in two languages, after a form with faults. */
async function writeTemplate({ page, press, openFromMenu }: StaffWindow): Promise<void> {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await openFromMenu('Templates');
  await press(page.getByRole('link', { name: 'Write a template' }));
  await press(button('Save the template'));
  assert.match(await page.title(), /^Error: Write a template/);
  const faults = await page.locator('.faults li').allInnerTexts();
  assert.deepEqual(faults, ['Fill in this field: Name for your colleagues', 'Fill in this field: Message']);
  await page.getByLabel('Name for your colleagues').fill('Permit is ready');
  await page.getByLabel('Language for people').selectOption('en');
  await page.locator('#language-0').selectOption('en');
  await page.getByLabel('Subject').fill('Your permit');
  await page.getByLabel('Message').fill('Dear ((name)),\n\n# Your permit\n\nIt is ready.');
  await press(button('Add a language'));
  await page.locator('#language-1').selectOption('de');
  await page.locator('#subject-1').fill('Ihre Erlaubnis');
  await page.locator('#message-1').fill('Guten Tag ((name)), sie ist fertig.');
  await press(button('Preview'));
  assert.match(await textOf(page.locator('main')), /German[\s\S]*Guten Tag \(\(name\)\)/);
  await press(button('Save the template'));
  assert.match(
    await textOf(page.locator('main')),
    /The template is saved\.[\s\S]*Permit is ready[\s\S]*English, German/,
  );
}

test('a caseworker writes a template in two languages, sends with it once, writes a new version and removes the old one', {
  skip,
}, async () => {
  await using staff = await demo.open('chris');
  const { page, press } = staff;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  await writeTemplate(staff);

  await press(link('Permit is ready'));
  await press(link('Send a message with it'));
  const number = 'Number in the register';
  await press(button('Preview'));
  assert.equal((await page.locator('.faults li').allInnerTexts())[0], `Fill in this field: ${number}`);
  await page.getByLabel(number).fill('demo-mary');
  await page.getByLabel('name', { exact: true }).fill('Mary Smith');
  await page.getByLabel('Your reference').fill('PP-500');
  await press(button('Preview'));
  assert.match(await textOf(page.locator('main')), /Nothing has been sent yet[\s\S]*Inbox[\s\S]*Dear Mary Smith/);
  assert.deepEqual((await readJson('/v1/notifications?reference=PP-500'))['items'], []);
  await press(button('Change the message'));
  assert.equal(await page.getByLabel('name', { exact: true }).inputValue(), 'Mary Smith');
  await press(button('Preview'));
  const readFields = `Object.fromEntries(new FormData(document.querySelector('form:has([name=key])')))`;
  const fields = await page.evaluate<Record<string, string>>(readFields);
  await press(button('Send the message'));
  const sent = /Its number is \u2068(ntf_\w+)/.exec(await textOf(page.locator('main')))?.[1];
  // The browser sends the form a second time.
  const form = { ...fields, step: 'send' };
  const options = { form, headers: { origin: demo.server.url }, maxRedirects: 0 };
  const repeated = await page.context().request.post(`${demo.server.url}/staff/send`, options);
  assert.equal(repeated.headers()['location'], `/staff/send?done=${sent}`);
  const items = (await readJson('/v1/notifications?reference=PP-500'))['items'] as readonly { id: string }[];
  assert.deepEqual(
    items.map(({ id }) => id),
    [sent],
  );

  await staff.openFromMenu('Templates');
  await press(link('Permit is ready'));
  await press(link('Write a new version'));
  assert.equal(await page.locator('#subject-1').inputValue(), 'Ihre Erlaubnis');
  await page.getByLabel('Name for your colleagues').fill('Permit, second version');
  await press(button('Save the template'));
  await press(link('Permit is ready'));
  await press(link('Remove'));
  await press(button('Remove'));
  assert.match(await textOf(page.locator('main')), /The template is removed\./);
  assert.deepEqual(await page.locator('.list a').allInnerTexts(), ['Permit, second version']);
});

test('a caseworker writes a message without a template and sends it at a time', { skip }, async () => {
  await using staff = await demo.open('chris');
  const { page, press } = staff;
  await staff.openFromMenu('Send a message');
  await press(page.getByRole('button', { name: 'Continue' }));
  await page.getByLabel('Number in the register').fill('demo-mary');
  await page.getByLabel('Subject').fill('Office hours');
  await page.getByLabel('Message', { exact: true }).fill('The office is closed. '.repeat(20_000));
  await press(page.getByRole('button', { name: 'Preview' }));
  assert.deepEqual(await page.locator('.faults li').allInnerTexts(), ['This text is too long: Message']);
  await page.getByLabel('Message', { exact: true }).fill('The office is closed on ((day)).');
  await page.getByLabel('Your reference').fill('PP-501');
  await page.getByLabel('Send it at').fill('2020-01-31T09:30');
  await press(page.getByRole('button', { name: 'Preview' }));
  assert.deepEqual(await page.locator('.faults li').allInnerTexts(), [
    'Your own text cannot have values to fill in. Write the value instead of \u2068((day))\u2069.',
    'Enter a time that is later than now, and at most one year from now',
  ]);
  await page.getByLabel('Message', { exact: true }).fill('The office is closed on Friday.');
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('Send it at').fill(`${day}T09:30`);
  await press(page.getByRole('button', { name: 'Preview' }));
  assert.match(await textOf(page.locator('main dl')), /register\s*demo-mary[\s\S]*PP-501/);
  await press(page.getByRole('button', { name: 'Send the message' }));
  const [item] = (await readJson('/v1/notifications?reference=PP-501'))['items'] as readonly Record<string, unknown>[];
  assert.deepEqual([item?.['status'], item?.['sendAt']], ['scheduled', `${day}T09:30:00.000Z`]);
});

test('a caseworker reads a message of the service after a reason, and the text is shown as text', {
  skip,
}, async () => {
  const http = createHttpClient(demo.server.url);
  const message = { citizenId: 'demo-mary', subject: 'Your permit', message: '# Ready\n\nIt is **ready**. <script>' };
  const headers = { ...bearerHeaders(await demo.server.fetchAccessToken()), 'content-type': 'application/json' };
  const body = JSON.stringify(message);
  const { id } = parseJsonBody(await http({ method: 'POST', path: '/v1/notifications/send', headers, body }));
  await using staff = await demo.open('chris');
  const { page, press } = staff;
  const show = page.getByRole('button', { name: 'Show the message' });
  await staff.openFromMenu('Read a message');
  await press(show);
  assert.equal(await page.locator('.faults li').count(), 3);
  await page.getByLabel('Number of the message').fill('ntf_01JD3Y9Z8Q6W2V5T4R7N0M1KXC');
  await page.locator('#reason').selectOption('complaint');
  await page.locator('#case').fill('CASE-9');
  await press(show);
  assert.match(await textOf(page.locator('.faults')), /Enter the number of a message of your service/);
  await page.getByLabel('Number of the message').fill(String(id));
  await press(show);
  const shown = await textOf(page.locator('main'));
  assert.match(
    shown,
    /sees in their own list that your service read this message[\s\S]*Your permit[\s\S]*It is ready\. <script>/,
  );
  assert.equal(await page.getByRole('heading', { name: 'Ready' }).count(), 1);
});

test('support finds a person by details in Arabic, and no detail is in an address', { skip }, async () => {
  await using staff = await demo.open('sam', 'ar');
  const { page, press } = staff;
  await staff.openFromMenu('البحث عن شخص');
  await press(page.locator('main form button'));
  assert.equal(await page.locator('.faults li').count(), 3);
  await page.locator('#reason').selectOption('complaint');
  await page.locator('#case').fill('CASE-9');
  await page.locator('#givenName').fill('Mary');
  await press(page.locator('main form button'));
  assert.equal(await page.locator('#givenName').inputValue(), 'Mary');
  await page.locator('#familyName').fill('Smith');
  await page.locator('#birthDate').fill('1981-04-25');
  await press(page.locator('main form button'));
  assert.doesNotMatch(page.url(), /Mary|demo|1981/);
  assert.match(await textOf(page.locator('main')), /الرسائل[\s\S]*صندوق الوارد/);
  assert.equal(await page.locator('html').getAttribute('dir'), 'rtl');
  await page.goto(`${demo.server.url}/staff/person/lku_01M7WKVMFEE008WANFAS9XRDZX`);
  assert.equal(await textOf(page.locator('h1')), 'ابحث عن الشخص مرة أخرى');
});

test('support proposes to unlock the details of a person, who has locked them', { skip }, async () => {
  const mary = openCookieBrowser(demo.server.url);
  await signInAtDemo(mary, 'demo-mary');
  await mary.post('/me/record/lock', { origin: demo.server.url }, new URLSearchParams());
  await using staff = await demo.open('sam');
  const { page, press } = staff;
  await staff.openFromMenu('Find a person');
  await page.getByLabel('Why do you need this?').selectOption('complaint');
  await page.getByLabel('Number of your case').fill('CASE-9');
  await page.getByLabel('Number in the register').fill('demo-mary');
  await press(page.getByRole('button', { name: 'Find' }));
  assert.match(await textOf(page.locator('main')), /The person has locked their details\./);
  await press(page.getByRole('link', { name: 'Propose to unlock the details' }));
  await press(page.getByRole('button', { name: 'Propose it' }));
  assert.equal(await page.locator('.faults li').count(), 2);
  await page.getByLabel('Reason that the person reads').fill('You asked us on the phone.');
  await page.getByLabel('Reason for the person who decides').fill('Checked by a call back.');
  await press(page.getByRole('button', { name: 'Propose it' }));
  assert.match(await textOf(page.locator('main')), /Your proposal waits for another person\./);
});
