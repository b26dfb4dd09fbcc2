import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Engine, engines } from '../../test/support/database-engines.ts';
import { makeIdentityFolder } from '../../test/support/identity-people.ts';
import { openClientCommands, readPendingEvents } from '../../test/support/run-command.ts';
import { shippedPolicies } from '../identity/match/policy.ts';
import { policyCommands } from './policies.ts';

const openPolicies = async (t: TestContext, engine?: Engine) => {
  const line = await openClientCommands(t, engine, policyCommands);
  const folder = makeIdentityFolder(t);
  const fileOf = (text: string) => {
    const path = join(folder, 'policy.json');
    writeFileSync(path, text);
    return path;
  };
  return { ...line, policies: (...args: string[]) => line.run('policies', ...args), fileOf };
};

const town = '\n{"name":"town-2026-1","basis":"standard-2026-2","threshold":0.99}\n\n';

for (const engine of engines) {
  test(`${engine.name}: a policy is stored once under its name, with its event, and shown unchanged`, async (t) => {
    const line = await openPolicies(t, engine);
    const { policies: run, fileOf, clock } = line;
    assert.deepEqual(await run('add', fileOf(town)), {
      code: 0,
      stdout: '',
      stderr:
        'town-2026-1 is stored. To make it the default, set VERIFY_POLICY=town-2026-1. For one client, use "citizen-services clients create --policy town-2026-1".\n',
    });
    const again = await run('add', fileOf('{"name":"town-2026-1","threshold":0.9}'));
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.match(again.stderr, /^Expected a new name, but town-2026-1 already exists\. .*a new name\.\n$/);
    assert.deepEqual(await run('show', 'town-2026-1'), {
      code: 0,
      stdout: '{"name":"town-2026-1","basis":"standard-2026-2","threshold":0.99}\n',
      stderr: '',
    });
    const digest = createHash('sha256').update(town).digest('hex');
    const event = {
      type: 'policy.added',
      at: new Date(clock.at).toISOString(),
      actor: { operator: 'root' },
      name: 'town-2026-1',
      digest,
    };
    assert.deepEqual(await readPendingEvents(line), [event]);
  });
}

test('a policy without a basis is stored with the default basis, so that a later program decides the same', async (t) => {
  const { policies: run, fileOf } = await openPolicies(t);
  assert.equal((await run('add', fileOf('\ufeff{"name":"town-2026-1","threshold":0.99}'))).code, 0);
  const { stdout } = await run('show', 'town-2026-1');
  assert.deepEqual(JSON.parse(stdout), { name: 'town-2026-1', threshold: 0.99, basis: 'standard-2026-3' });
});

test('the list of policies contains the built-in policies, and the added ones with their times', async (t) => {
  const { policies: run, fileOf } = await openPolicies(t);
  assert.equal((await run('add', fileOf(town))).code, 0);
  const builtIn = [...shippedPolicies.keys()].map((name) => `${name}\tbuilt-in\n`).join('');
  assert.deepEqual(await run('list'), {
    code: 0,
    stdout: `${builtIn}town-2026-1\t2026-11-20T09:00:00.000Z\n`,
    stderr: '',
  });
  const stderr =
    'Expected the name of a policy, but there is no policy nobody-2026-1. Run "citizen-services policies list".\n';
  const nobody = { code: 1, stdout: '', stderr };
  assert.deepEqual(await run('show', 'nobody-2026-1'), nobody);
});

test('a built-in policy is shown with all its rules', async (t) => {
  const { policies: run } = await openPolicies(t);
  for (const [name, policy] of shippedPolicies) {
    const { code, stdout, stderr } = await run('show', name);
    assert.deepEqual([code, stderr], [0, '']);
    const shown = JSON.parse(stdout);
    const { agreement, agreementWithId, model, ...plain } = policy;
    const withId = Object.entries(agreementWithId).map(([claim, levels]) => [claim, [...levels]]);
    assert.deepEqual(shown, {
      ...plain,
      ...(model === undefined ? {} : { model }),
      agreement: [...agreement],
      agreementWithId: Object.fromEntries(withId),
    });
  }
});

test('a file that is not a policy is wrong usage with the reason, and nothing is stored', async (t) => {
  const line = await openPolicies(t);
  const { policies: run, fileOf } = line;
  for (const [text, fault] of [
    ['', /^Expected a policy, received another content: /],
    ['{"name":"standard-2026-1"}', /^Expected a policy, received another content: .*standard-2026-1/],
    ['{"name":"a-2026-1","treshold":0.9}', /^Expected a policy, received another content: .*treshold/],
  ] as const) {
    const { code, stdout, stderr } = await run('add', fileOf(text));
    assert.deepEqual([code, stdout], [2, ''], text);
    assert.match(stderr, fault);
  }
  assert.match((await run('add', '/nowhere/policy.json')).stderr, /\/nowhere\/policy\.json/);
  assert.deepEqual(await readPendingEvents(line), []);
});

test('a database error is not reported as a duplicate policy', async (t) => {
  const line = await openPolicies(t);
  line.hooks.beforeCommit = async () => {
    throw new Error('the disk is full');
  };
  const { code, stderr } = await line.policies('add', line.fileOf(town));
  assert.deepEqual([code, stderr], [1, 'the disk is full\n']);
});

test('policies count counts the register, and the ledger names the operator', async (t) => {
  const line = await openPolicies(t);
  const { code, stdout, stderr } = await line.policies('count');
  assert.deepEqual([code, stdout, stderr], [0, '', 'Counted 0 persons. Servers use the result within ten minutes.\n']);
  const [event, ...others] = await readPendingEvents(line);
  assert.deepEqual([event?.['actor'], others], [{ operator: 'root' }, []]);
});
