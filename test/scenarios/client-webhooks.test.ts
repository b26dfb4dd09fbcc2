import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { type Client, createClient, verifyWebhook } from '../../client/src/client.ts';
import { repositoryRoot } from '../support/markdown-pages.ts';
import {
  fileCleanupScope,
  killWithThisProcess,
  makeServerFixture,
  type ServerFixture,
} from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type ReceivedWebhookCall, startWebhookReceiver } from '../support/webhook-receiver.ts';

// Webhook calls of a server, and the same calls by the command line of the client.
const program = join(repositoryRoot, 'client/src/main.ts');

let home: ServerFixture;
let client: Client;
let credentials: { readonly clientId: string; readonly clientSecret: string };

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
  const { clientId = '', clientSecret = '' } = home.readDemoFile().clients[0] ?? {};
  credentials = { clientId, clientSecret };
  client = createClient({ baseUrl: home.url, ...credentials });
});

const settings = () => ({
  PATH: process.env['PATH'],
  BASE_URL: home.url,
  CLIENT_ID: credentials.clientId,
  CLIENT_SECRET: credentials.clientSecret,
});

/** Runs the command line to its end. */
function run(args: readonly string[], env: NodeJS.ProcessEnv = settings()) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** Starts `listen` and collects its output. */
function startListening(t: TestContext, url: string, ...more: readonly string[]) {
  const child = spawn(process.execPath, [program, 'listen', '--forward-to', url, ...more], { env: settings() });
  const isGone = killWithThisProcess(child.pid ?? 0);
  t.after(() => child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      isGone();
      resolve(code);
    });
  });
  return {
    written,
    interrupt: () => {
      child.kill('SIGINT');
      return ended;
    },
    /** Waits until it listens, and returns the secret of its signatures. */
    secret: async () => {
      await waitUntil(async () => written.stderr.includes('whsec_'));
      return /whsec_\S+/.exec(written.stderr)?.[0] ?? '';
    },
  };
}

const callsAbout = (calls: readonly ReceivedWebhookCall[], id: string) => calls.filter(({ body }) => body.includes(id));

test('the client verifies webhook calls with v1 and v1a, and listen forwards the same calls to a local address', async (t) => {
  const receivers = await Promise.all([startWebhookReceiver(t), startWebhookReceiver(t), startWebhookReceiver(t)]);
  const [byServer, byKey, forwarded] = receivers;
  const { body: hook } = await client.call('createWebhook', { body: { url: byServer.url } });
  const { body: keyHook } = await client.call('createWebhook', { body: { url: byKey.url, signature: 'v1a' } });
  const listening = startListening(t, forwarded.url);
  const secret = await listening.secret();
  const { id } = await client.send({ citizenId: 'demo-mary', message: 'Ready.', reference: 'hook-1' });
  await waitUntil(async () => receivers.every(({ calls }) => callsAbout(calls, id).length > 0));
  const [call] = callsAbout(byServer.calls, id);
  const [keyCall] = callsAbout(byKey.calls, id);
  const [passed] = callsAbout(forwarded.calls, id);
  assert.ok(call !== undefined && keyCall !== undefined && passed !== undefined);
  const event = verifyWebhook(hook.secret ?? '', call.headers, call.body);
  assert.deepEqual([event.data.notification, event.data.reference], [id, 'hook-1']);
  assert.deepEqual(verifyWebhook(keyHook.publicKey ?? '', keyCall.headers, keyCall.body), event);
  assert.deepEqual(verifyWebhook(secret, passed.headers, passed.body), event);
  assert.throws(() => verifyWebhook(secret, call.headers, call.body), { name: 'WebhookError' });

  assert.equal(passed.body, call.body);
  for (const name of ['content-type', 'user-agent', 'webhook-id'])
    assert.equal(passed.headers[name], call.headers[name]);
  const line = `${event.number} ${event.type} ${id} → 204\n`;
  await waitUntil(async () => listening.written.stdout.includes(line));
  assert.equal(await listening.interrupt(), 0);
  assert.match(listening.written.stderr, /To go on where this ended: --after \d+\n$/);
});

