import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { bearerHeaders, createHttpClient, fetchOnce, postJson } from './http-client.ts';
import type { ClientSecretCredentials, ServerFixture } from './server-process.ts';
import { waitUntil } from './wait-until.ts';
import { prepareWalletPages } from './wallet-page-tour.ts';

// The pages of citizens and developers of a demo, except the API reference, each in a state that a citizen can meet. Tests look at them
// one by one. staff-page-tour.ts has the pages of staff.

/**
 * One page. `open` leaves the browser at it. `visitor`: `nobody` is not signed in; `demo-layla` has messages and documents; `demo-haruka`
 * has neither, and has locked her record; others are people of staff. Pages for developers are in English.
 */
export type TourPage = {
  readonly name: string;
  readonly visitor: string;
  readonly readers: 'citizens' | 'developers' | 'staff';
  readonly open: (page: Page) => Promise<unknown>;
};

/** The cookies of a signed-in visitor. */
type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

/** The pages, and the cookies of each visitor. */
export type PageTour = {
  readonly pages: readonly TourPage[];
  readonly cookiesOf: Map<string, StorageState>;
};

const longWord = `https://permits.example/${'renewal-'.repeat(30)}`;

const messages = [
  { subject: 'x'.repeat(120), message: `# Renewal\n\nRenew it at ${longWord}\n\n1. by Friday\n2. **in person**` },
  { message: 'صدر تصريح الوقوف رقم 2026/119 في 20 November 2026.', language: 'ar' },
  { subject: 'Storm warning', message: 'Please stay at home.', category: 'urgent', legalEffect: 'opened-or-confirmed' },
  { subject: 'Archived message', message: 'We collect it on Monday.' },
  { subject: 'Garden waste', message: 'We collect it on Monday.', reference: 'GW-2026-7', category: 'reminder' },
] as const;

const decision = {
  subject: 'Decision about your permit',
  message: '# Decision\n\nSee [the office](https://porto.example/o).\n\n- You pay € 41.20.\n- You can object.',
  category: 'decision',
  respondBy: '2027-03-01',
  reference: 'PP-2026-118',
  legalEffect: 'opened-or-confirmed',
} as const;

/** Fills a demo that is running, and signs the visitors in. */
export async function prepareTour(server: ServerFixture, browser: Browser): Promise<PageTour> {
  const { url } = server;
  const [ask, token] = [createHttpClient(url), await officeToken(server)];
  const documents = [];
  for (const title of ['إشعار 2026/7 '.repeat(9), 'Withdrawn notice']) {
    const headers = { 'content-type': 'text/plain', 'citizen-id': 'demo-layla' };
    const titled = bearerHeaders(token, { ...headers, 'document-title': encodeURIComponent(title) });
    const stored = await ask({ method: 'POST', path: '/v1/documents', headers: titled, body: 'Nothing is owed.' });
    assert.equal(stored.status, 201, String(stored.body));
    documents.push((JSON.parse(String(stored.body)) as { readonly id: string }).id);
  }
  const [attachment = '', withdrawn = ''] = documents;
  const gone = await ask({ method: 'DELETE', path: `/v1/documents/${withdrawn}`, headers: bearerHeaders(token) });
  assert.ok(gone.status < 300, String(gone.body));
  for (const message of [...messages, { ...decision, attachments: [attachment] }]) {
    const sent = await ask(postJson(token, '/v1/notifications/send', { citizenId: 'demo-layla', ...message }));
    assert.equal(sent.status, 202, String(sent.body));
  }
  const claims = { citizenId: 'demo-layla', givenName: 'Nobody', familyName: 'Nowhere', birthDate: '1901-01-01' };
  assert.equal((await ask(postJson(token, '/v1/identity/verify', { ...claims, purpose: 'permit' }))).status, 200);
  const cookiesOf = new Map([
    [
      'demo-layla',
      await signIn(browser, `${url}/me`, { as: 'demo-layla', prepare: (page) => useEverything(page, url) }),
    ],
    [
      'demo-haruka',
      await signIn(browser, `${url}/me`, { as: 'demo-haruka', prepare: (page) => lockDetails(page, url) }),
    ],
  ]);
  const links = { legal: await receiptLink(url, 'Storm warning'), plain: await receiptLink(url, 'Garden waste') };
  return {
    pages: [
      ...visitorPages(url, links),
      ...messagePages(url, withdrawn),
      ...usesAndRecordPages(url),
      ...contactPages(url),
      ...emptyPages(url),
      ...developerPages(url),
      ...(await prepareWalletPages(url, token)),
    ],
    cookiesOf,
  };
}

