import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '../support/test-folder.ts';
import { answerWithWallet, fetchRequest } from '../support/test-wallet.ts';
import { openWalletServer } from '../support/wallet-server.ts';

const claims = ['givenName', 'familyName', 'birthDate', 'postalCode', 'locality'];

/** A kind of credential of the sandbox issuer, whose country is UT. */
const kindWith = (citizenIdFrom: string) => ({
  types: { 'dc+sd-jwt': 'urn:eudi:pid:1' },
  issuers: [{ certificates: resolve('docs/integrate/sandbox/wallet-ca.pem') }],
  assurance: { framework: 'eidas', level: 'high' },
  statusUnknown: 'refuse',
  citizenIdFrom,
});

test('a citizen of a country whose numbers are no citizen ids can agree to be recognised by the number', async (t) => {
  const trust = join(makeTestFolder('wallet-number-'), 'trust.json');
  writeFileSync(trust, JSON.stringify({ domestic: kindWith('UT'), foreign: kindWith('NL') }));
  const site = await openWalletServer(t, { settings: { WALLET_TRUST: trust } });
  const open = async (kind: string) => {
    const { id, walletUrl, pageUrl } = await site.start({ claims, credentials: [kind] });
    const page = await (await fetch(pageUrl)).text();
    const asksNumber = async () =>
      JSON.stringify((await fetchRequest(walletUrl)).dcql_query).includes('personal_administrative_number');
    const answer = async (remember: string, attributes: Readonly<Record<string, string>> = {}) => {
      const body = new URLSearchParams({ action: 'continue', remember });
      await (await fetch(pageUrl, { method: 'POST', body })).text();
      const asked = await asksNumber();
      assert.equal((await answerWithWallet(walletUrl, { claims: attributes })).status, 200);
      const { verification } = (await site.read(id)).body as { verification: { decision: string } };
      return [asked, verification.decision];
    };
    return { asksLink: page.includes('name="remember"'), asksNumber, answer };
  };
  const domestic = await open('domestic');
  assert.deepEqual([domestic.asksLink, await domestic.asksNumber()], [false, true]);
  const foreign = await open('foreign');
  assert.deepEqual([foreign.asksLink, await foreign.asksNumber()], [true, false]);
  assert.deepEqual(await foreign.answer('yes'), [true, 'match']);
  const married = { family_name: 'Featherstonehaugh' };
  assert.deepEqual(await (await open('foreign')).answer('no', married), [false, 'no_match']);
  assert.deepEqual(await (await open('foreign')).answer('yes', married), [true, 'match']);
});
