import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommandLine } from '../../src/cli/command.ts';
import { evidenceVerifyCommand } from '../../src/cli/evidence.ts';
import { type SigningKey, signingKeyFromSeed } from '../../src/crypto/signing-key.ts';
import {
  EvidenceBroken,
  parseEvidenceKeySet,
  signEvidence,
  verifyEvidence,
} from '../../src/notifications/evidence/evidence-bundle.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const issuer = signingKeyFromSeed('evidence', new Uint8Array(32).fill(9));
const forger = signingKeyFromSeed('evidence', new Uint8Array(32).fill(8));
const claims = { iat: 1, evidence: [{ event: 'ContentAccessTracking', time: 'made up' }] };

/** A bundle signed by the forger, with this kid in its header and the key `inside` in its claims. */
async function forged(inside: object, kid: string): Promise<string> {
  const key: SigningKey = { ...forger, kid };
  return JSON.stringify(await signEvidence(key, { ...claims, issuerKey: inside }));
}

function commandIn(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = makeTestFolder('forged-');
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return async (...args: string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const terminal = {
      stdout: (text: string) => void out.push(text),
      stderr: (text: string) => void err.push(text),
      isInteractive: false,
      cwd: folder,
    };
    const code = await runCommandLine(['evidence', 'verify', ...args], [evidenceVerifyCommand(terminal)], terminal);
    return { code, out: out.join(''), err: err.join('') };
  };
}

test('a key with the id of another key is refused, in a bundle and in a key set', async () => {
  const { x, y } = forger.publicKey.export({ format: 'jwk' });
  const misnamed = { ...issuer.publicJwk, x, y };
  for (const wrong of [JSON.stringify({ evidence: 'a.b.c' }), 'null', '1', '[]'])
    assert.throws(() => verifyEvidence(wrong), EvidenceBroken, wrong);
  const text = await forged(misnamed, issuer.kid);
  assert.throws(() => verifyEvidence(text), /the kid of its key is not the thumbprint of the key/);
  assert.throws(
    () => verifyEvidence(text, parseEvidenceKeySet(JSON.stringify({ keys: [issuer.publicJwk] }))),
    EvidenceBroken,
  );
  assert.throws(() => parseEvidenceKeySet(JSON.stringify({ keys: [misnamed] })), /kid of a key is not its thumbprint/);
  const nameless = { ...forger.publicJwk, kid: undefined };
  assert.throws(() => parseEvidenceKeySet(JSON.stringify({ keys: [nameless] })), /not its thumbprint/);
  const own = verifyEvidence(await forged(forger.publicJwk, forger.kid));
  assert.deepEqual([own.kid, own.keyTrusted], [forger.kid, false]);
});

test('another statement with a signature of the evidence key is not accepted as evidence', async () => {
  const { evidence, timeStamp = '' } = await signEvidence(issuer, claims, async () => Buffer.from('a token'));
  const trusted = parseEvidenceKeySet(JSON.stringify({ keys: [issuer.publicJwk] }));
  assert.equal(verifyEvidence(JSON.stringify({ evidence, timeStamp }), trusted).keyTrusted, true);
  const exchanged = [{ evidence: timeStamp }, { evidence, timeStamp: evidence }];
  for (const wrong of exchanged) {
    assert.throws(() => verifyEvidence(JSON.stringify(wrong), trusted), /its header is not that of signed evidence/);
  }
});

test('only the evidence keys are read from a key set with keys of other algorithms', () => {
  const ledger = signingKeyFromSeed('checkpoint', new Uint8Array(32).fill(7)).publicJwk;
  const keys = parseEvidenceKeySet(JSON.stringify({ keys: [ledger, { kty: 'RSA', kid: 'x' }, issuer.publicJwk] }));
  assert.deepEqual(
    keys.map(({ kid }) => kid),
    [issuer.kid],
  );
});

