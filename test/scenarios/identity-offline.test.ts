import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fetchOnce } from '../support/http-client.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';

const root = join(import.meta.dirname, '../..');
const asked = {
  citizenId: 'demo-mary',
  givenName: 'Mary',
  familyName: 'Smith',
  birthDate: '1981-04-25',
  nonce: 'nonce-1',
};

let home: ServerFixture;
let answer: Readonly<Record<string, string>>;
let keysFile: string;
let audience: string;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  const server = await home.start();
  const token = await home.fetchAccessToken();
  audience = home.readDemoFile().clients[0]?.clientId ?? '';
  const response = await fetch(`${home.url}/v1/identity/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  });
  answer = (await response.json()) as Record<string, string>;
  keysFile = join(home.dataDir, 'jwks.json');
  writeFileSync(keysFile, await (await fetchOnce(`${home.url}/.well-known/jwks.json`)).text());
  // The server is stopped: the process below has only the keys and the token.
  await server.stop('SIGTERM');
});

/** Runs the code of docs/operate/verification.md unchanged. */
function verifyOffline(over: { token?: string; audience?: string; nonce?: string } = {}) {
  const page = readFileSync(join(root, 'docs/operate/verification.md'), 'utf8');
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const parts = [
    keysFile,
    over.token ?? answer['token'] ?? '',
    home.url,
    over.audience ?? audience,
    over.nonce ?? asked.nonce,
    answer['requestHash'] ?? '',
  ];
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code, '--', ...parts], {
    cwd: root,
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, stdout };
}

test('the code in docs/operate/verification.md verifies a result with the published keys only', () => {
  const { status, stdout } = verifyOffline();
  assert.equal(status, 0);
  assert.deepEqual(JSON.parse(stdout), {
    citizen_id: 'demo-mary',
    given_name: 'Mary',
    family_name: 'Smith',
    birthdate: '1981-04-25',
  });
});

test('a result for another client or request, or with a changed character, does not verify', () => {
  const token = answer['token'] ?? '';
  const [head = '', payload = '', signature = ''] = token.split('.');
  const changed = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('Mary', 'Anna')).toString(
    'base64url',
  );
  assert.deepEqual(
    [{ audience: 'other' }, { nonce: 'nonce-2' }, { token: `${head}.${changed}.${signature}` }].map(
      (over) => verifyOffline(over).status,
    ),
    [1, 1, 1],
  );
});