/** A token of a service with contact lines, which its messages show. */
async function officeToken(server: ServerFixture): Promise<string> {
  const scopes = ['notifications:send', 'documents:write', 'identity:verify', 'identity:present'];
  const contact = ['--contact-phone', '+44 20 7946 0000', '--contact-email', 'permits@porto.example'];
  const arguments_ = ['Permit Office', '--scopes', scopes.join(','), '--secret', '--json', ...contact];
  const { code, stdout, stderr } = await server.runCommand('clients', 'create', ...arguments_);
  assert.equal(code, 0, stderr);
  return await server.fetchAccessToken(scopes, JSON.parse(stdout) as ClientSecretCredentials);
}

type SignIn = { readonly as: string; readonly prepare: (page: Page) => Promise<void> };

/** Signs in at the first page of citizens or of staff, lets the visitor do something, and returns the cookies. */
export async function signIn(browser: Browser, home: string, { as, prepare }: SignIn): Promise<StorageState> {
  const context = await browser.newContext({ locale: 'en' });
  try {
    const page = await context.newPage();
    await page.goto(`${home}/sign-in?to=${new URL(home).pathname}`);
    await page.locator(`a[href$="as=${as}"]`).click();
    await page.waitForURL(home);
    await prepare(page);
    return await context.storageState();
  } finally {
    await context.close();
  }
}

/** Presses the button of the form in the main part, which leads to a new page. */
async function submit(page: Page, form = 'main form'): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.locator(`${form} button`).first().click()]);
}

/** Archives a message, confirms an email address, and leaves a code for a phone number unused. */
async function useEverything(page: Page, url: string): Promise<void> {
  await page.getByText('Archived message').click();
  await page.waitForURL('**/me/messages/*');
  await submit(page, '.actions form');
  await page.goto(`${url}/me/contact/email`);
  await page.locator('#address').fill('layla@new.example');
  await submit(page);
  await page.locator('#code').fill(await contactCode(url));
  await submit(page);
  await page.waitForURL('**/me/contact?done=confirmed-email');
  await page.goto(`${url}/me/contact/phone`);
  await page.locator('#address').fill('+46701740608');
  await submit(page);
  await page.waitForURL('**/me/contact?done=code-sent');
}

async function lockDetails(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/me/record/lock`);
  await submit(page);
  await page.waitForURL('**/me/record?done=locked');
}

const readOutbox = async (url: string) => await (await fetchOnce(`${url}/outbox`)).text();

/** The first match in the outbox when it is there. */
async function findInOutbox(url: string, pattern: RegExp): Promise<string> {
  let found: string | undefined;
  await waitUntil(async () => {
    found = pattern.exec(await readOutbox(url))?.[1];
    return found !== undefined;
  });
  return found ?? '';
}

/** The HTML of the newest mail in the outbox. */
export async function readNewestMail(url: string): Promise<string> {
  return await (await fetchOnce(`${url}${await findInOutbox(url, /src="(\/outbox\/mails\/[^"]+)"/)}`)).text();
}

/** The mail with the code is in the language of the citizen. */
const contactCode = (url: string) => findInOutbox(url, /layla@new\.example(?:(?!<\/article>)[\s\S])*?\b(\d{6})\b/);

/** The path of the confirmation link in the mail with this subject. */
const receiptLink = (url: string, subject: string) =>
  findInOutbox(url, new RegExp(`<h2><bdi>${subject}</bdi>(?:(?!</article>)[\\s\\S])*?(/received/[\\w.-]+)`));

type ReceiptLinks = { readonly legal: string; readonly plain: string };

/** Makes the pages of a visitor from their paths, or from what the visitor does. */
export function pagesFor(url: string, visitor: string, readers: TourPage['readers'] = 'citizens') {
  const at = (name: string, open: TourPage['open']): TourPage => ({ name, visitor, readers, open });
  return { at, path: (path: string) => at(path, (page) => page.goto(`${url}${path}`)) };
}

function developerPages(url: string): TourPage[] {
  const { path } = pagesFor(url, 'nobody', 'developers');
  const guides = ['/docs/guide', '/docs/guide/verify'];
  const problems = [
    '/problems',
    '/problems/not-found',
    '/problems/presentation',
    '/problems/presentation/other-session',
  ];
  return ['/me/sign-in', ...guides, ...problems, '/outbox', '/demo/statements', '/none'].map(path);
}

