import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCookieBrowser } from '../support/cookie-browser.ts';
import { engines } from '../support/database-engines.ts';
import type { OpenIdProvider } from '../support/external-issuer.ts';
import { forgetAtProvider, openSignInSite, signInBriefly, withRefreshTokens } from '../support/sign-in-site.ts';
import { waitUntil } from '../support/wait-until.ts';

// The pages of an installation whose citizens sign in at an external provider (oidc-provider).
/** Number of requests for pages of the provider. */
const interactionsOf = ({ requests }: OpenIdProvider) =>
  [...requests].reduce((sum, [path, times]) => sum + (path.startsWith('/interaction/') ? times : 0), 0);

const headingOf = ({ body }: { readonly body: Buffer }) => /<h1[^>]*>(.*?)<\/h1>/.exec(body.toString('utf8'))?.[1];

for (const { name: engine } of engines) {
  test(`${engine}: a citizen signs in at a provider by a pushed request and private_key_jwt, and signs out of both`, async (t) => {
    const { provider, site } = await openSignInSite(t, { engine });
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

  test(`${engine}: without refresh tokens a session is renewed without a page of the provider while the provider knows the citizen`, async (t) => {
    const { provider, site } = await openSignInSite(t, { engine });
    const browser = await signInBriefly(provider, site);
    const [first, countPages] = [browser.cookies.get('citizen-session'), () => interactionsOf(provider)];
    const before = countPages();
    await waitUntil(async () => {
      browser.cookies.delete('citizen-renewal');
      const { location } = (await browser.get('/me/uses')).headers;
      return location !== undefined && new URL(location).origin === provider.url;
    });
    browser.cookies.delete('citizen-renewal');
    const page = await browser.follow('/me/uses');
    assert.deepEqual([page.status, page.url, headingOf(page)], [200, `${site.url}/me/uses`, 'Use of your data']);
    assert.notEqual(browser.cookies.get('citizen-session'), first);
    assert.equal(countPages(), before, 'the provider showed no page');

    // The provider has no session any more: the pages go on until the token expires, and then the sign-in page is shown.
    const forgotten = await signInBriefly(provider, site);
    forgetAtProvider(forgotten);
    let over = await forgotten.follow('/me/documents');
    await waitUntil(async () => {
      assert.deepEqual([over.status, headingOf(over)], [200, 'Documents']);
      forgotten.cookies.delete('citizen-renewal');
      over = await forgotten.follow('/me/documents');
      return over.status !== 200;
    });
    assert.deepEqual([over.status, headingOf(over)], [403, 'Your official messages and documents']);
    assert.match(over.body.toString('utf8'), /href="[^"]+\/me\/sign-in\?to=%2Fme%2Fdocuments"/);
    assert.match(over.body.toString('utf8'), /You were signed out because some time had passed/);
    forgotten.cookies.delete('citizen-renewal');
    await forgotten.follow('/me/documents');
    assert.equal(forgotten.cookies.get('citizen-session'), undefined);
  });

  test(`${engine}: with refresh tokens a session outlives its tokens without a redirect, and the sign-out revokes them`, async (t) => {
    const { provider, site, server } = await openSignInSite(t, { engine, config: withRefreshTokens });
    const browser = await signInBriefly(provider, site);
    provider.tokenSeconds = 4;
    const session = browser.cookies.get('citizen-session') ?? assert.fail();
    const uses = async () => (await browser.get('/me/uses/table.csv')).body.toString('utf8');
    await waitUntil(async () => (await uses()).includes('Looked at this list'));
    const tokensBefore = provider.requests.get('/token') ?? 0;
    // The provider ends the grant if one refresh token is used twice, so concurrent requests must use it once.
    await waitUntil(async () => {
      const pages = await Promise.all(Array.from({ length: 5 }, () => browser.get('/me/documents')));
      // The limit of requests of a citizen refuses some (503). None leads to a sign-in.
      for (const { status } of pages) assert.ok(status === 200 || status === 503, String(status));
      return (provider.requests.get('/token') ?? 0) >= tokensBefore + 4;
    });
    provider.tokenSeconds = 300;
    await waitUntil(async () => headingOf(await browser.get('/me/documents')) === 'Documents');
    assert.deepEqual([browser.cookies.get('citizen-session'), provider.requests.get('/auth')], [session, 1]);
    // Tokens of this provider have no `sid`. The looks with the first and the last token are still those of one session.
    await waitUntil(async () => (await uses()).includes('Looked at this list'));
    const countOf = async (text: string) => (await uses()).split(text).length - 1;
    await waitUntil(async () => (await browser.get('/me')).status === 200);
    await waitUntil(async () => (await countOf('Looked at the list of your messages')) > 1);
    assert.equal(await countOf('Looked at this list'), 1);
    await browser.post('/me/sign-out');
    assert.equal(provider.requests.get('/token/revocation'), 1);
    browser.cookies.set('citizen-session', session);
    assert.equal(headingOf(await browser.get('/me')), 'Your official messages and documents');
    await server.stop('SIGTERM');
    const db = await site.openDb();
    t.after(() => db.close());
    assert.deepEqual(await db.read("select id from oauth_record where model = 'CitizenSession'"), []);
  });
}

test('a citizen is not signed in after a cancellation or an ID token without a citizen id', async (t) => {
  const { provider, site, server } = await openSignInSite(t);
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
  const { provider, site, server } = await openSignInSite(t);
  provider.audience = 'https://elsewhere.example';
  const page = await openCookieBrowser(site.url).follow('/me/sign-in');
  assert.deepEqual([page.status, headingOf(page)], [503, 'This is not possible right now']);
  await server.stop('SIGTERM');
  assert.match(server.stdout() + server.stderr(), /audience PUBLIC_URL\/v1/);
});
