import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { openClientCommands, readPendingEvents } from '../../test/support/run-command.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { scopes } from '../api/operation.ts';
import { isClientSecret } from '../auth/client.ts';
import { findClient } from '../auth/client-store.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { findWaitingWebhooks, insertCalls } from '../notifications/webhooks/webhook-call-store.ts';
import { findActiveWebhooks, insertWebhook } from '../notifications/webhooks/webhook-store.ts';

for (const engine of engines) {
  test(`${engine.name}: create stores the client with its event, and shows the secret once`, async (t) => {
    const line = await openClientCommands(t, engine);
    const { db, run } = line;
    const made = await run(
      'clients',
      'create',
      'Tax Office',
      '--scopes',
      'documents:read, documents:write',
      '--secret',
      '--quota',
      '50',
      '--json',
    );
    assert.equal(made.code, 0);
    assert.equal(
      made.stderr,
      'The secret is shown only once. Store it in a safe place. The server accepts secrets only with CLIENT_SECRETS=true.\n',
    );
    const shown = JSON.parse(made.stdout);
    const { clientId, clientSecret, ...rest } = shown;
    assert.deepEqual(rest, {
      name: 'Tax Office',
      kind: 'test',
      scopes: ['documents:read', 'documents:write'],
      proof: 'secret',
      binding: 'none',
      quotaPerSecond: 50,
      createdAt: '2026-11-20T09:00:00.000Z',
    });
    const stored = await findClient(db.read, clientId);
    assert.ok(stored?.credential.by === 'secret');
    assert.equal(isClientSecret(clientId, stored.credential.hash, clientSecret), true);
    assert.deepEqual(stored.quota, { perSecond: 50, burst: 100 });
    assert.deepEqual(await readPendingEvents(line), [
      {
        type: 'client.created',
        at: '2026-11-20T09:00:00.000Z',
        actor: { operator: 'root' },
        clientId,
        scopes: ['documents:read', 'documents:write'],
      },
    ]);
    const listed = await run('clients', 'list', '--json');
    assert.deepEqual(JSON.parse(listed.stdout), [{ clientId, ...rest }]);
    assert.equal(listed.stdout.includes(clientSecret), false);
  });

  test(`${engine.name}: bind changes the binding of tokens, with its event, and refuses an unknown binding`, async (t) => {
    const { db, run } = await openClientCommands(t, engine);
    const made = await run('clients', 'create', 'x', '--scopes', 'documents:read', '--secret', '--json');
    const { clientId } = JSON.parse(made.stdout);
    assert.equal((await run('clients', 'bind', clientId, 'mtls', 'none')).code, 2);
    assert.equal((await run('clients', 'bind', clientId, 'dpop')).code, 0);
    assert.equal((await findClient(db.read, clientId))?.binding, 'dpop');
    assert.equal((await run('clients', 'bind', clientId, 'tls')).code, 2);
    assert.equal((await run('clients', 'bind', 'nobody', 'dpop')).code, 1);
    const events = await db.read('select type from ledger_event order by id');
    assert.deepEqual(
      events.map((row) => row['type']),
      ['client.created', 'client.bound'],
    );
  });

  test(`${engine.name}: disabling a client removes its webhooks and their waiting calls`, async (t) => {
    const { db, clock, run } = await openClientCommands(t, engine);
    const ids = [];
    for (const name of ['x', 'y']) {
      const made = await run('clients', 'create', name, '--scopes', 'documents:read', '--secret', '--json');
      const { clientId } = JSON.parse(made.stdout);
      const id = createIdGenerator(clock, systemRandom)('webhook');
      const secret = new Uint8Array(40);
      const webhook = { id, clientId, url: 'https://x.example/', signature: 'v1', secret, createdAt: 1 } as const;
      const call = createIdGenerator(clock, systemRandom)('event');
      const insertEvent = "insert into feed_event (id, client_id, at, type, data) values ($1, $2, 1, 'x', '{}')";
      await db.write([
        ...insertWebhook(webhook),
        { sql: insertEvent, args: [call, clientId] },
        ...insertCalls([{ webhook: id, event: call, at: 1 }]),
      ]);
      ids.push({ clientId, id });
    }
    const [gone, other] = ids;
    assert.equal((await run('clients', 'disable', gone?.clientId)).code, 0);
    assert.deepEqual(await findActiveWebhooks(db.read, gone?.clientId), []);
    assert.deepEqual(await findActiveWebhooks(db.read, other?.clientId), [other?.id]);
    assert.deepEqual(
      (await findWaitingWebhooks(db.read)).filter(({ isActive }) => isActive).map(({ id }) => id),
      [other?.id],
    );
  });

  test(`${engine.name}: a client can be disabled once, with its event`, async (t) => {
    const { db, clock, run } = await openClientCommands(t, engine);
    const made = await run('clients', 'create', 'x', '--scopes', 'documents:read', '--secret', '--json');
    const { clientId } = JSON.parse(made.stdout);
    clock.at += 1_000;
    assert.equal((await run('clients', 'disable', clientId)).code, 0);
    assert.equal((await findClient(db.read, clientId))?.disabledAt, clock.at);
    const again = await run('clients', 'disable', clientId);
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.match(again.stderr, /the client does not exist or is disabled/);
    assert.equal((await run('clients', 'bind', clientId, 'dpop')).code, 1);
    const types = await db.read('select type from ledger_event order by id');
    assert.deepEqual(
      types.map((row) => row['type']),
      ['client.created', 'client.disabled'],
    );
    const [head, row] = (await run('clients', 'list')).stdout.split('\n');
    assert.equal(head, 'clientId\tkind\tproof\tstate\tscopes\tname');
    assert.equal(row, `${clientId}\ttest\tsecret\t2026-11-20T09:00:01.000Z\tdocuments:read\tx`);
  });
}

