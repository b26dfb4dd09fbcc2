import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { openClientCommands, readPendingEvents } from '../../test/support/run-command.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { findClient } from '../auth/client-store.ts';
import { purposeTextIn } from '../auth/purpose-texts.ts';

for (const engine of engines) {
  test(`${engine.name}: update changes only the named values, and its event lists them`, async (t) => {
    const line = await openClientCommands(t, engine);
    const { db, clock, run } = line;
    const flags = ['--scopes', 'documents:read', '--secret', '--purposes', 'tax', '--policy', 'eu-2025-846', '--json'];
    const { clientId } = JSON.parse((await run('clients', 'create', 'Tax', ...flags)).stdout);
    const made = await findClient(db.read, clientId);
    const update = (...args: string[]) => run('clients', 'update', clientId, ...args);
    const wider = await update('--scopes', 'documents:write,documents:read', '--quota', '7', '--name', 'Tax Office');
    assert.deepEqual(wider, {
      code: 0,
      stdout: '',
      stderr: `Changed name, scopes, quota of ${clientId}. This takes effect within a minute.\n`,
    });
    const scopes = ['documents:read', 'documents:write'];
    const first = { ...made, scopes, name: 'Tax Office', quota: { perSecond: 7, burst: 14 } };
    assert.deepEqual(await findClient(db.read, clientId), first);
    assert.equal((await update('--purposes', 'any', '--legal-bases', 'law-2,law-1', '--policy', 'none')).code, 0);
    const rest = { ...first, purposes: undefined, legalBases: ['law-1', 'law-2'], policy: undefined };
    assert.deepEqual(await findClient(db.read, clientId), rest);
    const same = await update('--quota', '7', '--policy', 'none', '--scopes', 'documents:write,documents:read');
    assert.deepEqual([same.code, same.stderr], [0, `${clientId} already has these values. Nothing was changed.\n`]);
    const at = new Date(clock.at).toISOString();
    const head = { type: 'client.changed', at, actor: { operator: 'root' }, clientId };
    assert.deepEqual((await readPendingEvents(line)).slice(1), [
      { ...head, changed: ['name', 'scopes', 'quota'], scopes },
      { ...head, changed: ['purposes', 'legalBases', 'policy'] },
    ]);
  });

  test(`${engine.name}: the purposes of a client have texts for citizens, which are replaced with the purposes`, async (t) => {
    const line = await openClientCommands(t, engine);
    const { db, run } = line;
    const given = 'council-tax=Council tax assessment, council-tax@de=Grundsteuer ,permit';
    const made = await run('clients', 'create', 'Tax', '--scopes', 'documents:read', '--secret', '--purposes', given);
    assert.match(
      made.stdout,
      /^purposes: council-tax permit\npurposeTexts: council-tax=Council tax assessment, council-tax@de=Grundsteuer$/m,
    );
    const clientId = /^clientId: (.+)$/m.exec(made.stdout)?.[1] ?? '';
    const stored = async () => (await findClient(db.read, clientId)) ?? assert.fail();
    const { purposes, purposeTexts } = await stored();
    assert.deepEqual(purposes, ['council-tax', 'permit']);
    const words = ['en', 'de-AT', 'constructor'].map((tag) => purposeTextIn(purposeTexts, 'council-tax', tag)?.text);
    assert.deepEqual(words, ['Council tax assessment', 'Grundsteuer', 'Council tax assessment']);
    assert.equal(purposeTextIn(purposeTexts, 'permit', 'en'), undefined);
    assert.equal(purposeTextIn(purposeTexts, 'toString', 'en'), undefined);
    const update = (...args: string[]) => run('clients', 'update', clientId, ...args);
    assert.match((await update('--purposes', given)).stderr, /already has these values\. Nothing was changed/);
    assert.equal((await update('--quota', '7')).code, 0);
    assert.deepEqual((await stored()).purposeTexts, purposeTexts);
    assert.match((await update('--purposes', 'council-tax=Tax,permit')).stderr, /^Changed purposes of /);
    assert.deepEqual((await stored()).purposeTexts, { 'council-tax': { '': 'Tax' } });
    const tooLong = await update('--purposes', `permit=${'x'.repeat(201)}`);
    assert.deepEqual([tooLong.code, /1 to 200 characters/.test(tooLong.stderr)], [2, true]);
    assert.equal((await update('--purposes', 'any')).code, 0);
    assert.equal((await stored()).purposeTexts, undefined);
  });

  test(`${engine.name}: update sets, replaces and removes the return address of a client`, async (t) => {
    const line = await openClientCommands(t, engine);
    const { db, run } = line;
    const flags = ['--scopes', 'notifications:send', '--secret', '--return-address', 'P.O. Box 100 ,0101  Oslo'];
    const made = await run('clients', 'create', 'Tax', ...flags);
    assert.match(made.stdout, /^returnAddress: P\.O\. Box 100, 0101 Oslo$/m);
    const clientId = /^clientId: (.+)$/m.exec(made.stdout)?.[1] ?? '';
    const stored = async () => (await findClient(db.read, clientId))?.returnAddress;
    const update = (text: string) => run('clients', 'update', clientId, '--return-address', text);
    assert.deepEqual(await stored(), ['P.O. Box 100', '0101 Oslo']);
    assert.match((await update('P.O. Box 100, 0101 Oslo')).stderr, /already has these values\. Nothing was changed/);
    assert.match((await update('Town Hall, 0102 Oslo')).stderr, /^Changed returnAddress of .*\. This takes effect/);
    assert.deepEqual(await stored(), ['Town Hall', '0102 Oslo']);
    const { stdout } = await run('clients', 'list', '--json');
    assert.equal(JSON.parse(stdout)[0].returnAddress, 'Town Hall, 0102 Oslo');
    assert.equal((await update('none')).code, 0);
    assert.equal(await stored(), undefined);
    assert.deepEqual(
      (await readPendingEvents(line)).slice(1).map(({ changed }) => changed),
      [['returnAddress'], ['returnAddress']],
    );
  });

  test(`${engine.name}: the settings for messages of a client are stored, changed, listed and reset`, async (t) => {
    const line = await openClientCommands(t, engine);
    const { db, run } = line;
    const phone = ['--contact-phone', '+44 20 7946 0000', '--contact-email', 'help@tax.example'];
    const other = ['--contact-url', 'https://tax.example/help', '--sms-sender', 'TaxAgency'];
    const flags = ['--scopes', 'notifications:send', '--secret', '--json', '--reply-to', 'answers@tax.example'];
    const made = await run(
      'clients',
      'create',
      'Tax',
      ...flags,
      ...phone,
      ...other,
      '--notice-only',
      'urgent,decision',
    );
    const { clientId } = JSON.parse(made.stdout);
    const all = {
      replyTo: 'answers@tax.example',
      contactPhone: '+44 20 7946 0000',
      contactEmail: 'help@tax.example',
      contactUrl: 'https://tax.example/help',
      smsSender: 'TaxAgency',
      noticeOnly: ['decision', 'urgent'],
    };
    const stored = async () => (await findClient(db.read, clientId))?.messages;
    assert.deepEqual(await stored(), all);
    const [listed] = JSON.parse((await run('clients', 'list', '--json')).stdout);
    assert.deepEqual(Object.fromEntries(Object.keys(all).map((name) => [name, listed[name]])), all);
    const update = (...args: string[]) => run('clients', 'update', clientId, ...args);
    assert.match(
      (await update('--sms-sender', 'Tax 2', '--notice-only', 'none')).stderr,
      /^Changed smsSender, noticeOnly of/,
    );
    assert.deepEqual(await stored(), { ...all, smsSender: 'Tax 2', noticeOnly: [] });
    const none = ['--reply-to', 'none', '--contact-phone', 'none', '--contact-email', 'none', '--contact-url', 'none'];
    assert.equal((await update(...none, '--sms-sender', 'none', '--notice-only', 'default')).code, 0);
    const members = Object.keys(all).map((name) => [name, undefined]);
    assert.deepEqual(await stored(), Object.fromEntries(members));
    assert.deepEqual((await readPendingEvents(line)).at(-1)?.changed, Object.keys(all));
  });

  test(`${engine.name}: the second of two concurrent updates changes nothing and fails`, async (t) => {
    const line = await openClientCommands(t, engine);
    const { db, hooks, run } = line;
    const made = await run('clients', 'create', 'x', '--scopes', 'documents:read', '--secret', '--json');
    const { clientId } = JSON.parse(made.stdout);
    const others = async (...args: string[]) => {
      hooks.beforeCommit = async () => {
        hooks.beforeCommit = undefined;
        assert.equal((await run('clients', ...args)).code, 0);
      };
    };
    await others('update', clientId, '--policy', 'eu-2025-846');
    const second = await run('clients', 'update', clientId, '--policy', 'standard-2026-1', '--quota', '9');
    assert.deepEqual([second.code, second.stdout], [1, '']);
    assert.match(
      second.stderr,
      /Another command changed x-[a-z0-9]{8} at the same time, so this command changed nothing/,
    );
    assert.equal((await findClient(db.read, clientId))?.policy, 'eu-2025-846');
    await others('disable', clientId);
    assert.equal((await run('clients', 'update', clientId, '--quota', '9')).code, 1);
    assert.equal((await findClient(db.read, clientId))?.quota.perSecond, 1_000);
    assert.match((await run('clients', 'update', clientId, '--quota', '9')).stderr, /is disabled permanently/);
    assert.deepEqual(
      (await readPendingEvents(line)).map(({ type }) => type),
      ['client.created', 'client.changed', 'client.disabled'],
    );
  });
}

