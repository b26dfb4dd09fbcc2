import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerWithWallet } from '../support/test-wallet.ts';
import { openWalletServer } from '../support/wallet-server.ts';

test('a wallet presents a credential, and the service gets the signed result', async (t) => {
  const site = await openWalletServer(t);
  const asked = await site.ask({ purpose: 'residence-permit' });
  assert.equal(asked.status, 201, JSON.stringify(asked.body));
  const { walletUrl, presentationId } = asked.body;
  assert.deepEqual(await answerWithWallet(String(walletUrl)), { status: 200, body: {} });
  const { body } = await site.read(String(presentationId));
  assert.equal(body['status'], 'completed', JSON.stringify(body));
  console.log(JSON.stringify(body, null, 1));
});
