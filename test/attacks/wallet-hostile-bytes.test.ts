import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sandboxIssuer } from '../../client/src/sandbox-issuer.ts';
import { mdocPidType, presentMdocPid } from '../../client/src/sandbox-mdoc.ts';
import { thumbprintOf } from '../../src/wallet/formats/encrypted-response.ts';
import { sandboxMary } from '../support/sandbox-mary.ts';
import { fileCleanupScope } from '../support/server-process.ts';
import {
  encryptContent,
  fetchRequest,
  postResponse,
  type RequestObject,
  requestUriOf,
} from '../support/test-wallet.ts';
import { openWalletServer } from '../support/wallet-server.ts';

// Anybody can write a wallet. These presentations are expensive to read for a decoder without limits, or mean two things at once.

const site = await openWalletServer(fileCleanupScope());
const asked = { claims: ['givenName', 'familyName', 'birthDate', 'postalCode'] };
const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const base64url = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Device responses, below the limit of bytes. */
const mdocs: Readonly<Record<string, Buffer>> = {
  '60,000 nested arrays': Buffer.alloc(60_000, 0x81),
  '60,000 nested tags': Buffer.alloc(60_000, 0xc1),
  'an array that says it has 2^64 - 1 elements': bytes('9b ffffffffffffffff'),
  'text that says it has 4 GiB': bytes('7a ffffffff 61'),
  'an array without a length': bytes('9f ff'),
  'a map with 30,000 members': Buffer.concat([bytes('b9 7530'), Buffer.alloc(60_000)]),
  'an array with 60,000 elements': Buffer.concat([bytes('9a 0000ea60'), Buffer.alloc(60_000)]),
  'bytes after the end': bytes('a0 00'),
  'no bytes': Buffer.alloc(0),
};

for (const [what, mdoc] of Object.entries(mdocs)) {
  test(`an mdoc that is ${what} fails with credential-malformed`, async () => {
    await assertNewFailure(['mso_mdoc', [mdoc.toString('base64url')]], 'credential-malformed');
  });
}

// {"version": …, "documents": …, "status": 0, "status": 0}: the second key of the last two has a longer length than needed.
for (const [encoding, again] of [
  ['the same', bytes('66 737461747573 00')],
  ['another', bytes('78 06 737461747573 00')],
] as const) {
  test(`a valid mdoc with a second member of one name, in ${encoding} encoding, fails with credential-malformed`, async () => {
    const { id, walletUrl } = await site.start(asked);
    const request = await fetchRequest(walletUrl);
    const valid = Buffer.from(await presentMary(request), 'base64url');
    assert.equal(valid[0], 0xa3);
    const doubled = Buffer.concat([bytes('a4'), valid.subarray(1), again]);
    await assertFailure({ id, request }, ['mso_mdoc', [doubled.toString('base64url')]], 'credential-malformed');
    const other = await site.start(asked);
    const otherRequest = await fetchRequest(other.walletUrl);
    const answer = await send(otherRequest, 'mso_mdoc', [await presentMary(otherRequest)]);
    assert.equal(answer.status, 200);
  });
}

/** A valid mdoc for this request. */
async function presentMary(request: RequestObject): Promise<string> {
  return presentMdocPid({
    attributes: sandboxMary,
    type: mdocPidType,
    paths: [[mdocPidType]],
    issuer: sandboxIssuer,
    status: undefined,
    now: Date.now(),
    fault: undefined,
    clientId: request.client_id,
    nonce: request.nonce,
    responseUri: request.response_uri,
    keyThumbprint: await thumbprintOf(request.client_metadata.jwks.keys[0]),
  });
}

const header = base64url({ alg: 'ES256', typ: 'dc+sd-jwt' });

/** Presentations as SD-JWT VC, which fail before any signature is checked. */
const sdJwts: Readonly<Record<string, { readonly text: string; readonly reason: string }>> = {
  'without a certificate': { text: `${header}.${base64url({})}.AAAA~`, reason: 'issuer-not-trusted' },
  'with a header of 20,000 nested arrays': {
    text: `${Buffer.from(nested(20_000)).toString('base64url')}.e30.AAAA~`,
    reason: 'credential-malformed',
  },
  'of 50,000 empty disclosures': { text: `${header}.e30.AAAA${'~'.repeat(50_000)}`, reason: 'issuer-not-trusted' },
  'that is empty': { text: '~', reason: 'credential-malformed' },
};

for (const [what, { text, reason }] of Object.entries(sdJwts)) {
  test(`an SD-JWT ${what} fails with ${reason}`, async () => {
    await assertNewFailure(['dc+sd-jwt', [text]], reason);
  });
}

test('a response with two presentations, or with one that is no text, fails with response-malformed', async () => {
  await assertNewFailure(['dc+sd-jwt', ['~', '~']], 'response-malformed');
  await assertNewFailure(['dc+sd-jwt', [JSON.parse(nested(1_000))]], 'response-malformed');
});

test('the nonce of a wallet, which the server signs, has at most 1,024 characters', async () => {
  const { walletUrl } = await site.start(asked);
  const fetchWith = async (length: number) => {
    const body = new URLSearchParams({ wallet_nonce: 'n'.repeat(length) });
    const answer = await fetch(requestUriOf(walletUrl), { method: 'POST', body });
    return [answer.status, (await answer.text()).length > length];
  };
  assert.deepEqual(await fetchWith(1_025), [400, false]);
  assert.deepEqual(await fetchWith(1_024), [200, true]);
});

test('a wallet that fetches the request with a form over 64 KiB is refused, and can fetch it again', async () => {
  const { id, walletUrl } = await site.start(asked);
  const fetchWith = async (bytes: number, isChunked: boolean) => {
    const form = new Blob(['wallet_nonce=n&wallet_metadata='.padEnd(bytes, '0')]);
    const body = isChunked ? form.stream() : form;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(requestUriOf(walletUrl), { method: 'POST', body, headers, duplex: 'half' });
    return [answer.status, (await answer.text()).length > 1_000];
  };
  assert.deepEqual(await fetchWith(65_537, false), [400, false]);
  assert.deepEqual(await fetchWith(65_537, true), [400, false]);
  assert.equal((await site.read(id)).body['status'], 'requested');
  assert.deepEqual(await fetchWith(65_536, true), [200, true]);
});

type Presented = readonly [format: string, presentations: readonly unknown[]];

function send(request: RequestObject, ...[format, presentations]: Presented) {
  const query = request.dcql_query.credentials.find((one) => one.format === format);
  const content = { vp_token: { [query?.id ?? '']: presentations }, state: request.state };
  return encryptContent(request, content).then((response) => postResponse(request.response_uri, { response }));
}

/** Sends these presentations, and expects that the wallet learns nothing and the service reads the reason. */
async function assertFailure(
  { id, request }: { readonly id: string; readonly request: RequestObject },
  presented: Presented,
  reason: string,
): Promise<void> {
  const answer = await send(request, ...presented);
  assert.deepEqual(answer, { status: 400, body: { error: 'invalid_request' } });
  const { body } = await site.read(id);
  assert.deepEqual([body['status'], (body['reason'] as { code: string }).code], ['failed', reason]);
}

/** The same for a new presentation. */
async function assertNewFailure(presented: Presented, reason: string): Promise<void> {
  const { id, walletUrl } = await site.start(asked);
  await assertFailure({ id, request: await fetchRequest(walletUrl) }, presented, reason);
}
