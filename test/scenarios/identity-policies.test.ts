import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { runCommandInProcess } from '../support/run-command.ts';
import {
  type ClientSecretCredentials,
  fileCleanupScope,
  makeServerFixture,
  type ServerFixture,
} from '../support/server-process.ts';
import { makeSimilarPeople } from '../support/similar-people.ts';
import { waitUntil } from '../support/wait-until.ts';

const mary = { citizenId: 'demo-mary', givenName: 'Mary', familyName: 'Smith', birthDate: '1981-04-25' };

let home: ServerFixture;
let register: string;
let policy: string;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile, { settings: { VERIFY_POLICY: 'town-2026-1' } });
  register = join(home.dataDir, 'register.csv');
  policy = join(home.dataDir, 'policy.json');
  const columns = ['citizenId', 'givenName', 'familyName', 'birthDate', 'streetAddress', 'postalCode'] as const;
  const rows = makeSimilarPeople().register.map((person) => columns.map((column) => person[column] ?? '').join(','));
  writeFileSync(register, [columns.join(','), ...rows].join('\n'));
});

async function ask(client: ClientSecretCredentials | undefined, claims: object) {
  const response = await fetch(`${home.url}/v1/identity/verify`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await home.fetchAccessToken(['identity:verify'], client)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(claims),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

/** Waits until the access of this receipt, and all earlier ones, are in the log. */
async function untilLogged(client: ClientSecretCredentials | undefined, receipt: unknown): Promise<void> {
  const authorization = `Bearer ${await home.fetchAccessToken([], client)}`;
  await waitUntil(async () => {
    const answer = await fetch(`${home.url}${receipt}`, { headers: { authorization } });
    await answer.arrayBuffer();
    return answer.status === 200;
  });
}

async function policyIn(client: ClientSecretCredentials | undefined): Promise<unknown> {
  const { status, json } = await ask(client, mary);
  return [status, json['decision'], json['policy']];
}

test('a calibrated policy is stored once under its name, and the server uses it', async () => {
  const keys = await runCommandInProcess(home, 'keys', 'create');
  assert.equal(keys.code, 0, keys.stderr);
  // The settings name a policy that does not exist yet: the start fails and lists the existing ones.
  const early = await runCommandInProcess(home, 'start');
  assert.equal(early.code === 0, false);
  assert.match(early.stderr, /VERIFY_POLICY.*standard-2026-2/s);

  const order = ['--register', register, '--name', 'town-2026-1', '--basis', 'standard-2026-2', '--pairs', '20000'];
  const calibrated = await runCommandInProcess(home, 'policies', 'calibrate', ...order, '--out', policy);
  assert.equal(calibrated.code, 0, calibrated.stderr);
  assert.equal((await runCommandInProcess(home, 'policies', 'add', policy)).code, 0);
  assert.equal((await runCommandInProcess(home, 'policies', 'add', policy)).code, 1);
  const shown = await runCommandInProcess(home, 'policies', 'show', 'town-2026-1');
  assert.equal((JSON.parse(shown.stdout) as { basis: string }).basis, 'standard-2026-2');

  await home.start();
  assert.deepEqual(await policyIn(home.readDemoFile().clients[0]), [200, 'match', 'town-2026-1']);
  const scopes = ['--scopes', 'identity:verify', '--secret', '--json'];
  const strict = await runCommandInProcess(home, 'clients', 'create', 'Strict', ...scopes, '--policy', 'eu-2025-846');
  assert.deepEqual(await policyIn(JSON.parse(strict.stdout) as ClientSecretCredentials), [200, 'match', 'eu-2025-846']);
  const unknown = await runCommandInProcess(home, 'clients', 'create', 'Wrong', ...scopes, '--policy', 'nope-1');
  assert.deepEqual([unknown.code, /town-2026-1/.test(unknown.stderr)], [2, true]);
  // An import of this size counts the register.
  assert.equal((await runCommandInProcess(home, 'citizens', 'import', register)).code, 0);
  const list = await runCommandInProcess(home, 'policies', 'list');
  assert.match(list.stdout, /^standard-2026-2\tbuilt-in$.*^town-2026-1\t\d{4}-/ms);
});

test('a client that must state a purpose and legal basis is refused without them, and the citizen can read both', async () => {
  const scopes = ['--scopes', 'identity:verify', '--secret', '--json'];
  const agreed = ['--purposes', 'Permit', '--legal-bases', 'Road Act 7,consent', '--policy', 'standard-2026-2'];
  const made = await runCommandInProcess(home, 'clients', 'create', 'Permits', ...scopes, ...agreed);
  const client = JSON.parse(made.stdout) as ClientSecretCredentials;
  let receipt: unknown;
  const problemOf = async (over: object) => {
    const { status, json } = await ask(client, { ...mary, ...over });
    receipt = json['receipt'];
    return [
      status,
      String(json['type'] ?? json['decision'])
        .split('/')
        .at(-1),
    ];
  };
  assert.deepEqual(
    [
      await problemOf({}),
      await problemOf({ purpose: 'Permit' }),
      await problemOf({ purpose: 'Permit', legalBasis: 'Road Act 7', birthDate: undefined }),
      await problemOf({ purpose: 'Permit', legalBasis: 'Road Act 7' }),
    ],
    [
      [403, 'purpose-not-permitted'],
      [403, 'legal-basis-not-permitted'],
      [400, 'insufficient-claims'],
      [200, 'match'],
    ],
  );
  await untilLogged(client, receipt);
  const log = await runCommandInProcess(home, 'ledger', 'access-log', mary.citizenId);
  const usages = log.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ purpose }) => purpose === 'Permit');
  assert.deepEqual(
    usages.map(({ usage, legalBasis, initiatorOrg }) => [usage, legalBasis, (initiatorOrg as { name: string }).name]),
    [['identity.verified', 'Road Act 7', 'Permits']],
  );
});

test('a record that is locked while the server runs stops matching at once, and the citizen can read the change', async () => {
  const own = { citizenId: 'T-lock', givenName: 'Lotte', familyName: 'Lund', birthDate: '1977-07-07' };
  const file = join(home.dataDir, 'one.jsonl');
  writeFileSync(file, JSON.stringify(own));
  assert.equal((await runCommandInProcess(home, 'citizens', 'import', file)).code, 0);
  const [client] = home.readDemoFile().clients;
  const decision = async () => (await ask(client, own)).json['decision'];
  assert.equal(await decision(), 'match');
  assert.equal((await runCommandInProcess(home, 'citizens', 'lock', own.citizenId)).code, 0);
  assert.equal(await decision(), 'no_match');
  assert.equal((await runCommandInProcess(home, 'citizens', 'unlock', own.citizenId)).code, 0);
  const last = (await ask(client, own)).json;
  assert.equal(last['decision'], 'match');
  assert.deepEqual(
    [
      (await runCommandInProcess(home, 'citizens', 'lock', 'nobody')).code,
      (await runCommandInProcess(home, 'citizens', 'lock')).code,
    ],
    [1, 2],
  );
  await untilLogged(client, last['receipt']);
  const log = await runCommandInProcess(home, 'ledger', 'access-log', own.citizenId);
  assert.equal(log.stdout.split('identity.lock-changed').length, 3);
  // Reading the log of a citizen is recorded in it.
  assert.ok(!log.stdout.includes('access-log.read'));
  const again = async () => await runCommandInProcess(home, 'ledger', 'access-log', own.citizenId);
  await waitUntil(async () => (await again()).stdout.includes('access-log.read'));
});
