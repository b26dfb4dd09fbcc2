import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserSkipReason, overflowingElements } from '../support/browser.ts';
import { createHttpClient, parseJsonBody, postJson } from '../support/http-client.ts';
import { type ServerFixture, waitUntilSigned } from '../support/server-process.ts';
import { type StaffWindow, startStaffDemo, textOf } from '../support/staff-window.ts';
import { waitUntil } from '../support/wait-until.ts';

// The helpdesk answers five questions on the phone, each within six clicks from the first page of staff: the kind of a letter, whether it
// arrived, why not, a copy by post, and the last uses of the data. Every page on the way is checked for accessibility.
const skip = browserSkipReason;
const maxClicks = 6;
/** Two messages that arrived by mail, and one that could not reach the person. */
let [permit, renewal, refused] = ['', '', ''];

const demo = startStaffDemo({ prepare: sendMessages });

async function sendMessages(server: ServerFixture): Promise<void> {
  const token = await server.fetchAccessToken();
  const ask = createHttpClient(server.url);
  const send = async (body: object) => {
    const answer = await ask(postJson(token, '/v1/notifications/send', { message: 'Please read this.', ...body }));
    assert.equal(answer.status, 202, String(answer.body));
    return String(parseJsonBody(answer)['id']);
  };
  permit = await send({
    citizenId: 'demo-lukasz',
    subject: 'Parking permit',
    reference: 'PP-118',
    category: 'decision',
  });
  renewal = await send({ citizenId: 'demo-lukasz', subject: 'Renewal', reference: 'PP-119' });
  refused = await send({ citizenId: 'demo-anh', subject: 'Tax', channels: ['letter'], message: 'Your tax.' });
  const claims = { citizenId: 'demo-lukasz', givenName: 'Łukasz', familyName: 'Żak', birthDate: '1990-01-01' };
  await ask(postJson(token, '/v1/identity/verify', { ...claims, purpose: 'parking-permit', legalBasis: 'Road Act 7' }));
  const stateOf = async (id: string) => {
    const answer = await ask({
      method: 'GET',
      path: `/v1/notifications/${id}`,
      headers: { authorization: `Bearer ${token}` },
    });
    const deliveries = parseJsonBody(answer)['deliveries'] as readonly { status: string; channel: string }[];
    return deliveries.filter(({ channel }) => channel !== 'inbox').map(({ status }) => status);
  };
  for (const id of [permit, renewal])
    await waitUntil(async () => (await stateOf(id)).some((one) => one === 'delivered' || one === 'sent'));
  await waitUntil(async () => (await stateOf(refused)).every((one) => one === 'failed' || one === 'skipped'));
  await waitUntilSigned(server);
}

/** Looks a person up by a message, from the first page. */
async function findBy(staff: StaffWindow, message: string): Promise<void> {
  const { page } = staff;
  await staff.openFromMenu('Find a person');
  await page.getByLabel('Why do you need this?').selectOption('citizen-asked');
  await page.getByLabel('Number of your case').fill('CASE-4711');
  await page.getByLabel('Number or reference of the message').fill(message);
  await staff.press(page.getByRole('button', { name: 'Find' }));
}

const cardOf = ({ page }: StaffWindow, id: string) => page.locator('article', { hasText: id });

