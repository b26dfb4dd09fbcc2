import assert from 'node:assert/strict';
import { createHttpClient, postJson } from './http-client.ts';
import type { TourPage } from './page-tour.ts';
import { answerWithWallet } from './test-wallet.ts';

/** A presentation with a long purpose, and a wallet on this device or on another one. */
const body = {
  purpose: 'Residence permit for family members of citizens of the European Union',
  claims: ['givenName', 'familyName', 'birthDate', 'birthPlace', 'streetAddress', 'postalCode', 'locality'],
  confirmation: 'code',
} as const;

/** Asks wallets, and returns their pages in each state. The pages do not update themselves, because that would interrupt a test. */
export async function prepareWalletPages(url: string, token: string): Promise<TourPage[]> {
  const ask = createHttpClient(url);
  const start = async (more: object = {}) => {
    const asked = await ask(postJson(token, '/v1/identity/presentations', { ...body, ...more }));
    assert.equal(asked.status, 201, String(asked.body));
    return JSON.parse(String(asked.body)) as { readonly walletUrl: string; readonly pageUrl: string };
  };
  const send = async (pageUrl: string, action: string) => {
    await (await fetch(pageUrl, { method: 'POST', body: new URLSearchParams({ action }) })).text();
  };
  const [question, waiting, cancelled, answered, failed] = [
    await start(),
    await start({ returnUrl: 'https://permits.example.gov/back' }),
    await start(),
    await start(),
    await start(),
  ];
  await send(waiting.pageUrl, 'continue');
  await send(cancelled.pageUrl, 'cancel');
  const { body: answer } = await answerWithWallet(answered.walletUrl);
  await answerWithWallet(failed.walletUrl, { proof: { nonce: 'other' } });
  const at = (name: string, address: string): TourPage => ({
    name: `wallet: ${name}`,
    visitor: 'nobody',
    readers: 'citizens',
    open: (page) => page.goto(address),
  });
  return [
    at('the citizen can agree to be recognised', question.pageUrl),
    at('it waits for a wallet', `${waiting.pageUrl}?update=off`),
    at('it is cancelled', cancelled.pageUrl),
    at('the wallet has answered', `${answered.pageUrl}?update=off`),
    at('the code', String(answer['redirect_uri'])),
    at('the answer is not accepted', failed.pageUrl),
    at('an unknown address', `${url}/wallet/pages/none`),
  ];
}
