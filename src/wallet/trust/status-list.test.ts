import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import {
  makeTestIssuer,
  signStatusList,
  signWithChain,
  type TestIssuer,
} from '../../../test/support/credential-issuers.ts';
import { testDataPath, testDataSkipReason } from '../../../test/support/test-data.ts';
import { parseIssuerCertificate } from './issuer-certificate.ts';
import { inflateList, openStatusList, statusAt, statusValueAt } from './status-list.ts';

const vectors = testDataPath('vectors/wallet/status-lists.json');
const uri = 'https://status.example/1';
const now = Date.parse('2026-06-01T00:00:00Z');
const iat = now / 1_000 - 60;

let ca: TestIssuer;
let signer: TestIssuer;
before(async () => {
  ca = await makeTestIssuer('CA', { ca: true });
  signer = await makeTestIssuer('Signer', { issuer: ca });
});

const open = (jwt: string, at = now) =>
  openStatusList(jwt, { uri, anchors: [parseIssuerCertificate(ca.der)], now: at });

test('the published lists of 1, 2, 4 and 8 bits have the published values', {
  skip: vectors === undefined && testDataSkipReason,
}, async () => {
  for (const { bits, size, statuses, status_list } of JSON.parse(readFileSync(vectors ?? '', 'utf8'))) {
    const list = { bits, bytes: await inflateList(Buffer.from(status_list.lst, 'base64url')) };
    const expected = new Map<number, number>(statuses);
    for (const [index, value] of expected) assert.equal(statusValueAt(list, index), value, `${bits} bits, ${index}`);
    const others = Array.from({ length: 5_000 }, (_, index) => index).filter((index) => !expected.has(index));
    assert.ok(others.every((index) => statusValueAt(list, index) === 0));
    assert.equal(statusValueAt(list, size), undefined);
  }
});

test('the values 0, 1 and 2 are valid, revoked and suspended; others and a missing index are unknown', async () => {
  const list = await open(await signStatusList([signer], uri, [0, 1, 2, 3, 0x0c], { iat, ttl: 600 }));
  assert.equal(list.ttlMs, 600_000);
  const found = [0, 1, 2, 3, 4, 5, -1, 0.5, Number.MAX_SAFE_INTEGER].map((index) => statusAt(list, index));
  const unknown = 'unknown';
  assert.deepEqual(found, ['valid', 'revoked', 'suspended', unknown, unknown, unknown, unknown, unknown, unknown]);
});

test('a token of another address, type, time or signer is refused', async () => {
  const token = (of: object, header = {}, chain: readonly [TestIssuer, ...TestIssuer[]] = [signer]) =>
    signWithChain(
      { sub: uri, iat, status_list: { bits: 1, lst: deflateSync(new Uint8Array(8)).toString('base64url') }, ...of },
      { typ: 'statuslist+jwt', ...header },
      chain,
    );
  assert.equal((await open(await token({}))).bytes.length, 8);
  const otherCa = await makeTestIssuer('CA', { ca: true });
  const refused: readonly (readonly [string, RegExp])[] = [
    [await token({ sub: `${uri}0` }), /as `sub`/],
    [await token({ iat: now / 1_000 + 61 }), /as `iat`/],
    [await token({ exp: now / 1_000 }), /expired/],
    [await token({}, { typ: 'JWT' }), /type `statuslist\+jwt`/],
    [await token({}, {}, [await makeTestIssuer('Signer', { issuer: otherCa })]), /another signer/],
    [await token({}, { x5c: [signer.der.toString('base64')] }, [otherCa]), /does not verify/],
    [await token({}, { x5c: [] }), /another signer/],
    [await token({ status_list: { bits: 3, lst: 'eA' } }), /status_list/],
    [await token({ status_list: { bits: 1, lst: 'AAAA' } }), /inflates to at most/],
    [(await token({})).replace(/\.[^.]+$/, ''), /Invalid Token/],
    ['', /Invalid Token/],
  ];
  for (const [jwt, message] of refused) await assert.rejects(open(jwt), { name: 'TypeError', message });
});

test('a small token that inflates to more than 4 MiB is refused', async () => {
  const bomb = deflateSync(new Uint8Array(4 * 1_048_576 + 1)).toString('base64url');
  assert.ok(bomb.length < 10_000);
  const jwt = await signWithChain({ sub: uri, iat, status_list: { bits: 1, lst: bomb } }, { typ: 'statuslist+jwt' }, [
    signer,
  ]);
  await assert.rejects(open(jwt), { message: /inflates to at most 4194304 bytes/ });
});