test('without a trusted key the command prints NOT TRUSTED, and never names the issuer of a forged bundle', async (t) => {
  const { x, y } = forger.publicKey.export({ format: 'jwk' });
  const moving = { ...claims, evidence: [{ event: '\u001b[2K\rVerified', time: 't' }] };
  const verify = commandIn(t, {
    'misnamed.json': await forged({ ...issuer.publicJwk, x, y }, issuer.kid),
    'own.json': await forged(forger.publicJwk, forger.kid),
    'good.json': JSON.stringify(await signEvidence(issuer, { ...claims, issuerKey: issuer.publicJwk })),
    'escape.json': JSON.stringify(await signEvidence(forger, { ...moving, issuerKey: forger.publicJwk })),
    'keys.json': JSON.stringify({ keys: [issuer.publicJwk] }),
  });
  const misnamed = await verify('misnamed.json');
  assert.equal(misnamed.code, 1);
  assert.doesNotMatch(misnamed.err + misnamed.out, new RegExp(issuer.kid));
  const own = await verify('own.json');
  assert.deepEqual([own.code, /^NOT TRUSTED/m.test(own.err), own.err.includes(forger.kid)], [0, true, true]);
  const trustedIn = async (...args: string[]) => {
    const { trusted, keyTrusted } = JSON.parse((await verify(...args, '--json')).out) as Record<string, unknown>;
    return [trusted, keyTrusted];
  };
  assert.deepEqual(await trustedIn('own.json'), [false, false]);
  assert.deepEqual(await trustedIn('good.json', '--keys', 'keys.json'), [true, true]);
  assert.equal((await verify('own.json', '--keys', 'keys.json')).code, 1);
  assert.doesNotMatch((await verify('escape.json')).out, /[^\P{Cc}\n]/u);
});

test('a published key for another use or without a use is not accepted for evidence', async (t) => {
  const others = (['access-token', 'result'] as const).map((use) =>
    signingKeyFromSeed(use, new Uint8Array(32).fill(6)),
  );
  const thiefs = signingKeyFromSeed('access-token', new Uint8Array(32).fill(6));
  const keys = [...others, issuer].map(({ publicJwk }) => publicJwk);
  const verify = commandIn(t, {
    'good.json': JSON.stringify(await signEvidence(issuer, { ...claims, issuerKey: issuer.publicJwk })),
    'thief.json': JSON.stringify(await signEvidence(thiefs, { ...claims, issuerKey: thiefs.publicJwk })),
    'keys.json': JSON.stringify({ keys }),
    'useless.json': JSON.stringify({ keys: keys.map((key) => ({ ...key, citizen_services_use: undefined })) }),
    'others.json': JSON.stringify({ keys: others.map(({ publicJwk }) => publicJwk) }),
  });
  assert.equal((await verify('good.json', '--keys', 'keys.json')).code, 0);
  assert.equal((await verify('good.json', '--keys', 'useless.json')).code, 2);
  const forged = await verify('thief.json', '--keys', 'keys.json', '--json');
  assert.deepEqual([forged.code, JSON.parse(forged.out).verified], [1, false]);
  assert.equal((await verify('good.json', '--keys', 'others.json')).code, 2);
});

test('an unreadable file or an invalid key set is a usage error, not a verdict', async (t) => {
  const good = JSON.stringify(await signEvidence(issuer, { ...claims, issuerKey: issuer.publicJwk }));
  const verify = commandIn(t, { 'good.json': good, 'text.json': 'no JSON', 'none.json': '{"keys":[]}' });
  const cases: ReadonlyArray<[string[], RegExp]> = [
    [['good.json', '--keys', 'text.json'], /^--keys: expected a key set/],
    [['good.json', '--keys', 'none.json'], /^--keys: expected a key set/],
    [['good.json', '--keys', 'absent.json'], /^Cannot read absent\.json: ENOENT/],
    [['absent.json'], /^Cannot read absent\.json: ENOENT/],
    [['good.json', '--tsa', 'absent.pem', '--json'], /^Cannot read absent\.pem: ENOENT/],
  ];
  for (const [args, message] of cases) {
    const { code, out, err } = await verify(...args);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, message);
    assert.doesNotMatch(err, /does not verify/);
  }
});
