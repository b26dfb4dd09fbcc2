import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newClient } from '../../src/auth/client.ts';
import { insertClient } from '../../src/auth/client-store.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { type CookieBrowser, openCookieBrowser } from '../support/cookie-browser.ts';
import { engines } from '../support/database-engines.ts';
import { startOpenIdProvider } from '../support/external-issuer.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

// The pages of an installation whose citizens sign in at an external provider (oidc-provider).
const clientId = 'citizen-pages';

async function openSite(t: TestContext, engine: 'sqlite' | 'postgres') {
  const site = await makeServerFixture(t, { engine, settings: { CITIZEN_PAGES_NAME: 'City of Porto' } });
  const provider = await startOpenIdProvider(t, { clientId, home: site.url });
  const key = join(site.dataDir, 'sign-in-key.json');
  writeFileSync(key, JSON.stringify(provider.clientKey), { mode: 0o600 });
  Object.assign(site.environment, {
    TRUSTED_ISSUERS: provider.url,
    SIGN_IN_ISSUER: provider.url,
    SIGN_IN_CLIENT_ID: clientId,
    SIGN_IN_CLIENT_KEY: key,
  });
  assert.equal((await runCommandInProcess(site, 'keys', 'create')).code, 0);
  const credential = { by: 'issuer', issuer: provider.url } as const;
  const wanted = { name: 'Pages', kind: 'live', scopes: ['citizen:self', 'documents:read'], credential } as const;
  const made = newClient(wanted, systemClock, systemRandom);
  const db = await site.openDb();
  if ('client' in made) await db.write([insertClient({ ...made.client, clientId })]);
  await db.close();
  const server = await site.start('start');
  return { provider, site, server };
}

/** Number of requests for pages of the provider. */
const interactionsOf = ({ requests }: Awaited<ReturnType<typeof startOpenIdProvider>>) =>
  [...requests].reduce((sum, [path, times]) => sum + (path.startsWith('/interaction/') ? times : 0), 0);

const headingOf = ({ body }: { readonly body: Buffer }) => /<h1>(.*?)<\/h1>/.exec(body.toString('utf8'))?.[1];

for (const { name: engine } of engines) {
  test(`${engine}: a citizen signs in at a provider by a pushed request and private_key_jwt, and signs out of both`, async (t) => {
    const { provider, site } = await openSite(t, engine);
    const browser = openCookieBrowser(site.url);
    const page = await browser.follow('/me/sign-in?to=/me/uses');
    assert.deepEqual([page.status, page.url, headingOf(page)], [200, `${site.url}/me/uses`, 'Use of your data']);
    assert.match(page.body.toString('utf8'), /<title>Use of your data – City of Porto<\/title>/);
    assert.equal(provider.requests.get('/request'), 1);
    // For a request after the session has ended.
    const secret = browser.cookies.get('citizen-session') ?? assert.fail();
    const out = await browser.post('/me/sign-out');
    const leave = /<a href="([^"]+)">Also sign out/.exec(out.body.toString('utf8'))?.[1]?.replaceAll('&amp;', '&');
    assert.equal(new URL(leave ?? '').origin, provider.url);
    assert.equal((await browser.get(leave ?? '')).status, 200);
    browser.cookies.set('citizen-session', secret);
    assert.equal(headingOf(await browser.get('/me')), 'Your official messages and documents');
  });

  test(`${engine}: an expired session is renewed without a page of the provider while the provider knows the citizen`, async (t) => {
    const { provider, site } = await openSite(t, engine);
    /** A browser that just signed in, with a token that expires soon. */
    const signedIn = async () => {
      const browser = openCookieBrowser(site.url);
      provider.tokenSeconds = 4;
      await browser.follow('/me/sign-in');
      provider.tokenSeconds = 300;
      return browser;
    };
    const untilOver = async ({ cookies, get }: CookieBrowser, path: string) => {
      await waitUntil(async () => {
        cookies.delete('citizen-renewal');
        const { location } = (await get(path)).headers;
        return location !== undefined && new URL(location).origin === provider.url;
      });
      cookies.delete('citizen-renewal');
    };
    const browser = await signedIn();
    const [first, countPages] = [browser.cookies.get('citizen-session'), () => interactionsOf(provider)];
    const before = countPages();
    await untilOver(browser, '/me/uses');
    const page = await browser.follow('/me/uses');
    assert.deepEqual([page.status, page.url, headingOf(page)], [200, `${site.url}/me/uses`, 'Use of your data']);
    assert.notEqual(browser.cookies.get('citizen-session'), first);
    assert.equal(countPages(), before, 'the provider showed no page');

    // The provider has no session any more: the sign-in page is shown, and no second attempt is made.
    const forgotten = await signedIn();
    for (const name of [...forgotten.cookies.keys()].filter((one) => one.startsWith('_session')))
      forgotten.cookies.delete(name);
    await untilOver(forgotten, '/me/documents');
    const over = await forgotten.follow('/me/documents');
    assert.deepEqual([over.status, headingOf(over)], [403, 'Your official messages and documents']);
    assert.match(over.body.toString('utf8'), /href="[^"]+\/me\/sign-in\?to=%2Fme%2Fdocuments"/);
    assert.match(over.body.toString('utf8'), /You have been signed out, as some time has passed/);
    assert.equal(forgotten.cookies.get('citizen-session'), undefined);
  });
}

test('a citizen is not signed in after a cancellation or an ID token without a citizen id', async (t) => {
  const { provider, site, server } = await openSite(t, 'sqlite');
  provider.claimsOf = () => ({});
  const unnamed = await openCookieBrowser(site.url).follow('/me/sign-in');
  assert.deepEqual([unnamed.status, headingOf(unnamed)], [403, 'We cannot tell who you are']);
  provider.person = undefined;
  const browser = openCookieBrowser(site.url);
  const brokenOff = await browser.follow('/me/sign-in');
  assert.deepEqual([brokenOff.status, headingOf(brokenOff)], [403, 'You are not signed in']);
  assert.equal(browser.cookies.get('citizen-session'), undefined);
  await server.stop('SIGTERM');
  assert.doesNotMatch(server.stdout() + server.stderr(), /"level":"error"|demo-mary/);
});

test('a token for another interface is refused, and the log names the expected audience', async (t) => {
  const { provider, site, server } = await openSite(t, 'sqlite');
  provider.audience = 'https://elsewhere.example';
  const page = await openCookieBrowser(site.url).follow('/me/sign-in');
  assert.deepEqual([page.status, headingOf(page)], [503, 'This is not possible right now']);
  await server.stop('SIGTERM');
  assert.match(server.stdout() + server.stderr(), /audience PUBLIC_URL\/v1/);
});
