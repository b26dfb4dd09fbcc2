import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Configuration } from 'oidc-provider';
import { newClient } from '../../src/auth/client.ts';
import { insertClient } from '../../src/auth/client-store.ts';
import { systemClock, systemRandom } from '../../src/kernel/system-clock.ts';
import { type CookieBrowser, openCookieBrowser } from './cookie-browser.ts';
import { type OpenIdProvider, startOpenIdProvider } from './external-issuer.ts';
import { runCommandInProcess } from './run-command.ts';
import { makeServerFixture } from './server-process.ts';

const clientId = 'citizen-pages';

/** Starts an installation whose citizens sign in at a provider (oidc-provider), which gives refresh tokens only if `config` says so. */
export async function openSignInSite(
  t: TestContext,
  { engine = 'sqlite', config = {} }: { readonly engine?: 'sqlite' | 'postgres'; readonly config?: Configuration } = {},
) {
  const site = await makeServerFixture(t, { engine, settings: { CITIZEN_PAGES_NAME: 'City of Porto' } });
  const provider = await startOpenIdProvider(t, { clientId, home: site.url, config });
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

/** A provider that gives a new refresh token with each token, and ends the grant if one is used twice. */
export const withRefreshTokens: Configuration = {
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
};

/** Signs in with an access token that expires after these seconds. Later tokens are valid for five minutes. */
export async function signInBriefly(
  provider: OpenIdProvider,
  { url, seconds = 4 }: { readonly url: string; readonly seconds?: number },
): Promise<CookieBrowser> {
  const browser = openCookieBrowser(url);
  provider.tokenSeconds = seconds;
  await browser.follow('/me/sign-in');
  provider.tokenSeconds = 300;
  return browser;
}

/** Deletes the session of the provider, so that it cannot renew a session of the pages without the citizen. */
export function forgetAtProvider({ cookies }: CookieBrowser): void {
  for (const name of [...cookies.keys()].filter((one) => one.startsWith('_session'))) cookies.delete(name);
}