test('five questions of the helpdesk are answered within six clicks each', { skip }, async (t) => {
  const open = () => demo.open('sam');
  await t.test('the kind and sender of a letter are shown for its reference', async () => {
    await using staff = await open();
    await findBy(staff, 'PP-118');
    const card = cardOf(staff, permit);
    assert.match(await textOf(card), /Message from .*Demo Permit Service.*[\s\S]*PP-118[\s\S]*Decision/);
    assert.doesNotMatch(await textOf(staff.page.locator('body')), /Please read this/);
    assert.ok(staff.clicks() <= maxClicks, String(staff.clicks()));
  });
  await t.test('the state of a message that arrived is shown for its number', async () => {
    await using staff = await open();
    await findBy(staff, permit);
    assert.match(await textOf(cardOf(staff, permit)), /Arrived|Sent, no proof/);
    await cardOf(staff, permit).locator('summary').click();
    assert.match(await textOf(cardOf(staff, permit).locator('ol')), /Email: Is being sent/);
    assert.deepEqual(await overflowingElements(staff.page), []);
    assert.ok(staff.clicks() <= maxClicks);
  });
  await t.test('the reason of a message that did not arrive is shown in words', async () => {
    await using staff = await open();
    await findBy(staff, refused);
    const text = await textOf(cardOf(staff, refused));
    assert.match(text, /LetterNot sent\. The register has no address for this channel\. The service must do/);
    assert.ok(staff.clicks() <= maxClicks);
  });
  await t.test('a message is sent again by letter once', async () => {
    await using staff = await open();
    await findBy(staff, permit);
    await staff.press(cardOf(staff, permit).getByRole('link', { name: 'Send again by letter' }));
    const form = staff.page.url();
    const sendLetter = async () => {
      await staff.press(staff.page.getByRole('button', { name: 'Send the letter' }));
      assert.match(await textOf(staff.page.locator('main > .banner').first()), /The letter is on its way/);
    };
    await sendLetter();
    assert.ok(staff.clicks() <= maxClicks);
    // A form that is sent twice sends one letter.
    await staff.page.goto(form);
    await sendLetter();
    // A reload shows the present state, and is no second look-up.
    await waitUntil(async () => {
      await staff.page.reload();
      return (await cardOf(staff, permit).getByRole('link', { name: 'The letter came back' }).count()) === 1;
    });
    assert.equal(await cardOf(staff, permit).getByRole('link', { name: 'Send again by letter' }).count(), 0);
    await staff.press(cardOf(staff, permit).getByRole('link', { name: 'The letter came back' }));
    await staff.press(staff.page.getByRole('button', { name: 'Record it' }));
    assert.match(await textOf(cardOf(staff, permit)), /LetterDid not arrive\. The letter came back by post\./);
  });
  await t.test('the last uses of the data are shown with organisation and purpose', async () => {
    await using staff = await open();
    await findBy(staff, permit);
    const uses = staff.page
      .locator('h2', { hasText: 'used the data of this person' })
      .locator('xpath=following-sibling::ul[1]');
    assert.match(await textOf(uses), /Demo Permit Service.*: Checked whether details of the person are right\. Why: /);
    assert.ok(staff.clicks() <= maxClicks);
  });
});

/** The focused element: its address, label or text, and its ring. */
const readFocus = `(() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const text = one.labels?.[0]?.textContent ?? one.textContent;
  return { text: text.trim(), href: one.getAttribute('href') ?? '', ring: outlineStyle + ' ' + outlineWidth };
})()`;
type Focus = { readonly text: string; readonly href: string; readonly ring: string };

/** Presses Tab until the element with this text or end of its address has the focus. Each stop on the way has a ring of 3 pixels. */
async function tabTo(page: Page, wanted: string): Promise<void> {
  const stops: string[] = [];
  for (let left = 60; left > 0; left -= 1) {
    await page.keyboard.press('Tab');
    const { text, href, ring } = await page.evaluate<Focus>(readFocus);
    assert.equal(ring, 'solid 3px', `${text} ${href}`);
    stops.push(text);
    if (text === wanted || href.endsWith(wanted)) return;
  }
  assert.fail(`no stop of the keyboard is ${wanted}: ${stops.join(', ')}`);
}

/** Presses Enter at the element with the focus, and waits for the page to which it leads. */
async function enter(page: Page): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
}

test('a case number that nobody can read, and a reference that is too long, are named as faults of their fields', {
  skip,
}, async () => {
  await using staff = await demo.open('sam');
  const { page, press } = staff;
  const faults = () => page.locator('.faults li').allInnerTexts();
  await findBy(staff, renewal);
  await press(cardOf(staff, renewal).getByRole('link', { name: 'Send again by letter' }));
  await page.getByLabel('Number of your case').fill('CASE-\u202e1174');
  await press(page.getByRole('button', { name: 'Send the letter' }));
  assert.deepEqual(await faults(), ['Enter the number of your case']);
  await findBy(staff, 'r'.repeat(201));
  assert.deepEqual(await faults(), ['This text is too long: Number or reference of the message']);
});

test('a message is found and sent again by letter with the keyboard only', { skip }, async () => {
  await using staff = await demo.open('sam');
  const { page } = staff;
  await tabTo(page, 'Skip to main content');
  assert.ok(await page.locator('.skip-link').isVisible());
  await page.keyboard.press('Enter');
  await tabTo(page, 'Help a person: find their messages and see what happened');
  await enter(page);
  await tabTo(page, 'Why do you need this?');
  await page.keyboard.press('ArrowDown');
  await tabTo(page, 'Number of your case');
  await page.keyboard.type('CASE-4712');
  await tabTo(page, 'Number or reference of the message');
  await page.keyboard.type(renewal);
  await enter(page);
  assert.equal(await textOf(page.locator('h1')), 'Person');
  await tabTo(page, await textOf(cardOf(staff, renewal).locator('summary')));
  await page.keyboard.press('Enter');
  assert.ok(await cardOf(staff, renewal).getByText('Email: Is being sent').isVisible());
  await tabTo(page, 'Send again by letter');
  await enter(page);
  await tabTo(page, 'Send the letter');
  await enter(page);
  assert.equal((await page.evaluate<Focus>(readFocus)).text, 'The letter is on its way to the printer.');
});
