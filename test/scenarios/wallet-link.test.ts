import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAuthContext, withApp } from '../../src/app/app-context.ts';
import { readSettings } from '../../src/config/settings.ts';
import { createIdentity } from '../../src/identity/create-identity.ts';
import { openCookieBrowser, signInAtDemo } from '../support/cookie-browser.ts';
import { attestedClaims } from '../support/presentations.ts';
import { makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const mary = {
  givenName: 'Mary',
  familyName: 'Smith',
  birthDate: '1981-04-25',
  postalCode: 'BS1 4ST',
};
const link = { issuingCountry: 'DE', administrativeNumber: 'DE-4711', consented: true };

const notCalled = () => assert.fail('a presentation sends no message');

/** Decides a presentation with the keys and the register of a server that is stopped. */
async function present(home: ServerFixture, claims: object): Promise<unknown> {
  return await withApp(readSettings(home.environment), async (app) => {
    const auth = await openAuthContext(app, false);
    await auth.clients.refresh();
    const identity = await createIdentity({
      ...app,
      publicUrl: home.url,
      clients: auth.clients,
      resultKey: () => auth.keys.current('result'),
      limitReachedNotice: notCalled,
      lockChangeNotice: notCalled,
    });
    const [{ clientId } = assert.fail()] = home.readDemoFile().clients;
    const { effect, result } = await identity.decidePresentedClaims(attestedClaims(claims, { clientId, link }), {
      now: app.clock.now(),
      createId: app.createId,
    });
    await app.commit(effect);
    return result.decision;
  });
}

test('a citizen sees a presentation in the access log, and the linked wallet with the record until the link is removed', async (t) => {
  const home = await makeServerFixture(t);
  const first = await home.start('demo');
  await first.stop('SIGTERM');
  assert.equal(await present(home, { ...mary, familyName: 'Novak', postalCode: 'L1 1AA' }), 'no_match');
  assert.equal(await present(home, mary), 'match');
  assert.equal(await present(home, { ...mary, familyName: 'Novak', postalCode: 'L1 1AA' }), 'match');
  await home.start('demo');
  const browser = openCookieBrowser(home.url);
  await signInAtDemo(browser, 'demo-mary');
  const read = async (path: string) => (await browser.get(path)).body.toString('utf8');
  let uses = '';
  await waitUntil(async () => {
    uses = await read('/me/uses');
    return uses.includes('Linked your wallet to your details') && uses.includes('Confirmed with your wallet');
  });
  assert.match(uses, /<dt>Why<\/dt><dd><bdi lang="">residence-permit<\/bdi>/);
  assert.match(uses, /Demo Permit Service/);
  const record = await read('/me/record');
  assert.match(record, /<dt>Issued in<\/dt>\s*<dd><bdi>Germany<\/bdi><\/dd>/);
  assert.match(record, /<a href="\/me\/record\/wallet">Remove the link<\/a>/);
  assert.match(await read('/me/record/wallet'), /class="warning">Remove the link<\/button>/);
  const done = await browser.post('/me/record/wallet', {}, new URLSearchParams());
  assert.deepEqual([done.status, done.headers.location], [303, '/me/record?done=unlinked']);
  const after = await read('/me/record?done=unlinked');
  assert.match(after, /role="status"[^>]*><p>The link to your wallet is removed\.<\/p>/);
  assert.doesNotMatch(after, /Issued in/);
  await waitUntil(async () => (await read('/me/uses')).includes('Removed the link to your wallet'));
});