test('listen continues after a given event with the same secret, and reports calls without a response', async (t) => {
  const forwarded = await startWebhookReceiver(t, () => 500);
  const listening = startListening(t, forwarded.url, '--after', '0');
  const secret = await listening.secret();
  await waitUntil(async () => listening.written.stdout.includes(' → 500\n'));
  assert.ok(forwarded.calls.some(({ headers, body }) => verifyWebhook(secret, headers, body).number === 1));
  assert.equal(await listening.interrupt(), 0);
  const again = startListening(t, 'http://127.0.0.1:9/hooks', '--after', '0');
  assert.equal(await again.secret(), secret);
  await waitUntil(async () => /^1 \S+ ntf_\S+ → no answer \(\w+\)$/m.test(again.written.stdout));
  assert.equal(await again.interrupt(), 0);
});

test('listen exits with 1 for a cursor of another feed, and prints how to continue', () => {
  const to = ['listen', '--forward-to', 'http://127.0.0.1:9/hooks', '--after', '999999'];
  const { status, stdout, stderr } = run(to);
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /To go on where this ended: --after 999999\n410 cursor-expired: /);
});

test('token prints a valid access token for a client with a secret or a key file', async () => {
  const { status, stdout } = run(['token']);
  assert.equal(status, 0);
  const answer = await fetch(`${home.url}/v1/events`, { headers: { authorization: `Bearer ${stdout.trim()}` } });
  assert.equal(answer.status, 200);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const [keys, key] = ['keys.json', 'key.json'].map((name) => join(home.dataDir, name));
  writeFileSync(keys ?? '', JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] }));
  writeFileSync(key ?? '', JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'one' }));
  const order = ['clients', 'create', 'Keyed', '--kind', 'live', '--scopes', 'events:read', '--json'];
  const made = await home.runCommand(...order, '--jwks', keys ?? '');
  assert.equal(made.code, 0, made.stderr);
  const { clientId } = JSON.parse(made.stdout) as { clientId: string };
  const own = { PATH: process.env['PATH'], BASE_URL: home.url, CLIENT_ID: clientId, CLIENT_KEY: key };
  const byKey = run(['token'], own);
  assert.equal(byKey.status, 0, byKey.stderr);
  assert.match(byKey.stdout, /^ey[\w-]+\.[\w-]+\.[\w-]+\n$/);
  writeFileSync(key ?? '', JSON.stringify(publicKey.export({ format: 'jwk' })));
  const wrong = run(['token'], own);
  assert.deepEqual([wrong.status, wrong.stdout], [1, '']);
  assert.match(wrong.stderr, /^privateKey has to be a private key/);
});

test('wrong usage exits with 2 and a fix, a failure exits with 1, and neither prints a secret', () => {
  assert.deepEqual([run(['--help']).status, run(['--help']).stdout.includes('listen --forward-to URL')], [0, true]);
  const wrong: readonly (readonly [args: string[], over: NodeJS.ProcessEnv, says: RegExp])[] = [
    [[], {}, /name a command/],
    [['tokens'], {}, /expected token, listen/],
    [['token', 'now'], {}, /unexpected: now/],
    [['token', '--after', '1'], {}, /expected token/],
    [['listen'], {}, /--forward-to has to be a URL/],
    [['listen', '--forward-to', 'ftp://x/'], {}, /--forward-to has to be a URL/],
    [['listen', '--forward-to', 'http://127.0.0.1:9', '--after', 'x'], {}, /--after has to be the number/],
    [['listen', '--to', 'x'], {}, /--to/],
    [['token'], { BASE_URL: undefined }, /BASE_URL/],
    [['token'], { CLIENT_ID: undefined }, /CLIENT_ID/],
    [['token'], { CLIENT_KEY: 'key.json' }, /either CLIENT_SECRET or CLIENT_KEY/],
    [['token'], { CLIENT_SECRET: undefined, CLIENT_KEY: '/nowhere.json' }, /CLIENT_KEY has to name a file/],
  ];
  for (const [args, over, says] of wrong) {
    const { status, stdout, stderr } = run(args, { ...settings(), ...over });
    assert.deepEqual([status, stdout], [2, ''], stderr);
    assert.match(stderr, says);
    assert.match(stderr, /See --help\.\n$/);
  }
  const refused = run(['token'], { ...settings(), CLIENT_SECRET: 'Zzyxwsecret' });
  assert.deepEqual([refused.status, refused.stdout], [1, '']);
  assert.match(refused.stderr, /^no access token: invalid_client: [^\n]+\n$/);
  assert.equal(refused.stderr.includes('Zzyxw'), false);
});
