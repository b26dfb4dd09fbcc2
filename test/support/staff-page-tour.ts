import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { createHttpClient, parseJsonBody, postJson } from './http-client.ts';
import { type PageTour, pagesFor, signIn, type TourPage } from './page-tour.ts';
import { type ServerFixture, waitUntilSigned } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

// The pages of staff of a demo, each in a state that a person of staff can meet. The server needs STAFF_BATCH_LIMIT=1.

/** Acts as a person of staff, with the requests that a browser sends. */
type Actor = {
  /** Sends a form, and returns the page to which it leads. */
  readonly send: (path: string, fields: Readonly<Record<string, string>>) => Promise<string>;
  readonly upload: (name: string, csv: string) => Promise<string>;
  readonly read: (path: string) => Promise<string>;
  readonly waitFor: (path: string, text: string) => Promise<void>;
};

const good = '"demo-mary","Waste","We collect it on Monday."';
const csvOf = (...rows: readonly string[]) => `citizenId,subject,message\r\n${rows.join('\r\n')}\r\n`;

/** Fills a demo that is running, and signs a person of each role in. */
export async function prepareStaffTour(server: ServerFixture, browser: Browser): Promise<PageTour> {
  const { url } = server;
  const { webhook, message } = await sendMessages(server);
  const people = await signInStaff(browser, url, { as: 'sam', prepare: lookPeopleUp });
  const batches = await signInStaff(browser, url, { as: 'chris', prepare: makeBatches });
  const operated = await signInStaff(browser, url, { as: 'olu', prepare: (actor) => operate(actor, server) });
  const { refused } = operated.prepared;
  const decided = await signInStaff(browser, url, {
    as: 'alex',
    prepare: ({ send }) => send(`${refused}/refuse`, { reason: 'Ask the service first.' }),
  });
  const audited = await signInStaff(browser, url, { as: 'ada', prepare: async () => '' });
  await waitUntilSigned(server);
  return {
    pages: [
      ...signInPages(url),
      ...supportPages(url, people.prepared),
      ...batchPages(url, batches.prepared),
      ...messagePages(url),
      ...readPages(url, message),
      ...servicePages(url, webhook),
      ...operatorPages(url, operated.prepared),
      ...decisionPages(url, operated.prepared, batches.prepared),
    ],
    cookiesOf: new Map([people, batches, operated, decided, audited].map(({ as, cookies }) => [as, cookies])),
  };
}

type Person<T> = { readonly as: string; readonly prepare: (actor: Actor) => Promise<T> };

/** Signs a person in, and returns their cookies with what `prepare` returned. */
async function signInStaff<T>(browser: Browser, url: string, { as, prepare }: Person<T>) {
  const prepared: T[] = [];
  const cookies = await signIn(browser, `${url}/staff`, {
    as,
    prepare: async (page) => {
      prepared.push(await prepare(actorOf(page, url)));
    },
  });
  const [result] = prepared;
  assert.ok(result !== undefined);
  return { as, cookies, prepared: result };
}

function actorOf({ request: client }: Page, url: string): Actor {
  const headers = { origin: url };
  const post = async (
    path: string,
    body: { form: Record<string, string> } | { multipart: Record<string, string | Csv> },
  ) => {
    const answer = await client.post(`${url}${path}`, { ...body, headers, maxRedirects: 0 });
    assert.equal(answer.status(), 303, `${path}: ${await answer.text()}`);
    return answer.headers()['location'] ?? '';
  };
  const read = async (path: string) => await (await client.get(`${url}${path}`)).text();
  return {
    send: (path, fields) => post(path, { form: fields }),
    upload: (name, csv) => {
      const file = { name: 'messages.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
      return post('/staff/batches/new', { multipart: { name, rows: 'good', file } });
    },
    read,
    waitFor: (path, text) => waitUntil(async () => (await read(path)).includes(text)),
  };
}
type Csv = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };

