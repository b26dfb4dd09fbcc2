import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerWalletRequest } from '../../client/src/sandbox-wallet.ts';
import { type WalletFault, walletFaults, walletFormats } from '../../client/src/wallet-faults.ts';
import { sandboxMary } from '../support/sandbox-mary.ts';
import { fileCleanupScope } from '../support/server-process.ts';
import { requestUriOf } from '../support/test-wallet.ts';
import { openWalletServer } from '../support/wallet-server.ts';

// The verifier modules of the plan oid4vp-1final-verifier-haip of the OpenID Foundation, played by the sandbox wallet. The suite itself
// needs Docker and a public address. A module about key bindings is run for mdoc where the signature of the device has the same fault.

const site = await openWalletServer(fileCleanupScope());
const asked = { purpose: 'permit', claims: ['givenName', 'familyName', 'birthDate', 'postalCode'] };

/** Prepares the link before the wallet answers it. */
const acceptedModules: Readonly<Record<string, (walletUrl: string) => Promise<string>>> = {
  'happy-flow': async (walletUrl) => walletUrl.replace('&request_uri_method=post', ''),
  'request-uri-method-post': async (walletUrl) => walletUrl,
  'request-uri-fetched-twice': async (walletUrl) => {
    const first = await fetch(requestUriOf(walletUrl));
    assert.deepEqual([first.status, (await first.text()).split('.').length], [200, 3]);
    return walletUrl;
  },
  // The key of the holder in this wallet has only kty, crv, x and y.
  'minimal-cnf-jwk': async (walletUrl) => walletUrl,
};

const refusedModules: Readonly<Record<string, WalletFault>> = {
  'kb-jwt-iat-in-past': 'old-proof',
  'kb-jwt-iat-in-future': 'future-proof',
  'invalid-kb-jwt-signature': 'proof-signature',
  'invalid-kb-jwt-nonce': 'wrong-nonce',
  'invalid-kb-jwt-aud': 'wrong-audience',
  'invalid-sd-hash': 'wrong-disclosure-hash',
  'invalid-credential-signature': 'credential-signature',
  'invalid-session-transcript': 'wrong-response-uri',
};

const otherFaults = Object.keys(walletFaults).filter(
  (fault) => !Object.values<string>(refusedModules).includes(fault),
) as WalletFault[];

for (const format of walletFormats) {
  for (const [module, prepare] of Object.entries(acceptedModules)) {
    for (const encryption of ['A128GCM', 'A256GCM']) {
      test(`${module}, ${format}, ${encryption}: the presentation is completed with a match`, async () => {
        const { id, walletUrl } = await site.start(asked);
        const link = await prepare(walletUrl);
        const outcome = await answerWalletRequest(link, { attributes: sandboxMary, format, encryption });
        assert.deepEqual([outcome.status, outcome.format], [200, format]);
        const { body } = await site.read(id);
        const { decision, evidence } = body['verification'] as { decision: string; evidence: { format: string } };
        assert.deepEqual([body['status'], decision, evidence.format], ['completed', 'match', format]);
      });
    }
  }

  for (const [module, fault] of [...Object.entries(refusedModules), ...otherFaults.map((one) => [one, one] as const)]) {
    const reason = walletFaults[fault][format];
    if (reason === undefined) continue;
    test(`${module}, ${format}: the presentation fails with ${reason}`, async () => {
      const { id, walletUrl } = await site.start(asked);
      const { status } = await answerWalletRequest(walletUrl, { attributes: sandboxMary, format, fault });
      assert.equal(status, 400);
      const { body } = await site.read(id);
      assert.deepEqual([body['status'], (body['reason'] as { code: string }).code], ['failed', reason]);
    });
  }
}
