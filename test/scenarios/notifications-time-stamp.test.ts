import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommandLine } from '../../src/cli/command.ts';
import { evidenceVerifyCommand } from '../../src/cli/evidence.ts';
import { signingKeyFromSeed } from '../../src/crypto/signing-key.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { signEvidence, verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import {
  parseCertificates,
  parseTimeStampAnswer,
  timeStampRequest,
  verifyTimeStamp,
} from '../../src/notifications/evidence/time-stamp.ts';
import { createTimeStampClient } from '../../src/notifications/evidence/time-stamp-client.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { engines } from '../support/database-engines.ts';
import { createNotificationApp } from '../support/notification-app.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { startTimeStampAuthority, type TimeStampFault } from '../support/time-stamp-authority.ts';

const now = Date.UTC(2026, 0, 15, 9);
const key = signingKeyFromSeed('evidence', new Uint8Array(32).fill(9));
const claims = { iat: now / 1_000, evidence: [], issuerKey: key.publicJwk };

function folderOf(t: TestContext): string {
  const folder = makeTestFolder('stamp-');
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A time-stamp client that trusts this authority, and the faults that it reported. */
function stamperFor(authority: { readonly url: string; readonly ca: string }, timeoutMs = 10_000) {
  const faults: string[] = [];
  let at = now;
  const stamp = createTimeStampClient({
    url: authority.url,
    trusted: parseCertificates(authority.ca),
    timeoutMs,
    clock: { now: () => at },
    random: systemRandom,
    onFault: (fault) => faults.push(fault instanceof Error ? fault.message : String(fault)),
  });
  const wait = (ms: number) => {
    at += ms;
  };
  return { stamp, faults, wait };
}

async function verify(folder: string, ...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    stdout: (text: string) => void out.push(text),
    stderr: (text: string) => void err.push(text),
    isInteractive: false,
    cwd: folder,
  };
  const code = await runCommandLine(['evidence', 'verify', ...args], [evidenceVerifyCommand(terminal)], terminal);
  return { code, out: out.join(''), err: err.join('') };
}

for (const engine of engines) {
  test(`${engine.name}: a bundle gets a time stamp and verifies offline with its time`, async (t) => {
    const authority = await startTimeStampAuthority(t, () => now);
    const app = await createNotificationApp(await engine.open(t), { now: () => now }, { 'cit-ada': { name: 'Ada' } });
    const { stamp, faults } = stamperFor(authority);
    Object.assign(app.ports, { requestTimeStamp: stamp });
    const id = await app.accept({ citizenId: 'cit-ada' });
    const answer = await app.serve(readEvidence)({ params: { id } });
    assert.ok('json' in answer, faults.join());
    const folder = folderOf(t);
    writeFileSync(join(folder, 'bundle.json'), JSON.stringify(answer.json));
    writeFileSync(join(folder, 'tsa.pem'), authority.ca);
    writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [app.ports.evidenceKey().publicJwk] }));
    const good = await verify(folder, 'bundle.json', '--keys', 'keys.json', '--tsa', 'tsa.pem');
    assert.equal(good.code, 0, good.err);
    assert.match(
      good.err,
      /^Time stamp of 2026-01-15T09:00:00\.000Z by Test TSA\.\nVerified: signed by the trusted key/,
    );
    const alone = await verify(folder, 'bundle.json');
    assert.match(alone.err, /by Test TSA \(not verified: pass its certificates with --tsa\)/);
    const other = await startTimeStampAuthority(t, () => now, { name: 'Other TSA' });
    writeFileSync(join(folder, 'other.pem'), other.ca);
    const wrong = await verify(folder, 'bundle.json', '--tsa', 'other.pem');
    assert.deepEqual([wrong.code, /expected a time stamp by an authority in --tsa/.test(wrong.err)], [1, true]);
    writeFileSync(join(folder, 'bare.json'), JSON.stringify(await signEvidence(key, claims, undefined)));
    const bare = await verify(folder, 'bare.json', '--tsa', 'tsa.pem');
    assert.deepEqual(
      [bare.code, /expected a time stamp because of --tsa, found none/.test(bare.err)],
      [1, true],
      bare.err,
    );
    const backdated = { ...claims, iat: claims.iat - 86_400 };
    writeFileSync(join(folder, 'late.json'), JSON.stringify(await signEvidence(key, backdated, stamp)));
    const late = await verify(folder, 'late.json', '--tsa', 'tsa.pem');
    assert.deepEqual([late.code, /the time of its time stamp differs/.test(late.err)], [1, true], late.err);
    assert.deepEqual(faults, []);
  });
}

