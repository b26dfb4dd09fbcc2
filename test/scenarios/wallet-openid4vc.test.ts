import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { Openid4vpClient, type ResolvedOpenid4vpAuthorizationRequest } from '@openid4vc/openid4vp';
import { setGlobalConfig } from '@openid4vc/utils';
import { type DcqlCredential, DcqlQuery } from 'dcql';
import { CompactEncrypt, calculateJwkThumbprint, compactVerify, importJWK, type JWK } from 'jose';
import { sandboxIssuer } from '../../client/src/sandbox-issuer.ts';
import { mdocElementsOf, mdocPidType, presentMdocPid } from '../../client/src/sandbox-mdoc.ts';
import type { DcqlPath } from '../../client/src/sandbox-pid.ts';
import { presentSdJwtPid } from '../../client/src/sandbox-sd-jwt.ts';
import { type WalletFormat, walletFormats } from '../../client/src/wallet-faults.ts';
import { sandboxMary } from '../support/sandbox-mary.ts';
import { fileCleanupScope } from '../support/server-process.ts';
import { fetchRequest } from '../support/test-wallet.ts';
import { openWalletServer } from '../support/wallet-server.ts';

// A wallet on libraries of the OpenWallet Foundation: @openid4vc/openid4vp reads and verifies the request, and writes and sends the
// response; dcql decides which credential and claims answer it. Only the credentials are ours.
setGlobalConfig({ allowInsecureUrls: true });

const site = await openWalletServer(fileCleanupScope());
const asked = { purpose: 'permit', claims: ['givenName', 'familyName', 'birthDate', 'postalCode', 'nationality'] };

const client = new Openid4vpClient({
  callbacks: {
    hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
    verifyJwt: async (signer, { compact }) => {
      if (signer.method !== 'x5c') return { verified: false };
      const { publicKey } = new X509Certificate(Buffer.from(signer.x5c[0] ?? '', 'base64'));
      await compactVerify(compact, publicKey);
      return { verified: true, signerJwk: publicKey.export({ format: 'jwk' }) as JWK & { kty: string } };
    },
    encryptJwe: async ({ publicJwk, alg, enc }, data) => {
      const header = { alg, enc, ...(publicJwk.kid === undefined ? {} : { kid: publicJwk.kid }) };
      const key = await importJWK(publicJwk as JWK, alg);
      const jwe = await new CompactEncrypt(Buffer.from(data)).setProtectedHeader(header).encrypt(key);
      return { encryptionJwk: publicJwk, jwe };
    },
    // For the client ids x509_san_dns, which this request does not have.
    getX509CertificateMetadata: () => ({ sanDnsNames: [], sanUriNames: [] }),
    decryptJwe: () => ({ decrypted: false }),
    signJwt: () => {
      throw new TypeError('expected a response without a signature');
    },
  },
});

/** The credentials of Mary, as dcql sees them. */
const authority = { type: 'aki', values: [sandboxIssuer.authorityKeyId] } satisfies DcqlCredential['authority'];
const credentials: Readonly<Record<WalletFormat, DcqlCredential>> = {
  'dc+sd-jwt': {
    credential_format: 'dc+sd-jwt',
    vct: 'urn:eudi:pid:1',
    claims: JSON.parse(JSON.stringify(sandboxMary)),
    cryptographic_holder_binding: true,
    authority,
  },
  mso_mdoc: {
    credential_format: 'mso_mdoc',
    doctype: mdocPidType,
    namespaces: { [mdocPidType]: jsonElements() },
    cryptographic_holder_binding: true,
    authority,
  },
};

function jsonElements(): Record<string, string> {
  const texts = [...mdocElementsOf(sandboxMary)].map(([name, value]) => [name, JSON.stringify(value)]);
  return Object.fromEntries(texts) as Record<string, string>;
}

type Request = ResolvedOpenid4vpAuthorizationRequest['authorizationRequestPayload'];

