import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sandboxPeople } from '../../client/src/sandbox-people.ts';
import { answerWalletRequest } from '../../client/src/sandbox-wallet.ts';
import { runWallet, type WalletFlags } from '../../client/src/wallet-command.ts';
import { demoCitizens } from '../../src/cli/demo-data.ts';
import { sandboxAnchor } from '../../src/wallet/trust/sandbox-anchor.ts';
import { sandboxMary } from '../support/sandbox-mary.ts';
import { fileCleanupScope } from '../support/server-process.ts';
import { openWalletServer } from '../support/wallet-server.ts';

const site = await openWalletServer(fileCleanupScope(), { host: 'localhost' });
const claims = ['givenName', 'familyName', 'birthDate', 'postalCode'];

/** The lines that the command prints. */
async function linesOf(flags: WalletFlags): Promise<string> {
  const lines: string[] = [];
  await runWallet(flags, (text) => lines.push(text));
  return lines.join('\n');
}

test('the sandbox wallet has each person of the demo, with the attributes that its register has', () => {
  const inWallet = [...sandboxPeople].map(([citizenId, { given_name: givenName = '', address, ...one }]) => ({
    citizenId,
    names: [givenName, one.family_name],
    birthDate: one.birthdate,
    home: [address['street_address'] ?? '', address['postal_code'], address['locality']],
  }));
  const inRegister = demoCitizens.map(({ citizenId, givenName, familyName, birthDate, ...one }) => ({
    citizenId,
    names: [givenName, familyName],
    birthDate,
    home: [one.streetAddress, one.postalCode, one.locality],
  }));
  assert.deepEqual(inWallet, inRegister);
});

test('the published file of the sandbox CA is the certificate that demos trust', () => {
  const pem = readFileSync(join(import.meta.dirname, '../../docs/integrate/sandbox/wallet-ca.pem'), 'utf8');
  assert.deepEqual(new X509Certificate(pem).raw, Buffer.from(sandboxAnchor));
});

test('each person of the demo with two names and an address is a match, in both formats', async () => {
  for (const [as, { given_name: givenName }] of sandboxPeople) {
    if (givenName === undefined) continue;
    for (const format of ['sd-jwt', 'mdoc']) {
      const { id, walletUrl: request } = await site.start({ claims });
      assert.match(await linesOf({ request, as, format }), /The server accepted the response\./);
      const { body } = await site.read(id);
      assert.equal((body['verification'] as { decision: string }).decision, 'match', as);
    }
  }
});

test('a request with a DNS name as client id is accepted by the wallet, and completed in both formats', async () => {
  for (const format of ['dc+sd-jwt', 'mso_mdoc'] as const) {
    const { id, walletUrl } = await site.start({ claims, profile: 'openid4vp' });
    assert.ok(walletUrl.startsWith('openid4vp://?client_id=x509_san_dns%3Alocalhost&'));
    assert.equal((await answerWalletRequest(walletUrl, { attributes: sandboxMary, format })).status, 200);
    assert.equal((await site.read(id)).body['status'], 'completed');
  }
});

test('--decline ends the presentation with the error of the wallet', async () => {
  const { id, walletUrl: request } = await site.start({ claims });
  assert.match(
    await linesOf({ request, as: 'demo-mary', decline: true }),
    /^The citizen declined\. The server accepted the response/,
  );
  const { body } = await site.read(id);
  assert.deepEqual([body['status'], (body['reason'] as { error: string }).error], ['refused', 'access_denied']);
});

test('--fault prints the reason that the service reads', async () => {
  const { id, walletUrl: request } = await site.start({ claims });
  const printed = await linesOf({ request, as: 'demo-mary', fault: 'wrong-nonce' });
  assert.match(printed, /Expected reason: nonce-mismatch\.\nThe server refused the response \(400\)\./);
  assert.equal(((await site.read(id)).body['reason'] as { code: string }).code, 'nonce-mismatch');
});

test('the wallet says what is wrong with its options, with the link, and with an ended presentation', async () => {
  const { id, walletUrl: request } = await site.start({ claims });
  const as = 'demo-mary';
  await assert.rejects(
    linesOf({ request, as: 'nobody' }),
    /^SandboxWalletError: Expected --as with one of: demo-eleni,/,
  );
  await assert.rejects(linesOf({ request, as, fault: 'x' }), /Expected --fault with one of: wrong-nonce,/);
  await assert.rejects(linesOf({ request, as, format: 'x' }), /Expected --format with one of: sd-jwt, mdoc\./);
  await assert.rejects(linesOf({ request: 'haip-vp://?client_id=x', as }), /Expected the walletUrl of a presentation/);
  const stolen = request.replace(/client_id=[^&]+/, 'client_id=x509_hash%3Aother');
  await assert.rejects(linesOf({ request: stolen, as }), /Expected the client_id of the link in the request object/);
  await assert.rejects(linesOf({ request, as: 'demo-suharti' }), /the person has no given_name/);
  await site.cancel(id);
  await assert.rejects(linesOf({ request, as }), /received status 400\. The presentation has ended/);
});