/** Messages that arrive, that fail, and that share a reference; and a webhook that does not respond. */
async function sendMessages(server: ServerFixture) {
  const token = await server.fetchAccessToken();
  const ask = createHttpClient(server.url);
  const create = async (path: string, body: object) => {
    const answer = await ask(postJson(token, path, body));
    assert.ok(answer.status < 300, String(answer.body));
    return String(parseJsonBody(answer)['id']);
  };
  const webhook = await create('/v1/webhooks', { url: 'http://127.0.0.1:1/calls' });
  const text = { subject: 'Parking permit', message: '# Your permit\n\nPlease read this.', category: 'decision' };
  const send = (body: object) => create('/v1/notifications/send', { ...text, ...body });
  const message = await send({ citizenId: 'demo-lukasz', reference: 'PP-118' });
  await send({ citizenId: 'demo-lukasz', reference: 'PP-119', channels: ['letter'] });
  await send({
    citizenId: 'demo-lukasz',
    reference: 'PP-120',
    sendAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  await send({ citizenId: 'demo-anh', reference: 'PP-121', channels: ['letter'] });
  await send({ citizenId: 'sim-perm-fail', reference: 'PP-122' });
  for (const citizenId of ['demo-mary', 'demo-haruka', 'demo-anh']) await send({ citizenId, reference: 'GW-2026' });
  const holds = await server.runCommand(
    'holds',
    'add',
    '--citizen',
    'demo-haruka',
    '--reason',
    'Court order 4 O 12/26',
  );
  assert.equal(holds.code, 0, holds.stderr);
  return { webhook: `/staff/service/webhooks/${webhook}`, message };
}

const reasoned = { reason: 'citizen-asked', case: 'CASE-4711' };

async function lookPeopleUp({ send, waitFor }: Actor) {
  const find = (fields: Readonly<Record<string, string>>) => send('/staff/person', { ...reasoned, ...fields });
  const person = `${await find({ message: 'PP-118' })}/1`;
  await waitFor(person, 'The letter came back');
  const locked = `${await find({ citizenId: 'demo-haruka' })}/1`;
  const [several, nobody] = [await find({ message: 'GW-2026' }), await find({ message: 'none' })];
  return { person, locked, several, nobody };
}

const longText = 'Please bring your permit.\n\n- It is valid for one year.\n- You can renew it.\n\n';

async function makeBatches({ send, upload, read, waitFor }: Actor) {
  const template = { name: 'Permit is ready', default: 'en', count: '2', step: 'save' };
  const texts = {
    'language-0': 'en',
    'subject-0': 'Your permit',
    'message-0': `Dear ((name)),\n\n# Your permit\n\n${longText}`,
    'language-1': 'ar',
    'subject-1': 'تصريحك',
    'message-1': 'مرحبا ((name))، التصريح جاهز.',
  };
  await send('/staff/templates/new', { ...template, ...texts });
  const start = (batch: string) => send(`${batch}/start`, { reason: 'The bins change.' });
  const wrong = ['"","Waste","We collect it."', '"nobody","Waste","We collect it."', '"demo-anh","Waste",""'];
  const done = await upload('Waste', csvOf(good, ...wrong));
  const ready = await upload('Waste, corrected', csvOf(good.replace('Monday', 'Tuesday'), ...wrong));
  const waiting = await upload('Streets', csvOf(good.replace('Waste', 'One'), good.replace('Waste', 'Two')));
  const refused = await upload('Names', 'name,text\r\nMary,Hello\r\n');
  for (const batch of [done, ready, waiting]) await waitFor(batch, 'Ready to send');
  await waitFor(refused, 'Nothing was sent');
  await start(done);
  await waitFor(done, 'Done');
  await start(waiting);
  const [proposal = ''] = /\/staff\/proposals\/\w+/.exec(await read(waiting)) ?? [];
  return { done, ready, waiting, refused, proposal };
}

/** Pauses a channel, disables a client, and makes proposals: one that waits, and one that is refused later. */
async function operate({ send, waitFor }: Actor, server: ServerFixture) {
  const arguments_ = ['Water Board', '--scopes', 'notifications:send', '--secret', '--json'];
  const { code, stdout, stderr } = await server.runCommand('clients', 'create', ...arguments_);
  assert.equal(code, 0, stderr);
  const disabled = `/staff/clients/${(JSON.parse(stdout) as { readonly clientId: string }).clientId}`;
  await waitFor('/staff', 'failed delivery');
  await send('/staff/queues/sms/pause', { reason: 'The provider rejects all messages.' });
  await send(`${disabled}/disable`, { reason: 'The service has ended.' });
  const propose = async (name: string) => {
    const rights = { scopes: 'notifications:send', purposes: 'water-bill', issuer: 'https://issuer.example' };
    const path = await send('/staff/clients/propose', { name, kind: 'live', ...rights, reason: 'It starts in May.' });
    return path.split('?')[0] ?? '';
  };
  return { disabled, waiting: await propose('Road Office'), refused: await propose('Bin Office') };
}

/** Makes the pages of a person. Fails for a page that shows a fault of the server or an exceeded limit. */
function staffPagesFor(url: string, visitor: string) {
  const { at } = pagesFor(url, visitor, 'staff');
  const goto = async (page: Page, path: string) => {
    let answer = await page.goto(`${url}${path}`);
    // After too many requests of the person, or under too much load, the server states when to try again.
    for (let again = 3; again > 0 && answer?.headers()['retry-after'] !== undefined; again -= 1) {
      await pause(1_000 * Number(answer.headers()['retry-after']));
      answer = await page.goto(`${url}${path}`);
    }
    assert.ok(answer !== null && answer.status() !== 429 && answer.status() < 500, `${path}: ${answer?.status()}`);
  };
  return {
    path: (path: string) => at(path, (page) => goto(page, path)),
    /** A page to which a form leads; `step` is the value of the button. */
    form: (name: string, path: string, fill: (page: Page) => Promise<unknown>, step?: string) =>
      at(name, async (page) => {
        await goto(page, path);
        await fill(page);
        const button = step === undefined ? 'button' : `button[value=${step}]`;
        await Promise.all([page.waitForEvent('load'), page.locator(`main form ${button}`).last().click()]);
      }),
    /** A page to which the first link in the list of another page leads. */
    first: (name: string, path: string, then?: (page: Page) => Promise<unknown>) =>
      at(name, async (page) => {
        await goto(page, path);
        await Promise.all([page.waitForEvent('load'), page.locator('main .list a').first().click()]);
        await then?.(page);
      }),
  };
}

const nothing = async () => undefined;

function signInPages(url: string): TourPage[] {
  const { at } = pagesFor(url, 'nobody', 'staff');
  return [
    at('the sign-in page of staff', (page) => page.goto(`${url}/staff`)),
    at('the session of staff has ended', async (page) => {
      await page.context().addCookies([{ name: 'staff-session', value: 'x'.repeat(43), url }]);
      await page.goto(`${url}/staff/queues`);
      await page.context().clearCookies();
    }),
    at('the sign-in of staff was stopped', (page) =>
      page.goto(`${url}/staff/sign-in/return?error=access_denied&state=none`),
    ),
    at('staff signed out', async (page) => {
      await page.goto(`${url}/staff`);
      const form = `Object.assign(document.createElement('form'), { method: 'post', action: '/staff/sign-out' })`;
      const send = `document.body.append(${form}); document.forms[0].submit()`;
      await Promise.all([page.waitForURL('**/staff/sign-out'), page.evaluate(send)]);
    }),
  ];
}

type People = Awaited<ReturnType<typeof lookPeopleUp>>;

function supportPages(url: string, { person, locked, several, nobody }: People): TourPage[] {
  const { path, form } = staffPagesFor(url, 'sam');
  /** The form of the first message for which a link leads to it. */
  const act = (name: string, link: string) =>
    form(name, person, async (page) => {
      await Promise.all([page.waitForEvent('load'), page.locator(`main a[href*="/${link}/"]`).first().click()]);
      await page.locator('#case').fill('');
    });
  return [
    ...['/staff', '/staff/person', person, several, nobody, '/staff/person/lku_none', '/staff/queues'].map(path),
    form('a look-up without a reason', '/staff/person', (page) => page.locator('#givenName').fill('Mary')),
    act('a letter without a case', 'letter'),
    act('a returned letter without a case', 'returned'),
    ...[locked, `${locked}/unlock/citizen`, `${person}?done=letter`].map(path),
    form('a proposal to unlock without a reason', `${locked}/unlock/citizen`, nothing),
  ];
}

type Batches = Awaited<ReturnType<typeof makeBatches>>;

/** The page of a batch whose upload goes on until the window closes. */
async function openUpload(page: Page, url: string): Promise<void> {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const headers = { cookie, origin: url, 'content-type': 'multipart/form-data; boundary=end' };
  const upload = request(`${url}/staff/batches/new`, { method: 'POST', headers }).on('error', () => undefined);
  page.once('close', () => upload.destroy());
  const batch = `Not complete, ${randomUUID()}`;
  const part = (name: string) => `--end\r\nContent-Disposition: form-data; name=${name}`;
  upload.write(`${part('name')}\r\n\r\n${batch}\r\n${part('file; filename=a.csv')}\r\n\r\n${csvOf(good)}`);
  const newest = page.locator('main .list a').first();
  await waitUntil(async () => {
    await page.goto(`${url}/staff/batches`);
    return (await newest.textContent()) === batch;
  });
  // Otherwise the page loads again by itself, also during a check.
  await page.goto(`${url}${await newest.getAttribute('href')}?refresh=off`);
}

function batchPages(url: string, { done, ready, waiting, refused, proposal }: Batches): TourPage[] {
  const { path, form } = staffPagesFor(url, 'chris');
  const own = '/staff/batches/new?templateId=own';
  return [
    ...[
      '/staff',
      '/staff/batches',
      '/staff/batches/new',
      done,
      ready,
      waiting,
      refused,
      proposal,
      `${ready}/cancel`,
    ].map(path),
    pagesFor(url, 'chris', 'staff').at('a batch whose upload is not complete', (page) => openUpload(page, url)),
    form('a batch with a template', '/staff/batches/new', (page) =>
      page.locator('#templateId').selectOption({ index: 1 }),
    ),
    path('/staff/batches/new?templateId=tpl_unknown'),
    form('a batch without a file', own, nothing),
    form('the start of a batch without a reason', `${ready}/start`, nothing),
  ];
}

function messagePages(url: string): TourPage[] {
  const { path, form, first } = staffPagesFor(url, 'chris');
  const link = (part: string) => async (page: Page) => {
    await Promise.all([page.waitForEvent('load'), page.locator(`main a[href*="${part}"]`).click()]);
  };
  const own = '/staff/send?template=own';
  return [
    ...['/staff/send', '/staff/send?done=ntf_01M7WKVMFEE008WANFAS9XRDZX', '/staff/templates?done=saved'].map(path),
    first('a template', '/staff/templates'),
    first('a message with a template', '/staff/templates', link('/send?')),
    first('a new version of a template', '/staff/templates', link('/new?')),
    first('a template to remove', '/staff/templates', link('/remove')),
    form('a message without a person', own, nothing),
    form('the preview of a message', own, async (page) => {
      await page.locator('#citizenId').fill('demo-mary');
      await page.locator('#subject').fill('Office hours');
      await page.locator('#text').fill(`# Office hours\n\n${longText}`);
    }),
    form('a template without a text', '/staff/templates/new', nothing, 'save'),
    form('a template in one more language', '/staff/templates/new', nothing, 'add'),
    form(
      'the preview of a template',
      '/staff/templates/new',
      (page) => page.locator('#message-0').fill(longText),
      'preview',
    ),
  ];
}

function readPages(url: string, message: string): TourPage[] {
  const { path, form } = staffPagesFor(url, 'chris');
  const read = (name: string, id: string) =>
    form(name, '/staff/read', async (page) => {
      await page.locator('#message').fill(id);
      await page.locator('#reason').selectOption(reasoned.reason);
      await page.locator('#case').fill(reasoned.case);
    });
  return [
    path(`/staff/read?message=${message}`),
    read('the text of a message', message),
    read('the text of an unknown message', 'ntf_01JD3Y9Z8Q6W2V5T4R7N0M1KXC'),
    form('the text of a message without a reason', '/staff/read', nothing),
  ];
}

function servicePages(url: string, webhook: string): TourPage[] {
  const { path } = staffPagesFor(url, 'chris');
  return ['/staff/service', webhook, `${webhook}?tested=unreachable`, `${webhook}/redeliver`].map(path);
}

type Operated = Awaited<ReturnType<typeof operate>>;

function operatorPages(url: string, { disabled, waiting }: Operated): TourPage[] {
  const { path, form, first } = staffPagesFor(url, 'olu');
  const clients = '/staff/clients';
  return [
    ...['/staff', '/staff/queues?done=pause', '/staff/queues/sms/resume', clients, disabled, waiting].map(path),
    form('an erasure without a person', '/staff/proposals/erasure', nothing),
    form('a pause without a reason', '/staff/queues/email/pause', nothing),
    form('a proposal of a client without fields', `${clients}/propose`, nothing),
    form('a proposal of a client that the server refuses', `${clients}/propose`, async (page) => {
      await page.locator('#name').fill('Water Board');
      await page.locator('[name=scopes]').first().check();
      await page.locator('#issuer').fill('https://issuer.example');
      await page.locator('#purposes').fill('x'.repeat(101));
      await page.locator('#reason').fill('It starts in May.');
    }),
    form('an approval of a person without the right', '/staff/queues/email/pause', (page) =>
      page.evaluate(`document.querySelector('main form').setAttribute('action', '${waiting}/approve')`),
    ),
    first('a client', clients),
    first('a client to disable', clients, async (page) => {
      await Promise.all([page.waitForEvent('load'), page.locator('main a[href$="/disable"]').click()]);
    }),
    first('other rights of a client', clients, async (page) => {
      await Promise.all([page.waitForEvent('load'), page.locator('main a[href$="/propose"]').click()]);
    }),
  ];
}

function decisionPages(url: string, { waiting, refused }: Operated, { proposal }: Batches): TourPage[] {
  const approver = staffPagesFor(url, 'alex');
  const auditor = staffPagesFor(url, 'ada');
  const decisions = [
    '/staff/proposals',
    ...[waiting, proposal].flatMap((one) => [one, `${one}/approve`]),
    `${waiting}/refuse`,
    `${refused}?done=refused`,
  ];
  return [
    ...['/staff', ...decisions].map(approver.path),
    ...['/staff/audit', '/staff/audit?from=31&subject=nobody', '/staff/proposals/none'].map(auditor.path),
  ];
}
