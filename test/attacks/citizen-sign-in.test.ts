import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type CookieBrowser, openCookieBrowser } from '../support/cookie-browser.ts';
import { makeServerFixture } from '../support/server-process.ts';
import { openSignInSite } from '../support/sign-in-site.ts';

// An attacker has the code of a sign-in: of their own, to sign in a victim as themselves (login CSRF), or a stolen one.

/** The start of a sign-in: returns the callback with the code, which the browser has not loaded yet. */
type StartSignIn = (browser: CookieBrowser, citizenId: string) => Promise<URL>;
type SignInSite = { readonly url: string; readonly start: StartSignIn };

/** Follows redirects to the callback, and does not load it. */
async function findCallback(browser: CookieBrowser, site: string, first: string): Promise<URL> {
  let at = new URL(first, site);
  for (let left = 10; left > 0 && at.pathname !== '/me/sign-in/return'; left -= 1) {
    const { location } = (await browser.get(at.href)).headers;
    at = new URL(location ?? assert.fail(at.href), at);
  }
  return at;
}

const sites: Readonly<Record<string, (t: TestContext) => Promise<SignInSite>>> = {
  demo: async (t) => {
    const { url, start } = await makeServerFixture(t);
    await start('demo');
    return {
      url,
      start: async (browser, citizenId) => {
        const choice = await browser.follow('/me/sign-in');
        return await findCallback(browser, url, `${choice.url}&as=${citizenId}`);
      },
    };
  },
  'external provider': async (t) => {
    const { provider, site } = await openSignInSite(t);
    return {
      url: site.url,
      start: async (browser, citizenId) => {
        provider.person = citizenId;
        return await findCallback(browser, site.url, '/me/sign-in');
      },
    };
  },
};

for (const [name, openSite] of Object.entries(sites)) {
  test(`${name}: the code of another browser signs in nobody, although the state belongs to this browser`, async (t) => {
    const { url, start } = await openSite(t);
    const [mallory, victim] = [openCookieBrowser(url), openCookieBrowser(url)];
    for (const [browser, own, other] of [
      [victim, 'demo-mary', 'demo-anh'],
      [mallory, 'demo-anh', 'demo-mary'],
    ] as const) {
      const callback = await start(browser, own);
      const code = (await start(openCookieBrowser(url), other)).searchParams.get('code') ?? assert.fail();
      const genuine = callback.href;
      callback.searchParams.set('code', code);
      const answer = await browser.get(callback.href);
      assert.ok([403, 503].includes(answer.status), String(answer.status));
      assert.equal(browser.cookies.has('citizen-session'), false);
      // The sign-in of this browser still succeeds.
      assert.equal((await browser.get(genuine)).status, 303);
      assert.equal((await browser.get('/me/documents')).status, 200);
    }
  });
}
