import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { type PageTour, pagesFor, signIn, type TourPage } from './page-tour.ts';
import type { ServerFixture } from './server-process.ts';

// The pages of staff that a person meets who sent a form after the session had ended.

const pausePath = '/staff/queues/email/pause';
const typed = { reason: 'The mail server rejects all messages.' };
/** Too long for a cookie, also after compression. */
const tooLongText = randomBytes(3_000).toString('hex');

/** Starts the demo, in which two people sent a form after their sessions had ended. One of them has signed in again. */
export async function startWithLateForms(server: ServerFixture, browser: Browser): Promise<PageTour> {
  const { url } = server;
  const home = `${url}/staff`;
  const earlier = await server.start('demo');
  const signInAs = (as: string) => signIn(browser, home, { as, prepare: async () => undefined });
  const [late, early] = [await signInAs('chris'), await signInAs('olu')];
  await earlier.stop('SIGTERM');
  await endSessions(server);
  await server.start('demo');
  const context = await browser.newContext({ locale: 'en', storageState: early });
  const page = await context.newPage();
  const answer = await page.request.post(`${url}${pausePath}`, { form: typed, headers: { origin: url } });
  assert.match(await answer.text(), /We kept what you typed/);
  await page.goto(`${home}/sign-in?to=${pausePath}`);
  await page.locator('a[href$="as=olu"]').click();
  await page.waitForURL(`${url}${pausePath}`);
  const cookiesOf = new Map([
    ['late', late],
    ['late olu', await context.storageState()],
  ]);
  await context.close();
  return { pages: latePages(url), cookiesOf };
}

async function endSessions(server: ServerFixture): Promise<void> {
  const db = await server.openDb();
  const sql = "update oauth_record set expires_at = $1 where model = 'StaffSession'";
  await db.write([{ sql, args: [Date.now() - 1] }]);
  await db.close();
}

function latePages(url: string): TourPage[] {
  const late = pagesFor(url, 'late', 'staff');
  const sendLate = (name: string, path: string, fields: Readonly<Record<string, string>>) =>
    late.at(name, async (page) => {
      await page.goto(`${url}/staff`);
      await sendForm(page, path, fields);
    });
  return [
    sendLate('a form of an ended session is too long to keep', '/staff/send', { text: tooLongText }),
    sendLate('a form of an ended session is kept', pausePath, typed),
    pagesFor(url, 'late olu', 'staff').path(pausePath),
  ];
}

/** Sends a form whose page the browser no longer shows, as that page would. */
async function sendForm(page: Page, path: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `Object.assign(document.createElement('input'), ${JSON.stringify({ name, value })})`,
  );
  const form = `Object.assign(document.createElement('form'), ${JSON.stringify({ method: 'post', action: path })})`;
  const send = `(() => { const form = ${form}; form.append(${inputs.join(', ')}); document.body.append(form); form.submit(); })()`;
  await Promise.all([page.waitForURL(`**${path}`), page.evaluate(send)]);
  await page.waitForLoadState('load');
}