/** The id of the query that dcql selects for this credential, and the paths of its claims. */
function selectClaims({ dcql_query: text }: Request, format: WalletFormat) {
  const query = DcqlQuery.parse(text as DcqlQuery.Input);
  DcqlQuery.validate(query);
  const { can_be_satisfied: isSatisfied, credential_matches: matches } = DcqlQuery.query(query, [credentials[format]]);
  assert.ok(isSatisfied);
  const match = Object.values(matches).find(({ success }) => success);
  const selected = match?.valid_credentials?.[0]?.claims.valid_claim_sets?.[0]?.valid_claim_indexes ?? [];
  const { claims = [], id = '' } = query.credentials.find((one) => one.id === match?.credential_query_id) ?? {};
  // The types of dcql also have the claims of drafts, which have no path.
  const paths = selected.map((index) => (claims[index] as { readonly path: DcqlPath }).path);
  return { id, paths };
}

for (const format of walletFormats) {
  test(`${format}: a wallet on @openid4vc/openid4vp reads version 1.0 in the request, and its response is a match`, async () => {
    const { id, walletUrl } = await site.start(asked);
    const { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: walletUrl });
    const resolved = await client.resolveOpenId4vpAuthorizationRequest({ authorizationRequestPayload: params });
    assert.deepEqual([resolved.version, resolved.client.prefix], [100, 'x509_hash']);
    const request = resolved.authorizationRequestPayload;
    const { nonce } = request;
    const { id: queryId, paths } = selectClaims(request, format);
    const key = (request.client_metadata?.jwks?.keys ?? [])[0] as JWK;
    const pid = {
      attributes: sandboxMary,
      type: format === 'mso_mdoc' ? mdocPidType : 'urn:eudi:pid:1',
      paths,
      issuer: sandboxIssuer,
      status: undefined,
      now: Date.now(),
      fault: undefined,
      clientId: resolved.client.effective,
      nonce,
      responseUri: String(request.response_uri),
      keyThumbprint: Buffer.from(await calculateJwkThumbprint(key), 'base64url'),
    };
    const presentation = format === 'mso_mdoc' ? presentMdocPid(pid) : presentSdJwtPid(pid);
    const response = await client.createOpenid4vpAuthorizationResponse({
      authorizationRequestPayload: request,
      authorizationResponsePayload: { vp_token: { [queryId]: [presentation] } },
      jarm: {
        encryption: { nonce },
        serverMetadata: {
          authorization_signing_alg_values_supported: [],
          authorization_encryption_alg_values_supported: ['ECDH-ES'],
          authorization_encryption_enc_values_supported: ['A128GCM', 'A256GCM'],
        },
      },
    });
    const sent = await client.submitOpenid4vpAuthorizationResponse({
      authorizationRequestPayload: { response_uri: String(request.response_uri) },
      ...response,
    });
    assert.equal(sent.response.status, 200);
    const { body } = await site.read(id);
    const { decision, claims } = body['verification'] as { decision: string; claims: Record<string, string> };
    assert.deepEqual([body['status'], decision], ['completed', 'match']);
    assert.deepEqual(Object.keys(claims).sort(), asked.claims.toSorted());
  });
}

test('dcql finds the query satisfied only by a credential with all asked claims and a trusted issuer', async () => {
  const request = await fetchRequest((await site.start(asked)).walletUrl);
  const query = DcqlQuery.parse(request.dcql_query as unknown as DcqlQuery.Input);
  const isSatisfiedBy = (credential: DcqlCredential) => DcqlQuery.query(query, [credential]).can_be_satisfied;
  const sdJwt = credentials['dc+sd-jwt'];
  const { given_name: _name, ...unnamed } = sandboxMary;
  assert.deepEqual(Object.values(credentials).map(isSatisfiedBy), [true, true]);
  assert.equal(isSatisfiedBy({ ...sdJwt, claims: JSON.parse(JSON.stringify(unnamed)) } as DcqlCredential), false);
  assert.equal(isSatisfiedBy({ ...sdJwt, authority: { type: 'aki', values: ['AAAA'] } }), false);
});
