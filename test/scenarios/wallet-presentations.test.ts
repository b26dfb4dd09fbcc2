import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { sandboxIssuer } from '../../client/src/sandbox-issuer.ts';
import { thumbprintOf } from '../../src/wallet/formats/encrypted-response.ts';
import { issueCertificate } from '../support/certificates.ts';
import { bearerHeaders, createHttpClient, postJson } from '../support/http-client.ts';
import { findInStoredData } from '../support/stored-data-search.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { answerWithWallet, encryptContent, fetchRequest, postResponse, walletMary } from '../support/test-wallet.ts';
import { waitUntil } from '../support/wait-until.ts';
import { presentMdoc } from '../support/wallet-credentials.ts';
import { openWalletServer, type WalletServer } from '../support/wallet-server.ts';

const nameAndTown = { claims: ['givenName', 'familyName', 'birthDate', 'postalCode', 'locality'], purpose: 'permit' };
const engineNames = ['sqlite', 'postgres'] as const;

for (const engine of engineNames) {
  test(`${engine}: a service asks a wallet, and receives the decision with the signed result, but no attribute`, async (t) => {
    const site = await openWalletServer(t, { engine });
    const { id, walletUrl } = await site.start(nameAndTown);
    assert.deepEqual(await answerWithWallet(walletUrl), { status: 200, body: {} });
    const { body } = await site.read(id);
    const verification = body['verification'] as Readonly<Record<string, unknown>>;
    assert.deepEqual([body['status'], verification['decision']], ['completed', 'match']);
    assert.deepEqual(verification['assurance'], { framework: 'eidas', level: 'high' });
    const matched = nameAndTown.claims.map((claim) => [claim, 'match']);
    assert.deepEqual(verification['claims'], Object.fromEntries(matched));
    assert.ok(!JSON.stringify([body, decodeJwt(String(verification['token']))]).includes('Smith'));
    assert.deepEqual(await feedOf(site, 2), [
      ['identity.presentation-fetched', { presentation: id, status: 'fetched' }],
      ['identity.presentation-completed', { presentation: id, status: 'completed' }],
    ]);
    const secrets = [walletMary.personal_administrative_number, new URL(walletUrl).search, requestHandleOf(walletUrl)];
    assert.deepEqual(await findInStoredData(site.server, secrets), []);
  });
}

/** The types and data of the events of the client, when there are that many. */
async function feedOf({ server, token }: WalletServer, count: number) {
  const ask = createHttpClient(server.url);
  let items: readonly { readonly type: string; readonly data: unknown }[] = [];
  await waitUntil(async () => {
    const { body } = await ask({ method: 'GET', path: '/v1/events', headers: bearerHeaders(token) });
    items = (JSON.parse(String(body)) as { readonly items: typeof items }).items;
    return items.length >= count;
  });
  return items.map(({ type, data }) => [type, data]);
}

function requestHandleOf(walletUrl: string): string {
  return new URL(walletUrl).searchParams.get('request_uri')?.split('/').at(-1) ?? '';
}

test('under eu-2025-846 a PID with only its mandatory attributes satisfies a request without claims', async (t) => {
  const site = await openWalletServer(t, { settings: { VERIFY_POLICY: 'eu-2025-846' } });
  const { id, walletUrl } = await site.start({ purpose: 'permit' });
  assert.equal((await answerWithWallet(walletUrl, { claims: { address: {} } })).status, 200);
  assert.equal((await site.read(id)).body['status'], 'completed');
});

