import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { makeTwins } from '../identity-twins.ts';
import { afterThisFile, type Credentials, makeHome, type ServerHome } from '../whole-server.ts';

const mary = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };

let home: ServerHome;
let register: string;
let policy: string;

const thisFile = afterThisFile();
before(async () => {
  home = await makeHome(thisFile, { settings: { VERIFY_POLICY: 'town-2026-1' } });
  register = join(home.dataDir, 'register.csv');
  policy = join(home.dataDir, 'policy.json');
  const columns = ['citizenId', 'givenName', 'familyName', 'birthDate', 'streetAddress', 'postalCode'] as const;
  const rows = makeTwins().register.map((person) => columns.map((column) => person[column] ?? '').join(','));
  writeFileSync(register, [columns.join(','), ...rows].join('\n'));
});

async function policyIn(client: Credentials | undefined): Promise<unknown> {
  const response = await fetch(`${home.url}/v1/identity/verify`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await home.token(['identity:verify'], client)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(mary),
  });
  const { decision, policy: named } = (await response.json()) as Record<string, unknown>;
  return [response.status, decision, named];
}

test('a calibrated policy is stored under its name, once, and decides in the server', async () => {
  const keys = await home.run('keys', 'create');
  assert.equal(keys.code, 0, keys.stderr);
  // Its name stands in the settings before it is there: the start says which there are.
  const early = await home.run('start');
  assert.equal(early.code === 0, false);
  assert.match(early.stderr, /VERIFY_POLICY.*standard-2026-2/s);

  const order = ['--register', register, '--name', 'town-2026-1', '--basis', 'standard-2026-2', '--pairs', '20000'];
  const calibrated = await home.run('calibrate', ...order, '--out', policy);
  assert.equal(calibrated.code, 0, calibrated.stderr);
  assert.equal((await home.run('policies', 'add', policy)).code, 0);
  assert.equal((await home.run('policies', 'add', policy)).code, 1);
  const shown = await home.run('policies', 'show', 'town-2026-1');
  assert.equal((JSON.parse(shown.stdout) as { basis: string }).basis, 'standard-2026-2');

  await home.start();
  assert.deepEqual(await policyIn(home.demo().clients[0]), [200, 'match', 'town-2026-1']);
  const scopes = ['--scopes', 'identity:verify', '--secret', '--json'];
  const strict = await home.run('clients', 'create', 'Strict', ...scopes, '--policy', 'eu-2025-846');
  assert.deepEqual(await policyIn(JSON.parse(strict.stdout) as Credentials), [200, 'match', 'eu-2025-846']);
  const unknown = await home.run('clients', 'create', 'Wrong', ...scopes, '--policy', 'nope-1');
  assert.deepEqual([unknown.code, /town-2026-1/.test(unknown.stderr)], [2, true]);
  // An import of so many counts the register.
  assert.equal((await home.run('import', 'citizens', register)).code, 0);
  const list = await home.run('policies', 'list');
  assert.match(list.stdout, /^standard-2026-2\tships$.*^town-2026-1\t\d{4}-/ms);
});
