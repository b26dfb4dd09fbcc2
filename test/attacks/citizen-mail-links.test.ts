import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import { before, test } from 'node:test';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { openCookieBrowser, signInAtDemo } from '../support/cookie-browser.ts';
import {
  bearerHeaders,
  bodyText,
  createHttpClient,
  type HttpResponse,
  parseJsonBody,
  postJson,
} from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// Programs open the links of a mail before its reader: scanners of mail servers, previews of mail programs, and the prefetch of
// browsers. None of them confirms a receipt, opens a message, starts a period or signs in anybody.
let home: ServerFixture;
let token = '';
let ask: ReturnType<typeof createHttpClient>;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start('demo');
  token = await home.fetchAccessToken();
  ask = createHttpClient(home.url);
});

const headingOf = (answer: HttpResponse) => /<h1[^>]*>(.*?)<\/h1>/.exec(bodyText(answer))?.[1];

/** Sends a message whose period runs from its opening or confirmation, and returns its id and the paths of all links of its mail. */
async function sendMail(subject: string): Promise<{ readonly id: string; readonly paths: readonly string[] }> {
  const body = { citizenId: 'demo-mary', subject, message: 'Come on **Monday**.', legalEffect: 'opened-or-confirmed' };
  const sent = await ask(postJson(token, '/v1/notifications/send', { ...body, channels: ['email'] }));
  assert.equal(sent.status, 202, bodyText(sent));
  let mail = '';
  await waitUntil(async () => {
    const articles = bodyText(await ask({ path: '/outbox' })).split('<article>');
    const article = articles.find((one) => one.includes(`<bdi>${subject}</bdi>`)) ?? '';
    const html = /src="(\/outbox\/mails\/[^"]+)"/.exec(article)?.[1];
    mail = html === undefined ? '' : article + bodyText(await ask({ path: html }));
    return mail !== '';
  });
  const links = [...mail.matchAll(/https?:\/\/[^\s"<>]+/g)].map(([link]) => new URL(link));
  const paths = [...new Set(links.filter(({ origin }) => origin === home.url).map(({ pathname }) => pathname))];
  const id = String(parseJsonBody(sent)['id']);
  // The link to the message and the link of the confirmation.
  assert.deepEqual(paths.map((path) => path.split('/')[1]).sort(), ['me', 'received'], mail);
  return { id, paths };
}

/** The status of a message, its legal effect, and what happened to it, as its signed evidence states it. */
async function stateOf(
  id: string,
): Promise<{ readonly status: unknown; readonly effect: unknown; readonly events: string[] }> {
  const headers = bearerHeaders(token);
  const { status } = parseJsonBody(await ask({ path: `/v1/notifications/${id}`, headers }));
  const { claims } = verifyEvidence(bodyText(await ask({ path: `/v1/notifications/${id}/evidence`, headers })));
  const events = JSON.stringify(claims['evidence']).match(/(?<=Event\/)\w+/g) ?? [];
  return { status, effect: claims['legalEffect'], events: [...events] };
}

/** The state of a message that is in the inbox, whose mail has arrived, and that was neither opened nor confirmed. */
const untouched = {
  status: 'delivered',
  effect: { rule: 'opened-or-confirmed', basis: 'not yet' },
  events: ['SubmissionAcceptance', 'ContentConsignment', 'RelayToNonERDS'],
};

/** The headers of scanners, previews and prefetching browsers. */
const openings: readonly OutgoingHttpHeaders[] = [
  {},
  { 'user-agent': 'Mozilla/5.0 (compatible; Microsoft Office/16.0; Microsoft Outlook 16.0)', accept: 'text/html' },
  { 'sec-purpose': 'prefetch;prerender', 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
  { purpose: 'prefetch' },
  { 'x-purpose': 'preview' },
  { 'x-moz': 'prefetch' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
];

const linksOn = (page: HttpResponse) =>
  [...bodyText(page).matchAll(/href="([^"#]+)"/g)].map(([, href = '']) => new URL(href, home.url));

test('programs that open every link of a mail confirm no receipt, open no message, start no period and sign in nobody', async () => {
  const { id, paths } = await sendMail('Scanned');
  await waitUntil(async () => (await stateOf(id)).status === 'delivered');
  const jobs = [1, 2].flatMap(() => paths.flatMap((path) => openings.map((headers) => ({ path, headers }))));
  await Promise.all(
    jobs.map(async ({ path, headers }) => {
      const scanner = openCookieBrowser(home.url);
      const page = await scanner.follow(path, headers);
      await ask({ method: 'HEAD', path, headers });
      assert.doesNotMatch(bodyText(page), /Scanned|Sign out/, path);
      assert.equal(scanner.cookies.has('citizen-session'), false, path);
    }),
  );
  // Some scanners also open the links of the pages that they find.
  for (const path of paths) {
    const scanner = openCookieBrowser(home.url);
    for (const { href, origin } of linksOn(await scanner.get(path))) {
      if (origin === home.url) await scanner.follow(href);
    }
    assert.equal(scanner.cookies.has('citizen-session'), false, path);
  }
  assert.deepEqual(await stateOf(id), untouched);

  const confirmation = paths.find((path) => path.startsWith('/received/')) ?? assert.fail();
  assert.equal((await ask({ method: 'POST', path: confirmation })).status, 303);
  const confirmed = await stateOf(id);
  assert.match(JSON.stringify(confirmed.effect), /"basis":"confirmed by the link in the message"/);
  assert.equal(confirmed.events.at(-1), 'NotificationAccessTracking');
});

test('a prefetch or a HEAD request with the session of a citizen opens neither a message nor its download', async () => {
  const { id } = await sendMail('Prefetched');
  const mary = openCookieBrowser(home.url);
  await signInAtDemo(mary, 'demo-mary');
  const cookie = [...mary.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  await waitUntil(async () => (await stateOf(id)).status === 'delivered');
  const path = `/me/messages/${id}`;
  for (const target of [path, `${path}/download`]) {
    for (const headers of openings.filter((one) => /prefetch|preview/.test(JSON.stringify(one))))
      assert.equal((await mary.get(target, headers)).status, 503, `${target} ${JSON.stringify(headers)}`);
    assert.equal((await ask({ method: 'HEAD', path: target, headers: { cookie } })).status, 405);
  }
  assert.deepEqual(await stateOf(id), untouched);
  assert.equal(headingOf(await mary.get(path)), 'Prefetched');
  assert.equal((await stateOf(id)).status, 'read');
});
