import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { engines } from '../support/database-engines.ts';
import { bearerHeaders, createHttpClient, parseJsonBody } from '../support/http-client.ts';
import { runCommandInProcess } from '../support/run-command.ts';
import { makeServerFixture, runDemoOnce } from '../support/server-process.ts';
import { createClientToken, validDepositHeaders, validDocument } from '../support/valid-requests.ts';
import { waitUntil } from '../support/wait-until.ts';

test('the command line verifies a receipt in text form with only the public key of the log', async (t) => {
  const home = await makeServerFixture(t);
  await home.start();
  const authorization = `Bearer ${await home.fetchAccessToken()}`;
  const [document] = home.readDemoFile().documents;
  const given = await fetch(`${home.url}/v1/documents/${document?.id}`, { headers: { authorization } });
  await given.arrayBuffer();
  const path = /<(\/v1\/receipts\/[^>]+)>; rel="receipt"/.exec(given.headers.get('link') ?? '')?.[1] ?? assert.fail();
  const ask = (end = '', accept = '*/*') => fetch(`${home.url}${path}${end}`, { headers: { authorization, accept } });
  await waitUntil(async () => (await ask()).status === 200);

  const asText = await ask('/proof', 'text/plain, application/json;q=0.5');
  assert.deepEqual([asText.status, asText.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
  const eventId = path.split('/').at(-1);
  assert.equal(asText.headers.get('content-disposition'), `attachment; filename="${eventId}.tlog-proof"`);
  const proof = await asText.text();
  assert.match(proof, /^c2sp\.org\/tlog-proof@v1\nextra [^\n]+\nindex \d+\n/);
  for (const accept of ['*/*', 'application/json', 'text/plain, application/json;q=0.1']) {
    const asJson = await ask('', accept);
    assert.equal(asJson.headers.get('content-type'), 'application/json; charset=utf-8', accept);
    const { eventId: named, proof: same } = JSON.parse(await asJson.text());
    assert.deepEqual([named, same.split('\n')[1]], [eventId, proof.split('\n')[1]]);
  }
  assert.equal((await ask('', 'text/plain')).status, 406);
  assert.equal((await ask('/proof', 'application/json')).status, 406);

  const file = join(home.dataDir, 'receipt.tlog-proof');
  const key = (await runCommandInProcess(home, 'ledger', 'key')).stdout.trim();
  writeFileSync(file, proof);
  const verified = await home.runCommand('ledger', 'verify', file, '--key', key, '--json');
  assert.equal(verified.code, 0, verified.stderr);
  assert.match(verified.stdout, /document\.retrieved/);
  writeFileSync(file, proof.replace(/index \d+/, 'index 0'));
  assert.equal((await runCommandInProcess(home, 'ledger', 'verify', file, '--key', key)).code, 1);
});

test('the receipt of a deposit proves offline which document was deposited', async (t) => {
  const home = await makeServerFixture(t);
  await home.start();
  const ask = createHttpClient(home.url);
  const headers = bearerHeaders(await home.fetchAccessToken(), { ...validDepositHeaders(), 'citizen-id': 'demo-mary' });
  const deposited = parseJsonBody(await ask({ method: 'POST', path: '/v1/documents', headers, body: validDocument }));
  const { digest } = await saidOffline(home, ask, String(deposited['receipt']));
  assert.equal(digest, `sha-256=:${createHash('sha256').update(validDocument).digest('base64')}:`);
});

test('the receipt of an accepted notification proves offline which message the evidence is for', async (t) => {
  const home = await makeServerFixture(t);
  await home.start();
  const ask = createHttpClient(home.url);
  const headers = bearerHeaders(await home.fetchAccessToken(), { 'content-type': 'application/json' });
  const body = JSON.stringify({ citizenId: 'demo-mary', message: 'Your permit is ready.' });
  const sent = parseJsonBody(await ask({ method: 'POST', path: '/v1/notifications/send', headers, body }));
  const bundle = await ask({ path: `/v1/notifications/${sent['id']}/evidence`, headers });
  const { contentDigest, receipt } = verifyEvidence(bundle.body.toString()).claims;
  const said = await saidOffline(home, ask, String(receipt));
  const digest = createHash('sha256').update('{"message":"Your permit is ready."}').digest('hex');
  assert.deepEqual([said['notification'], said['contentDigest']], [sent['id'], contentDigest]);
  assert.equal(contentDigest, `sha-256:${digest}`);
});

/** The content of the entry of a receipt, read by the command line without the server. */
async function saidOffline(
  home: Awaited<ReturnType<typeof makeServerFixture>>,
  ask: ReturnType<typeof createHttpClient>,
  path: string,
): Promise<Record<string, unknown>> {
  const headers = bearerHeaders(await home.fetchAccessToken());
  const proof = () => ask({ path: `${path}/proof`, headers });
  await waitUntil(async () => (await proof()).status === 200);
  const file = join(home.dataDir, 'receipt.tlog-proof');
  writeFileSync(file, (await proof()).body);
  const key = (await runCommandInProcess(home, 'ledger', 'key')).stdout.trim();
  const { stdout } = await runCommandInProcess(home, 'ledger', 'verify', file, '--key', key, '--json');
  const { content } = JSON.parse(stdout) as { content: string | Record<string, unknown> };
  return typeof content === 'string' ? (JSON.parse(content) as Record<string, unknown>) : content;
}

for (const engine of engines) {
  test(`${engine.name}: the refusal for an erased document links the proof for its issuer only, after any kind of erasure`, async (t) => {
    const home = await makeServerFixture(t, { engine: engine.name });
    await runDemoOnce(home);
    // Without the worker, whose own deletion run could come first.
    const server = home.launchCommand('start', '--roles', 'api,sequencer');
    // A server that is ready also accepts commands.
    await waitUntil(async () => server.stderr().includes(`at ${home.url}`));
    const ask = createHttpClient(home.url);
    const [token, other] = [
      await createClientToken(home, 'Tax Office'),
      await createClientToken(home, 'Land Registry'),
    ];
    const retention = ['--keep-days', '0', '--erase-after-days', '0', '--basis', 'x'];
    assert.equal((await runCommandInProcess(home, 'retention-classes', 'add', 'short', ...retention)).code, 0);
    const deposit = async (citizenId: string, more = {}) => {
      const headers = bearerHeaders(token, { ...validDepositHeaders(), 'citizen-id': citizenId, ...more });
      const answer = await ask({ method: 'POST', path: '/v1/documents', headers, body: validDocument });
      return String(parseJsonBody(answer)['id']);
    };
    const ids = [await deposit('demo-mary', { 'document-retention-class': 'short' }), await deposit('demo-layla')];
    const lying = () => {
      const files = readdirSync(join(home.dataDir, 'documents'), { recursive: true });
      return ids.filter((id) => files.some((file) => String(file).includes(id)));
    };
    assert.deepEqual(lying(), ids);
    assert.equal((await runCommandInProcess(home, 'documents', 'delete-due')).code, 0);
    assert.equal((await runCommandInProcess(home, 'citizens', 'erase', 'demo-layla', '--yes')).code, 0);
    assert.deepEqual(lying(), [], 'the sealed bytes are gone as well');
    const key = (await runCommandInProcess(home, 'ledger', 'key')).stdout.trim();
    const contents = [];
    for (const id of ids) {
      const gone = await ask({ path: `/v1/documents/${id}`, headers: bearerHeaders(token) });
      assert.equal(gone.status, 410);
      const path = String(parseJsonBody(gone)['proof']);
      assert.equal((await ask({ path, headers: bearerHeaders(other) })).status, 404);
      await waitUntil(async () => (await ask({ path, headers: bearerHeaders(token) })).status === 200);
      const receipt = await ask({ path: `${path}/proof`, headers: bearerHeaders(token) });
      const file = join(home.dataDir, 'erased.tlog-proof');
      writeFileSync(file, receipt.body);
      const verified = await runCommandInProcess(home, 'ledger', 'verify', file, '--key', key, '--json');
      assert.equal(verified.code, 0, verified.stderr);
      contents.push(JSON.parse(verified.stdout).content);
      assert.equal((await ask({ path, headers: bearerHeaders(other) })).status, 404);
    }
    // They name the employee, and the second one the pseudonym of the citizen.
    assert.deepEqual(contents, [null, null]);
  });
}