test('an mdoc with the signature of the device completes a presentation', async (t) => {
  const site = await openWalletServer(t);
  const { id, walletUrl } = await site.start(nameAndTown);
  const request = await fetchRequest(walletUrl);
  const [key] = request.client_metadata.jwks.keys;
  const holder = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = holder.publicKey.export({ format: 'jwk' });
  const parties = {
    certificate: Buffer.from(sandboxIssuer.chain[0], 'base64'),
    issuerKey: createPrivateKey({ key: sandboxIssuer.privateKey as JsonWebKey, format: 'jwk' }),
    holderKey: holder.privateKey,
    holderJwk: { kty: 'EC', crv: 'P-256', x, y },
  };
  const at = (days: number) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`;
  const validity = new Map([
    ['signed', at(-1)],
    ['validFrom', at(-1)],
    ['validUntil', at(1)],
  ]);
  const mdoc = presentMdoc(parties, {
    securityObject: [['validityInfo', validity]],
    elements: [
      ['given_name', 'Mary'],
      ['family_name', 'Smith'],
      ['birth_date', '1981-04-25'],
      ['resident_postal_code', 'BS1 4ST'],
      ['resident_city', 'Bristol'],
      ['issuing_country', 'UT'],
    ],
    session: {
      clientId: request.client_id,
      nonce: request.nonce,
      responseUri: request.response_uri,
      encryptionKeyThumbprint: await thumbprintOf(key),
    },
  });
  const query = request.dcql_query.credentials.find(({ format }) => format === 'mso_mdoc');
  const content = { vp_token: { [query?.id ?? '']: [mdoc] }, state: request.state };
  const response = await encryptContent(request, content);
  assert.deepEqual(await postResponse(request.response_uri, { response }), { status: 200, body: {} });
  const { body } = await site.read(id);
  const { decision, evidence } = body['verification'] as {
    decision: string;
    evidence: Readonly<Record<string, unknown>>;
  };
  assert.deepEqual([decision, evidence['format']], ['match', 'mso_mdoc']);
});

test('the request has the registration certificate of its purpose, and no other', async (t) => {
  const site = await openWalletServer(t, { purposes: ['permit', 'tax'] });
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const jwt = `${part({ typ: 'rc-wrp+jwt', alg: 'ES256' })}.${part({ sub: 'permits' })}.c2lnbmF0dXJl`;
  const file = join(site.server.dataDir, 'permit.jwt');
  writeFileSync(file, jwt);
  const arguments_ = ['clients', 'purposes', site.clientId, 'permit', '--registration-certificate', file];
  const { code, stderr } = await site.server.runCommand(...arguments_);
  assert.equal(code, 0, stderr);
  const infoFor = async (purpose: string) =>
    (await fetchRequest((await site.start({ purpose })).walletUrl)).verifier_info;
  await waitUntil(async () => (await infoFor('permit')) !== undefined);
  assert.deepEqual(await infoFor('permit'), [{ format: 'registration_cert', data: jwt }]);
  assert.equal(await infoFor('tax'), undefined);
  assert.equal((await site.ask({ purpose: 'other' })).status, 403);
});

test('a citizen who agrees on the page each time is recognised after a change of name', async (t) => {
  const site = await openWalletServer(t);
  const present = async (remember: boolean, claims: Readonly<Record<string, string>> = {}) => {
    const { id, walletUrl, pageUrl } = await site.start(nameAndTown);
    const form = new URLSearchParams({ action: 'continue', ...(remember ? { remember: 'yes' } : {}) });
    await (await fetch(pageUrl, { method: 'POST', body: form })).text();
    assert.equal((await answerWithWallet(walletUrl, { claims })).status, 200);
    const { body } = await site.read(id);
    return (body['verification'] as { readonly decision: string }).decision;
  };
  const married = { family_name: 'Featherstonehaugh' };
  assert.equal(await present(true, married), 'no_match');
  assert.equal(await present(true), 'match');
  assert.equal(await present(false, married), 'no_match');
  assert.equal(await present(true, married), 'match');
});

test('an idempotency key with another request to a wallet is refused', async (t) => {
  const { server, token } = await openWalletServer(t);
  const ask = createHttpClient(server.url);
  const send = (body: object) => ask(postJson(token, '/v1/identity/presentations', body, { 'idempotency-key': 'one' }));
  assert.equal((await send(nameAndTown)).status, 201);
  assert.equal((await send({ ...nameAndTown, purpose: 'another' })).status, 422);
});

test('the page shows the progress without script, and readers can stop the updates', async (t) => {
  const site = await openWalletServer(t);
  const { walletUrl, pageUrl } = await site.start({ ...nameAndTown, confirmation: 'code', language: 'fr' });
  const look = async (address = pageUrl) => {
    const response = await fetch(address);
    return { refresh: response.headers.get('refresh'), text: await response.text() };
  };
  const question = await look();
  assert.deepEqual([question.refresh, question.text.includes('name="remember"')], [null, true]);
  assert.match(question.text, /<html lang="fr"/);
  assert.match(question.text, /Permit Office/);
  assert.ok(!question.text.includes('numéro personnel<'));
  const agreed = new URLSearchParams({ action: 'continue', remember: 'yes' });
  await (await fetch(pageUrl, { method: 'POST', body: agreed })).text();
  const waiting = await look();
  assert.equal(waiting.refresh, '5');
  assert.match(waiting.text, /code postal, localité et numéro personnel<\/dd>/);
  assert.match(waiting.text, /<svg class="qr-code" role="img" aria-label="Code QR/);
  assert.ok(!waiting.text.includes('<script'));
  assert.equal((await look(`${pageUrl}?update=off`)).refresh, null);
  await answerWithWallet(walletUrl);
  assert.match((await look()).text, /Votre portefeuille a répondu\. Il affiche un code/);
  assert.equal((await fetch(`${site.server.url}/wallet/pages/unknown`)).status, 404);
});

test('with an expired access certificate the server starts, and clients cannot ask wallets', async (t) => {
  const folder = makeTestFolder('wallet-expired-');
  const place = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const authority = await issueCertificate('Test relying parties', { ca: true });
  const leaf = await issueCertificate('Verifier', { issuer: authority, notAfter: new Date(Date.now() - 60_000) });
  const site = await openWalletServer(t, {
    settings: {
      WALLET_CERTIFICATE_FILE: place('certificate.pem', leaf.certificate + authority.certificate),
      WALLET_CERTIFICATE_KEY_FILE: place('key.pem', leaf.key),
    },
  });
  const { status, body } = await site.ask(nameAndTown);
  assert.deepEqual([status, String(body['type']).split('/').at(-1)], [409, 'wallets-not-configured']);
  assert.match(String(body['detail']), /The certificate of this server for wallets has expired/);
});

test('the profile openid4vp identifies the server by its DNS name, and needs one in the certificate', async (t) => {
  const byAddress = await openWalletServer(t);
  const { status, body } = await byAddress.ask({ ...nameAndTown, profile: 'openid4vp' });
  assert.equal(status, 400);
  assert.deepEqual((body['issues'] as { pointer: string }[])[0]?.pointer, '/profile');
  const byName = await openWalletServer(t, { host: 'localhost' });
  const { id, walletUrl } = await byName.start({ ...nameAndTown, profile: 'openid4vp' });
  assert.ok(walletUrl.startsWith('openid4vp://?client_id=x509_san_dns%3Alocalhost&'));
  assert.equal((await answerWithWallet(walletUrl)).status, 200);
  assert.equal((await byName.read(id)).body['status'], 'completed');
});
