import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { answerWalletRequest, type SandboxWallet } from '../../client/src/sandbox-wallet.ts';
import { walletFormats } from '../../client/src/wallet-faults.ts';
import {
  keyPemOf,
  makeEntityList,
  makeTestIssuer,
  signStatusList,
  signWithChain,
} from '../support/credential-issuers.ts';
import { startListServer } from '../support/list-server.ts';
import { sandboxMary } from '../support/sandbox-mary.ts';
import { fileCleanupScope } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';
import { openWalletServer, type WalletServer } from '../support/wallet-server.ts';

// The server trusts a test issuer, whose status lists are on another server. The job of the server fetches them.

const thisFile = fileCleanupScope();
const times = { from: '2020-01-01', to: '2049-12-31' };
const authority = await makeTestIssuer('Status test CA', { ca: true, ...times });
const issuer = await makeTestIssuer('Status test issuer', { issuer: authority, ...times });
const revocationService = await makeTestIssuer('Revocation service', times);
const unknownIssuer = await makeTestIssuer('Unknown issuer', times);
const lists = await startListServer(thisFile);
const iat = Math.floor(Date.now() / 1_000) - 60;
const mebibyte = 1_048_576;
const status = { valid: 0, revoked: 1, suspended: 2, afterTheEnd: 3 };

/** A status list of this issuer with this compressed content. */
function signBytes(uri: string, lst: Buffer): Promise<string> {
  const payload = { sub: uri, iat, status_list: { bits: 1, lst: lst.toString('base64url') } };
  return signWithChain(payload, { typ: 'statuslist+jwt' }, [issuer]);
}

const published: Readonly<Record<string, (uri: string) => string | Promise<string>>> = {
  '/list': (uri) => signStatusList([issuer], uri, [0, 1, 2], { iat }),
  '/revocation-service': (uri) => signStatusList([revocationService], uri, [0, 1], { iat }),
  '/other-signer': (uri) => signStatusList([unknownIssuer], uri, [0], { iat }),
  '/expired': (uri) => signStatusList([issuer], uri, [0], { iat: iat - 7_200, exp: iat - 3_600 }),
  '/compressed-bomb': (uri) => signBytes(uri, deflateSync(Buffer.alloc(256 * mebibyte))),
  '/not-compressed': (uri) => signBytes(uri, Buffer.alloc(16, 1)),
  '/oversized': () => 'A'.repeat(64 * mebibyte),
};
const paths = Object.keys(published);

let site: WalletServer;
before(async () => {
  for (const [path, sign] of Object.entries(published)) lists.texts.set(path, await sign(lists.urlOf(path)));
  const folder = makeTestFolder('cs-wallet-');
  writeFileSync(join(folder, 'ca.pem'), authority.pem);
  const services = { 'PID/Issuance': [authority], 'PID/Revocation': [revocationService] };
  const list = makeEntityList({ Ministry: services }, { nextUpdate: `${times.to}T00:00:00Z` });
  writeFileSync(join(folder, 'list.json'), JSON.stringify(list));
  const pid = {
    types: { 'dc+sd-jwt': 'urn:eudi:pid:1', mso_mdoc: 'eu.europa.ec.eudi.pid.1' },
    issuers: [{ certificates: 'ca.pem' }, { list: 'list.json' }],
    assurance: { framework: 'eidas', level: 'high' },
    statusUnknown: 'refuse',
    statusHosts: [lists.host],
    statusLists: paths.map(lists.urlOf),
  };
  writeFileSync(join(folder, 'trust.json'), JSON.stringify({ pid }));
  site = await openWalletServer(thisFile, { settings: { WALLET_TRUST: join(folder, 'trust.json') } });
  await waitUntil(async () => paths.every((path) => lists.requested.includes(path)));
  // The process reads the lists that its job stored from the database.
  await waitUntil(async () => (await present('/list', status.valid)).status === 'completed');
});

/** Presents a credential with this status, and returns the answer to the wallet and the state of the presentation. */
async function present(path: string, idx: number, wallet: Partial<SandboxWallet> = {}) {
  const { id, walletUrl } = await site.start({ claims: ['givenName', 'familyName', 'birthDate', 'postalCode'] });
  const privateKey = createPrivateKey(await keyPemOf(issuer)).export({ format: 'jwk' });
  const authorityKeyId = Buffer.from(authority.keyId).toString('base64url');
  const outcome = await answerWalletRequest(walletUrl, {
    attributes: sandboxMary,
    issuer: { chain: [issuer.der.toString('base64')], privateKey, authorityKeyId },
    status: { uri: lists.urlOf(path), idx },
    ...wallet,
  });
  const { body } = await site.read(id);
  const reason = (body['reason'] as { readonly code: string } | undefined)?.code;
  return { answer: outcome.status, status: body['status'], reason };
}

for (const format of walletFormats) {
  test(`${format}: a valid credential completes, a revoked one and a suspended one fail with their reasons`, async () => {
    const completed = { answer: 200, status: 'completed', reason: undefined };
    const failed = (reason: string) => ({ answer: 400, status: 'failed', reason });
    assert.deepEqual(await present('/list', status.valid, { format }), completed);
    assert.deepEqual(await present('/list', status.revoked, { format }), failed('credential-revoked'));
    assert.deepEqual(await present('/list', status.suspended, { format }), failed('credential-suspended'));
  });
}

test('a list of the revocation service of a trusted entity is used, also if a file has the CA of the entity without it', async () => {
  assert.equal((await present('/revocation-service', status.valid)).status, 'completed');
  assert.equal((await present('/revocation-service', status.revoked)).reason, 'credential-revoked');
});

for (const path of ['/list', ...paths.slice(2), '/never-published']) {
  test(`a status in ${path} that is not known makes the presentation fail with status-unavailable`, async () => {
    const expected = { answer: 400, status: 'failed', reason: 'status-unavailable' };
    assert.deepEqual(await present(path, path === '/list' ? status.afterTheEnd : 0), expected);
  });
}

test('a credential whose status list is on a foreign host fails, and the server sends no request there', async () => {
  const foreign = await startListServer(thisFile);
  const outcome = await present('/list', 0, { status: { uri: foreign.urlOf('/list'), idx: 0 } });
  assert.equal(outcome.reason, 'status-unavailable');
  assert.deepEqual(foreign.requested, []);
});
