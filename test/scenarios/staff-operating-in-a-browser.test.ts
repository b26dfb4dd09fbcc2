import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserSkipReason } from '../support/browser.ts';
import { waitUntilSigned } from '../support/server-process.ts';
import { mainText, startStaffDemo } from '../support/staff-window.ts';

// The pages of operators, approvers and auditors, used in a real browser by clicks.
const skip = browserSkipReason;
const demo = startStaffDemo();

const heading = async (page: Page) => await page.locator('h1').textContent();

test('an operator pauses a channel with a reason, reads it on the first page, and resumes the channel', {
  skip,
}, async () => {
  await using seen = await demo.open('olu');
  const { page } = seen;
  await seen.check();
  await seen.openFromMenu('Queues');
  await page.getByRole('link', { name: 'Pause: Email' }).click();
  await seen.check();
  await page.getByRole('button', { name: 'Pause' }).click();
  assert.equal(await page.title(), 'Error: Email: Pause this channel? – Staff pages');
  assert.match(await mainText(page), /There is a problem.*Enter a reason/s);
  await seen.check();
  await page.getByLabel('Reason').fill('The mail server rejects all messages.');
  await page.getByRole('button', { name: 'Pause' }).click();
  assert.match(await mainText(page), /The channel is paused\..*The mail server rejects all messages\./s);
  await seen.check();
  // A form that is sent twice shows the present state.
  await page.goto(`${demo.server.url}/staff/queues/email/pause`);
  await page.getByLabel('Reason').fill('Again.');
  await page.getByRole('button', { name: 'Pause' }).click();
  assert.match(await mainText(page), /^Queues.*The mail server rejects all messages\./s);
  await seen.openFromMenu('Start');
  await page.getByRole('link', { name: 'Email is paused' }).click();
  await page.getByRole('link', { name: 'Resume: Email' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  assert.match(await mainText(page), /There is a problem.*Enter a reason/s);
  await page.getByLabel('Reason').fill('The mail server works again.');
  await page.getByRole('button', { name: 'Resume' }).click();
  assert.match(await mainText(page), /The channel works again\./);
});

test('an operator proposes a client and other rights for it, cannot approve that, and an approver approves and refuses', {
  skip,
}, async () => {
  await using operator = await demo.open('olu');
  const { page } = operator;
  await operator.openFromMenu('Clients');
  await page.getByRole('link', { name: 'Propose a new client' }).click();
  await page.getByRole('button', { name: 'Send the proposal' }).click();
  assert.match(await mainText(page), /Enter a name\..*Choose at least one right\..*Enter a reason/s);
  await operator.check();
  await page.getByLabel('Name').fill('Water Board');
  await page.getByLabel('notifications:send').check();
  await page.getByLabel('Issuer of tokens').fill('https://issuer.example');
  await page.getByLabel('Purposes').fill(`water bill\n${'meter'.repeat(21)}`);
  await page.getByLabel('Reason').fill('The service starts in May.');
  await page.getByRole('button', { name: 'Send the proposal' }).click();
  assert.match(await mainText(page), /There is a problem.*This text is too long: Purposes/s);
  await operator.check();
  await page.getByLabel('Purposes').fill('water bill\nmeter reading');
  await page.getByRole('button', { name: 'Send the proposal' }).click();
  assert.equal(await heading(page), 'Create a client');
  assert.match(await mainText(page), /We stored your proposal.*You made this proposal/s);
  assert.equal(await page.getByRole('link', { name: 'Approve' }).count(), 0);
  await operator.check();

  await using approver = await demo.open('alex');
  await approver.openFromMenu('Proposals');
  await approver.page.getByRole('link', { name: 'Create a client' }).click();
  assert.match(await mainText(approver.page), /water bill, meter reading/);
  await approver.check();
  await approver.page.getByRole('link', { name: 'Approve' }).click();
  assert.match(
    await mainText(approver.page),
    /Approve this proposal\?.*Olu Operator.*Water Board.*water bill, meter reading/,
  );
  await approver.check();
  await approver.page.getByRole('button', { name: 'Approve' }).click();
  assert.match(await mainText(approver.page), /The proposal is approved and has taken effect\./);
  await approver.check();

  await operator.openFromMenu('Clients');
  await page.getByRole('link', { name: 'Water Board' }).click();
  await operator.check();
  await page.getByRole('link', { name: 'Propose other rights' }).click();
  assert.equal(await page.getByLabel('notifications:send').isChecked(), true);
  await page.getByLabel('notifications:read').check();
  await page.getByLabel('access-log:hide').check();
  await page.getByLabel('Reason').fill('It shows the status.');
  await operator.check();
  await page.getByRole('button', { name: 'Send the proposal' }).click();
  await approver.page.goto(page.url());
  const change = /Rights ?Before: notifications:send ?After: notifications:send, notifications:read, access-log:hide/;
  assert.match(await mainText(approver.page), change);
  assert.match(await mainText(approver.page), /may hide its uses from the citizen for up to 365 days\./);
  await approver.check();
  await approver.page.getByRole('link', { name: 'Refuse' }).click();
  await approver.page.getByLabel('Reason').fill('Ask the service first.');
  await approver.page.getByRole('button', { name: 'Refuse' }).click();
  assert.match(await mainText(approver.page), /The proposal is refused\..*Ask the service first\./s);
});

test('an operator proposes an erasure, which an approver refuses and then approves, and a form that is sent twice makes one', {
  skip,
}, async () => {
  await using operator = await demo.open('olu');
  await using approver = await demo.open('alex');
  const { page } = operator;
  const send = () => operator.press(page.getByRole('button', { name: 'Send the proposal' }));
  const propose = async () => {
    await operator.openFromMenu('Proposals');
    await operator.press(page.getByRole('link', { name: 'Propose to erase a person' }));
    await send();
    assert.match(await mainText(page), /There is a problem.*Check this field: Number of the citizen.*Enter a reason/s);
    await page.getByLabel('Number of the citizen').fill('demo-sigridur');
    await page.getByLabel('Reason').fill('Request 12 of May.');
    await send();
    assert.match(await mainText(page), /^Erase a citizen.*We stored your proposal.*demo-sigridur.*register ?No/s);
    return page.url();
  };
  const decide = async (proposal: string, decision: 'Approve' | 'Refuse') => {
    await approver.page.goto(proposal);
    await approver.press(approver.page.getByRole('link', { name: decision }));
    await approver.press(approver.page.getByRole('button', { name: decision }));
  };
  const first = await propose();
  assert.equal(await propose(), first);
  await decide(first, 'Refuse');
  const second = await propose();
  assert.notEqual(second, first);
  await decide(second, 'Approve');
  assert.match(await mainText(approver.page), /has taken effect\..*erased:/s);
  await using auditor = await demo.open('ada');
  await auditor.page.goto(`${demo.server.url}/staff/audit?operation=eraseCitizen`);
  assert.match(await mainText(auditor.page), /Erased ?Before: No ?After: Yes.*State ?Refused/s);
});

test('an operator disables a client', { skip }, async () => {
  await using operator = await demo.open('olu');
  const { page } = operator;
  await operator.openFromMenu('Clients');
  await page.getByRole('link', { name: 'Water Board' }).click();
  await page.getByRole('link', { name: 'Disable this client' }).click();
  await page.getByLabel('Reason').fill('The service has ended.');
  await operator.check();
  await page.getByRole('button', { name: 'Disable this client' }).click();
  assert.match(await mainText(page), /The client is disabled\./);
  await operator.check();
});

/** The text of the file that a link downloads. */
async function download(page: Page, link: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByText(link, { exact: true }).click()]);
  return await readFile(await file.path(), 'utf8');
}