test('a bundle with a changed bit, without its time stamp or with another time stamp does not verify', async (t) => {
  const authority = await startTimeStampAuthority(t, () => now);
  const { stamp } = stamperFor(authority);
  const bundle = await signEvidence(key, claims, stamp);
  const again = await signEvidence(key, { ...claims, more: 1 }, stamp);
  assert.ok(bundle.timeStamp !== undefined && again.timeStamp !== undefined);
  const good = Buffer.from(JSON.stringify(bundle));
  const { stamp: held } = verifyEvidence(good.toString());
  assert.ok(held !== undefined);
  assert.equal((await verifyTimeStamp(held.token, held.over)).at, now);
  const passes = (text: string) => {
    try {
      verifyEvidence(text);
      return true;
    } catch {
      return false;
    }
  };
  let passed = 0;
  for (let bit = 0; bit < good.length * 8; bit += 1) {
    const bad = Buffer.from(good);
    bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if (passes(bad.toString('latin1'))) passed += 1;
  }
  t.diagnostic(`${good.length * 8} bits tried`);
  assert.equal(passed, 0);
  assert.throws(
    () => verifyEvidence(JSON.stringify({ evidence: bundle.evidence })),
    /its time stamp was removed or added/,
  );
  const exchanged = { evidence: bundle.evidence, timeStamp: again.timeStamp };
  assert.throws(() => verifyEvidence(JSON.stringify(exchanged)), /its time stamp is for another statement/);
});

const lies: ReadonlyArray<[string, TimeStampFault, RegExp]> = [
  [
    'with a clock that is an hour off',
    { clockOffsetMs: 3_600_000 },
    /its time differs too much from the time of this server/,
  ],
  ['that stamps another digest', { imprint: 'another' }, /not over this text/],
  ['that repeats the response to another request', { nonce: 'another' }, /it is for another request/],
  ['that omits the nonce', { nonce: 'none' }, /it is for another request/],
  ['that refuses', { status: 'refused' }, /rejected the request/],
  ['with a broken signature', { signature: 'broken' }, /its signature is not valid/],
  ['that signs twice', { signature: 'twice' }, /its form/],
  ['with a signature of other content', { content: 'other' }, /its form/],
  ['that responds without a time stamp', { answer: 'garbage' }, /the answer/],
  ['that responds without an end', { answer: 'endless' }, /more than 65536 bytes/],
  ['that responds with an error', { answer: 'error' }, /received 500/],
  ['that does not respond', { answer: 'nothing' }, /timeout/i],
];

test('a bundle without a valid time stamp of the authority states that it has none, and still verifies', async (t) => {
  const authority = await startTimeStampAuthority(t, () => now);
  const folder = folderOf(t);
  for (const [which, lie, fault] of lies) {
    authority.lies(lie);
    const { stamp, faults } = stamperFor(authority, lie.answer === 'nothing' ? 100 : 10_000);
    const bundle = await signEvidence(key, claims, stamp);
    assert.equal(bundle.timeStamp, undefined, `an authority ${which}`);
    assert.match(faults.join(), fault, `an authority ${which}`);
    writeFileSync(join(folder, 'bundle.json'), JSON.stringify(bundle));
    const verified = await verify(folder, 'bundle.json');
    assert.deepEqual(
      [verified.code, verified.err.split('\n')[0]],
      [0, 'No time stamp: the authority did not respond.'],
    );
  }
});

test('a time stamp over a weak digest is rejected', async (t) => {
  const authority = await startTimeStampAuthority(t, () => now);
  authority.lies({ imprint: 'weak' });
  const { stamp, faults } = stamperFor(authority);
  assert.equal(await stamp(Buffer.from('x')), undefined);
  assert.match(faults.join(), /not over SHA-256/);
});