test('an update with a wrong value reports the expected one and changes nothing', async (t) => {
  const line = await openClientCommands(t);
  const { db, run } = line;
  const made = await run('clients', 'create', 'x', '--scopes', 'documents:read', '--secret', '--json');
  const { clientId } = JSON.parse(made.stdout);
  const before = await findClient(db.read, clientId);
  const cases: ReadonlyArray<readonly [string[], RegExp, number?]> = [
    [['update', '--quota', '5'], /^Expected the id of one client, received nothing\./],
    [['update', clientId], /^Expected at least one option with a new value, received none\./],
    [
      ['update', clientId, '--quota', '5', '--scopes', 'made:up'],
      /^--scopes: expected a comma-separated list of identity:.*, received "made:up"/,
    ],
    [
      ['update', clientId, '--quota', '5', '--policy', 'nope'],
      /^--policy: expected one of standard-2026-3, .*, received "nope"\./,
    ],
    [
      ['update', clientId, '--quota', '5', '--purposes', ','],
      /--purposes: expected a comma-separated list, or any, received ","/,
    ],
    [['update', clientId, '--quota', '5', '--legal-bases', 'a,any'], /--legal-bases: expected a comma-separated list/],
    [
      ['update', clientId, '--return-address', 'a,'],
      /--return-address: expected 1 to 6 lines with commas between them, at mos/,
    ],
    [
      ['update', clientId, '--reply-to', 'a@b.example, c@d.example'],
      /--reply-to: expected one email address without a name/,
    ],
    [['update', clientId, '--contact-phone', 'call us'], /--contact-phone: expected a phone number of 3 to 30 digits/],
    [['update', clientId, '--contact-email', 'tax'], /--contact-email: expected one email address/],
    [['update', clientId, '--contact-url', 'http://tax.example'], /--contact-url: expected an https URL/],
    [['update', clientId, '--contact-url', 'https://me:pw@tax.example'], /--contact-url: expected an https URL/],
    [
      ['update', clientId, '--sms-sender', 'National Tax'],
      /--sms-sender: expected 1 to 11 letters A to Z, digits and spaces, .*, or none, received "National Tax"/,
    ],
    [['update', clientId, '--sms-sender', '12345'], /--sms-sender: expected 1 to 11 letters/],
    [
      ['update', clientId, '--notice-only', 'decisions'],
      /--notice-only: expected a comma-separated list of information, decision, reminder, urgent, or none, or default, received/,
    ],
    [['update', clientId, '--name', ''], /a name has 1 to 100 characters/],
    [
      ['update', clientId, '--certificate', 'dns:a.example'],
      /authenticates by a secret; create a new client for another method/,
    ],
    [
      ['update', 'nobody', '--quota', '5'],
      /There is no client nobody\. For all clients, run "citizen-services clients list"\./,
      1,
    ],
  ];
  for (const [args, reason, code = 2] of cases) {
    const said = await run('clients', ...args);
    assert.deepEqual([said.code, said.stdout], [code, ''], args.join(' '));
    assert.match(said.stderr, reason);
  }
  assert.deepEqual(await findClient(db.read, clientId), before);
  assert.equal((await readPendingEvents(line)).length, 1);
});