test('an auditor filters the staff log by operation and person, and downloads it as a table and with proofs', {
  skip,
}, async () => {
  await waitUntilSigned(demo.server);
  await using seen = await demo.open('ada');
  const { page } = seen;
  await seen.openFromMenu('Staff log');
  assert.match(await mainText(page), /Olu Operator.*Disable a client.*The service has ended\./s);
  await seen.check();
  await page.getByLabel('Action').selectOption({ label: 'Pause a channel' });
  await page.getByLabel('Account of the person').fill('olu');
  await page.getByRole('button', { name: 'Show' }).click();
  assert.match(await mainText(page), /The mail server rejects all messages\./);
  assert.doesNotMatch(await mainText(page), /The service has ended\./);
  await seen.check();
  const table = await download(page, 'As a table (CSV)');
  assert.match(
    table,
    /^\uFEFF"Time".*\r\n".*","olu","Olu Operator","","Pause a channel","The mail server rejects all messages\.","",/,
  );
  const { items } = JSON.parse(await download(page, 'With proofs (JSON)'));
  assert.equal(items.length, 1);
  assert.match(items[0].events[0].proof, /^c2sp\.org\/tlog-proof@v1/);
  await page.goto(`${demo.server.url}/staff/audit?subject=somebody`);
  assert.match(await mainText(page), /No entries match your choice\./);
});

test('the pages of an operator and an auditor refuse other people', { skip }, async () => {
  await using other = await demo.open('sam');
  for (const path of ['/queues', '/clients', '/clients/propose', '/audit', '/audit/table']) {
    const response = await other.page.goto(`${demo.server.url}/staff${path}`);
    assert.deepEqual([response?.status(), await heading(other.page)], [403, 'You cannot do this'], path);
  }
});