test('a client with an unknown policy is not created', async (t) => {
  const { run } = await openClientCommands(t);
  const made = await run('clients', 'create', 'x', '--scopes', 'identity:verify', '--secret', '--policy', 'lenient');
  assert.equal(made.code, 2);
  assert.match(made.stderr, /^--policy: expected one of standard-2026-3, .*, received "lenient"\./);
  assert.deepEqual(JSON.parse((await run('clients', 'list', '--json')).stdout), []);
});

test('a live client is created with public keys and without a secret', async (t) => {
  const { run } = await openClientCommands(t);
  const folder = makeTestFolder('cs-clients-');
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'jwks.json');
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  await writeFile(file, JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
  const args = [
    'clients',
    'create',
    'Live',
    '--scopes',
    'documents:read',
    '--kind',
    'live',
    '--purposes',
    'tax,benefits',
  ];
  const made = await run(...args, '--jwks', file);
  assert.equal(made.code, 0);
  assert.match(
    made.stdout,
    /^clientId: live-[a-z0-9]{8}\nname: Live\nkind: live\nscopes: documents:read\nproof: keys\nbinding: none\npurposes: benefits tax\n/,
  );
  assert.equal(made.stderr, '');
  await writeFile(file, JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] }));
  const refused = await run(...args, '--jwks', file);
  assert.deepEqual([refused.code, refused.stdout], [2, '']);
  assert.match(refused.stderr, /private member "d"/);
});

test('a client with the value any may use all purposes and legal bases', async (t) => {
  const { run } = await openClientCommands(t);
  const any = ['--purposes', 'any', '--legal-bases', 'any'];
  const made = await run('clients', 'create', 'x', '--scopes', 'identity:verify', '--secret', '--json', ...any);
  const { purposes, legalBases } = JSON.parse(made.stdout);
  assert.deepEqual([made.code, purposes, legalBases], [0, undefined, undefined]);
});

test('--issuer accepts http for an issuer on this machine, like TRUSTED_ISSUERS', async (t) => {
  const { run } = await openClientCommands(t);
  const made = await run(
    'clients',
    'create',
    'x',
    '--scopes',
    'citizen:self',
    '--issuer',
    'http://127.0.0.1:8080/realms/x',
  );
  assert.deepEqual([made.code, made.stderr], [0, '']);
  assert.match(made.stdout, /^proof: http:\/\/127.0.0.1:8080\/realms\/x$/m);
});

test('wrong usage gives exit code 2 with the expected value, and stores nothing', async (t) => {
  const { db, run } = await openClientCommands(t);
  const create = (...args: string[]) => run('clients', 'create', ...args);
  const cases: ReadonlyArray<readonly [string[], RegExp]> = [
    [['--scopes', 'documents:read', '--secret'], /^Expected one name .*, received nothing\./],
    [['x', '--secret'], /^--scopes: expected a comma-separated list of identity:verify,.*, received nothing\./],
    [['x', '--scopes', 'made:up', '--secret'], /--scopes: expected a comma-separated list/],
    [['x', '--scopes', 'documents:read'], /^Expected one of --secret, .* received 0 of them/],
    [['x', '--scopes', 'documents:read', '--secret', '--issuer', 'https://x.example'], /received 2 of them/],
    [['x', '--scopes', 'documents:read', '--issuer', 'http://x.example'], /https/],
    [
      ['x', '--scopes', 'documents:read', '--secret', '--kind', 'demo'],
      /--kind: expected test, team or live, received "demo"/,
    ],
    [['x', '--scopes', 'documents:read', '--secret', '--kind', 'live'], /its own keys/],
    [
      ['x', '--scopes', 'documents:read', '--secret', '--return-address', ''],
      /--return-address: expected 1 to 6 lines/,
    ],
    [['x', '--scopes', 'documents:read', '--secret', '--quota', '0'], /--quota: expected a whole number/],
    [['x', '--scopes', 'documents:read', '--secret', '--quota', '1e2'], /--quota: expected a whole number/],
    [
      ['x', '--scopes', 'documents:read', '--secret', '--purposes', ''],
      /--purposes: expected a comma-separated list, or any/,
    ],
    [
      ['x', '--scopes', 'documents:read', '--secret', '--legal-bases', ','],
      /--legal-bases: expected a comma-separated list, or any/,
    ],
    [
      ['x', '--scopes', 'documents:read', '--secret', '--purposes', 'any,tax'],
      /--purposes: expected a comma-separated list/,
    ],
    [
      ['x', '--scopes', 'documents:read', '--jwks', '/nowhere'],
      /^Cannot read \/nowhere: ENOENT, no such file or directory\.\n/,
    ],
    [['x', '--scopes', 'documents:read', '--certificate', 'dns:'], /--certificate dns:: expected a name of the certif/],
    [['x', '--scopes', 'documents:read', '--certificate', import.meta.filename], /expected a certificate in PEM/],
    [['x', '--scopes', 'documents:read', '--secret', '--nonsense'], /nonsense/],
  ];
  for (const [args, reason] of cases) {
    const said = await create(...args);
    assert.deepEqual([said.code, said.stdout], [2, ''], args.join(' '));
    assert.match(said.stderr, reason);
  }
  assert.equal((await run('clients', 'disable')).code, 2);
  assert.deepEqual(await db.read('select client_id from client'), []);
});

test('the help of `clients create` explains each scope', async (t) => {
  const { run } = await openClientCommands(t);
  const { stdout } = await run('clients', 'create', '--help');
  for (const scope of scopes) assert.match(stdout, new RegExp(`^  ${scope} +[A-Z]`, 'm'));
});