function visitorPages(url: string, { legal, plain }: ReceiptLinks): TourPage[] {
  const { at, path } = pagesFor(url, 'nobody');
  return [
    ...['/', '/me', '/me/documents', '/me/nothing', '/received/none'].map(path),
    at('the session has ended', async (page) => {
      await page.context().addCookies([{ name: 'citizen-session', value: 'x'.repeat(43), url }]);
      await page.goto(`${url}/me/uses`);
      await page.context().clearCookies();
    }),
    at('the sign-in was stopped', (page) => page.goto(`${url}/me/sign-in/return?error=access_denied&state=none`)),
    at('signed in as nobody', async (page) => {
      await page.goto(`${url}/me/sign-in`);
      await Promise.all([page.waitForURL(`${url}/me**`), page.locator('main a').last().click()]);
    }),
    at('signed out', async (page) => {
      await page.goto(`${url}/me`);
      const form = `Object.assign(document.createElement('form'), { method: 'post', action: '/me/sign-out' })`;
      const send = `document.body.append(${form}); document.forms[0].submit()`;
      await Promise.all([page.waitForURL('**/me/sign-out'), page.evaluate(send)]);
    }),
    at('confirmation with a legal effect', (page) => page.goto(`${url}${legal}`)),
    at('confirmation', (page) => page.goto(`${url}${plain}`)),
    at('confirmed', async (page) => {
      await page.goto(`${url}${plain}`);
      if ((await page.locator('main form').count()) > 0) await submit(page);
    }),
  ];
}

function messagePages(url: string, withdrawn: string): TourPage[] {
  const { at, path } = pagesFor(url, 'demo-layla');
  const message = (subject: string, list = '/me') =>
    at(subject, async (page) => {
      await page.goto(`${url}${list}`);
      await page.locator('.list a', { hasText: subject }).click();
      await page.waitForURL('**/me/messages/*');
    });
  const search = (text: string) =>
    at(`search for ${text}`, async (page) => {
      await page.goto(`${url}/me`);
      await page.locator('main summary').click();
      await page.locator('#text').fill(text);
      await submit(page);
    });
  const filters = ['?where=archive', '?category=urgent', '?category=decision&state=read', '?done=archived'];
  return [
    ...['', ...filters].map((filter) => path(`/me${filter}`)),
    search('waste'),
    search('nothing'),
    message('x'.repeat(120)),
    message(decision.subject),
    message('Archived message', '/me?where=archive'),
    message('Permit Office'),
    at('the menu is open', async (page) => {
      await page.goto(`${url}/me`);
      await page.evaluate(`document.querySelector('header details').open = true`);
    }),
    ...['/me/documents', `/me/documents/${withdrawn}`, '/me/nothing'].map(path),
  ];
}

function usesAndRecordPages(url: string): TourPage[] {
  const { at, path } = pagesFor(url, 'demo-layla');
  const filters = ['?from=2020-01-01&to=2020-01-02', '?from=31&organisation=none'];
  return [
    ...['', ...filters].map((filter) => path(`/me/uses${filter}`)),
    at('the own actions of a citizen', async (page) => {
      await page.goto(`${url}/me/uses`);
      await page.locator('.own-actions > details > summary').click();
    }),
    ...['/me/record', '/me/record/lock', '/me/stay'].map(path),
  ];
}

function contactPages(url: string): TourPage[] {
  const { at, path } = pagesFor(url, 'demo-layla');
  const forms = ['channels', 'hours', 'language', 'print-size', 'email', 'email/remove', 'phone', 'phone/code'];
  const sent = (name: string, form: string, fill: (page: Page) => Promise<unknown>) =>
    at(name, async (page) => {
      await page.goto(`${url}/me/contact/${form}`);
      await fill(page);
      await submit(page);
    });
  const choose = async (page: Page, selector: string, value: string) =>
    await page.locator(selector).selectOption(value);
  return [
    ...['', '?done=confirmed-email', '?done=code-sent', ...forms.map((form) => `/${form}`)].map((form) =>
      path(`/me/contact${form}`),
    ),
    sent('two channels in one place', 'channels', async (page) => {
      await choose(page, '#email', '1');
      await choose(page, '#sms', '1');
    }),
    sent('a channel is turned off', 'channels', (page) => choose(page, '#sms', 'never')),
    sent('hours that are equal', 'hours', async (page) => {
      await page.locator('#hours-email').check();
      await choose(page, '#from', '7');
      await choose(page, '#until', '7');
    }),
    sent('an email address without @', 'email', (page) => page.locator('#address').fill('layla at home')),
    sent('an empty code', 'phone/code', (page) => page.locator('#code').fill('')),
    at('the session ends soon', async (page) => {
      await page.goto(`${url}/me/contact/email`);
      await page.evaluate(`document.getAnimations().forEach((one) => one.finish())`);
    }),
  ];
}

/** The pages of the citizen with neither messages nor documents, whose record is locked. */
function emptyPages(url: string): TourPage[] {
  const { at } = pagesFor(url, 'demo-haruka');
  const lists = ['/me', '/me?where=archive', '/me/documents', '/me/uses'];
  return [...lists, '/me/record?done=locked', '/me/record/unlock'].map((path) =>
    at(`${path} of a citizen without messages`, (page) => page.goto(`${url}${path}`)),
  );
}
