import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { parseAccessGrant } from '../../src/auth/access-token.ts';
import { createRowReader } from '../../src/identity/import/import-row.ts';
import { citizenIdPattern } from '../../src/kernel/id.ts';
import { erasedIdOf } from '../../src/ledger/erased-id.ts';
import { parseReceiptExtra } from '../../src/ledger/receipt-extra.ts';
import { parseProof } from '../../src/ledger/tlog/tlog-proof.ts';
import { verifyChain } from '../../src/ledger/verify-chain.ts';
import { bearerHeaders, createHttpClient, type HttpRequest, parseJsonBody, postJson } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture, waitUntilSigned } from '../support/server-process.ts';
import { createClientToken, validClaims, validDepositHeaders, validDocument } from '../support/valid-requests.ts';

// Attack: the id `erased:…` replaces the id of an erased citizen, and has the pseudonym of a chain of the ledger. A caller who
// may state it would add entries to that chain, which then no longer verifies. The chain of the endpoints is public.

type Growth = {
  readonly chain: string;
  readonly linkKey: string;
  readonly entries: readonly { readonly proof: string }[];
};

let home: ServerFixture;
let ask: ReturnType<typeof createHttpClient>;
let token = '';
let unchanged: Growth;
let reserved = '';

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
  ask = createHttpClient(home.url);
  token = await createClientToken(home, 'Office');
  await waitUntilSigned(home);
  unchanged = await readGrowth();
  reserved = erasedIdOf(Buffer.from(unchanged.chain, 'base64'));
});

async function readGrowth(): Promise<Growth> {
  // The operation `listEndpoints` has this member as soon as the register is in the ledger.
  return parseJsonBody(await ask({ path: '/v1' }))['growth'] as Growth;
}

const claims = () => ({ ...validClaims, citizenId: reserved });
const query = (members: Readonly<Record<string, string>>) => new URLSearchParams(members).toString();
const get = (path: string): HttpRequest => ({ path, headers: bearerHeaders(token) });

/** Every request that states the id of a citizen. */
const requests: Readonly<Record<string, () => HttpRequest>> = {
  'POST /v1/identity/verify': () => postJson(token, '/v1/identity/verify', claims()),
  'QUERY /v1/identity/verify': () => ({ ...postJson(token, '/v1/identity/verify', claims()), method: 'QUERY' }),
  'GET /v1/identity/verify': () => get(`/v1/identity/verify?${query(claims())}`),
  'GET /v1/identity/verify with citizen_id': () => {
    const { citizenId, ...others } = claims();
    return get(`/v1/identity/verify?${query({ ...others, citizen_id: citizenId })}`);
  },
  'POST /v1/notifications/send': () =>
    postJson(token, '/v1/notifications/send', { citizenId: reserved, message: 'Hello' }),
  'POST /v1/notifications/preview': () =>
    postJson(token, '/v1/notifications/preview', { citizenId: reserved, message: 'Hello' }),
  'POST /v1/documents': () => {
    const headers = { ...validDepositHeaders(), 'citizen-id': encodeURIComponent(` ${reserved}`) };
    return { method: 'POST', path: '/v1/documents', headers: bearerHeaders(token, headers), body: validDocument };
  },
  'GET /v1/documents': () => get(`/v1/documents?${query({ citizenId: reserved })}`),
};

for (const [name, request] of Object.entries(requests)) {
  test(`${name} refuses the id of an erased citizen`, async () => {
    const answer = await ask(request());
    assert.equal(answer.status, 400, String(answer.body));
    assert.doesNotMatch(String(answer.body), new RegExp(reserved));
  });
}

test('the ledger chain of the endpoints has no further entry after the attacks, and verifies', async () => {
  const hello = await ask(postJson(token, '/v1/notifications/send', { citizenId: 'demo-mary', message: 'Hello' }));
  assert.equal(hello.status, 202);
  await waitUntilSigned(home);
  const { chain, linkKey, entries } = await readGrowth();
  assert.equal(entries.length, unchanged.entries.length);
  const leaves = entries.map(({ proof }) => {
    const extra = parseReceiptExtra(parseProof(proof)?.extra ?? Buffer.alloc(0));
    return extra?.entry ?? assert.fail();
  });
  assert.equal(verifyChain({ chain: base64(chain), linkKey: base64(linkKey), leaves }), undefined);
});

const base64 = (text: string) => Buffer.from(text, 'base64');

test('a token of an issuer names no erased citizen', () => {
  const now = Date.UTC(2026, 0, 1);
  const iat = now / 1_000;
  const grantOf = (citizenId: string) =>
    parseAccessGrant(
      { aud: 'a', sub: 's', client_id: 'c', jti: 'j', iat, exp: iat + 60, citizen_id: citizenId },
      'a',
      now,
    )?.citizenId;
  assert.equal(grantOf(reserved), undefined);
  assert.equal(grantOf('demo-mary'), 'demo-mary');
});

test('an import refuses a row with the id of an erased citizen', () => {
  const read = createRowReader(['citizenId'], { citizenId: { columns: ['citizenId'] } }, { conditions: [], now: 0 });
  assert.match(JSON.stringify(read([reserved], 'imp')), /citizenId must be one line .* not the erased:/);
  assert.match(JSON.stringify(read(['erased:1'], 'imp')), /"citizen"/);
});

test('only an id with the exact form of an erased citizen is refused, and similar ids of a register are accepted', () => {
  const pseudonym = 'a'.repeat(32);
  for (const id of [
    `erased:${pseudonym}0`,
    `erased:${pseudonym.slice(1)}`,
    `Erased:${pseudonym}`,
    `erased:${'A'.repeat(32)}`,
  ])
    assert.ok(citizenIdPattern.test(id), id);
  for (const id of [`erased:${pseudonym}`, '', 'a\nb', '\ud800']) assert.ok(!citizenIdPattern.test(id), id);
});