test('update replaces the keys of a client', async (t) => {
  const { db, run } = await openClientCommands(t);
  const folder = makeTestFolder('cs-clients-');
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'jwks.json');
  const keyIn = async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    await writeFile(file, JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
    return publicKey.export({ format: 'jwk' })['x'];
  };
  await keyIn();
  const create = ['clients', 'create', 'Live', '--scopes', 'documents:read', '--kind', 'live', '--json'];
  const { clientId } = JSON.parse((await run(...create, '--jwks', file)).stdout);
  const x = await keyIn();
  assert.equal((await run('clients', 'update', clientId, '--jwks', file)).code, 0);
  const credential = (await findClient(db.read, clientId))?.credential;
  assert.deepEqual(credential?.by === 'keys' && credential.jwks.keys.map((key) => key['x']), [x]);
});

test('a client with keys can move them to a URL, which must be https and of a public host', async (t) => {
  const { db, run } = await openClientCommands(t);
  const create = ['clients', 'create', 'Live', '--scopes', 'documents:read', '--kind', 'live', '--json'];
  const jwksUri = 'https://keys.parking.example/jwks.json';
  const made = JSON.parse((await run(...create, '--jwks-uri', jwksUri)).stdout);
  assert.deepEqual([made.proof, made.jwksUri], ['jwks-uri', jwksUri]);
  const update = (url: string) => run('clients', 'update', made.clientId, '--jwks-uri', url);
  for (const url of ['http://keys.parking.example/', 'https://10.0.0.1/', 'https://localhost/', 'keys.json'])
    assert.match((await update(url)).stderr, /--jwks-uri: expected an https URL of a public host/);
  const moved = `${jwksUri}?v=2`;
  assert.equal((await update(moved)).code, 0);
  assert.deepEqual((await findClient(db.read, made.clientId))?.credential, { by: 'jwks-uri', jwksUri: moved });
});