test('a time stamp by a certificate of another authority or for another usage is rejected', async (t) => {
  const [good, other] = [
    await startTimeStampAuthority(t, () => now),
    await startTimeStampAuthority(t, () => now, { name: 'Other' }),
  ];
  const [web, both, young] = [
    await startTimeStampAuthority(t, () => now, { usage: ['web'] }),
    await startTimeStampAuthority(t, () => now, { usage: ['stamp', 'web'] }),
    await startTimeStampAuthority(t, () => now, { from: new Date(now + 86_400_000) }),
  ];
  const faultOf = async (authority: { readonly url: string; readonly ca: string }) => {
    const { stamp, faults } = stamperFor(authority);
    await stamp(Buffer.from('x'));
    return faults.join();
  };
  assert.equal(await faultOf(good), '');
  assert.match(await faultOf({ url: good.url, ca: other.ca }), /was not issued by a trusted authority/);
  for (const authority of [web, both]) assert.match(await faultOf(authority), /not for time stamping/);
  assert.match(await faultOf(young), /was not valid at that time/);
});

test('after a failure no request is sent to the authority for 30 seconds', async (t) => {
  const authority = await startTimeStampAuthority(t, () => now);
  const { stamp, wait } = stamperFor(authority);
  authority.lies({ answer: 'error' });
  await stamp(Buffer.from('x'));
  authority.lies({});
  assert.equal(await stamp(Buffer.from('x')), undefined);
  assert.equal(authority.asked(), 1);
  wait(31_000);
  assert.ok((await stamp(Buffer.from('x'))) !== undefined);
});

test('after a failure a request is sent to the authority at once when the clock is set back', async (t) => {
  const authority = await startTimeStampAuthority(t, () => now);
  const { stamp, wait } = stamperFor(authority);
  wait(3_600_000);
  assert.equal(await stamp(Buffer.from('x')), undefined);
  wait(-3_600_000);
  assert.ok((await stamp(Buffer.from('x'))) !== undefined);
});

/** An OpenSSL time-stamp authority in a folder, with its own certificate. */
function opensslAuthority(folder: string) {
  const openssl = (command: string) =>
    execFileSync('openssl', command.split(/\s+/), { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = [
    '[req]\ndistinguished_name=dn\n[dn]\n[ext]\nextendedKeyUsage=critical,timeStamping\n[tsa]\ndefault_tsa=one\n[one]',
    'serial=./serial\ncrypto_device=builtin\nsigner_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256\nordering=no',
    'tsa_name=no\ness_cert_id_chain=no\ness_cert_id_alg=sha256\n',
  ];
  writeFileSync(join(folder, 'tsa.cnf'), lines.join('\n'));
  writeFileSync(join(folder, 'serial'), '01\n');
  openssl(
    'req -x509 -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.pem -days 2 -subj /CN=OpenSSL -config tsa.cnf -extensions ext',
  );
  return openssl;
}

test('OpenSSL accepts the time-stamp requests of the server, and verifies the stored tokens', async (t) => {
  const folder = folderOf(t);
  const openssl = opensslAuthority(folder);
  const over = Buffer.from('the signed statement');
  const nonce = systemRandom(16);
  writeFileSync(join(folder, 'query.tsq'), timeStampRequest(over, nonce));
  writeFileSync(join(folder, 'data'), over);
  openssl('ts -reply -config tsa.cnf -queryfile query.tsq -signer tsa.pem -inkey tsa.key -out answer.tsr');
  const answer = readFileSync(join(folder, 'answer.tsr'));
  const trusted = parseCertificates(readFileSync(join(folder, 'tsa.pem'), 'utf8'));
  const stamped = await parseTimeStampAnswer(answer, { over, nonce, trusted });
  assert.deepEqual([stamped.authority, stamped.trusted], ['OpenSSL', true]);
  writeFileSync(join(folder, 'token'), stamped.token);
  const verified = openssl('ts -verify -data data -in token -token_in -CAfile tsa.pem -partial_chain');
  assert.match(verified.toString(), /Verification: OK/);
});
