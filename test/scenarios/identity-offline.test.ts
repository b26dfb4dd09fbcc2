import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fetchOnce } from '../support/http-client.ts';
import { readMarkdownPage, repositoryRoot } from '../support/markdown-pages.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';

const asked = {
  citizenId: 'demo-mary',
  givenName: 'Mary',
  familyName: 'Smith',
  birthDate: '1981-04-25',
  // The program of the page expects this nonce.
  nonce: 'n-0S6_WzA2Mj',
};

let home: ServerFixture;
let answer: Readonly<Record<string, string>>;
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
  symlinkSync(join(repositoryRoot, 'node_modules'), join(home.dataDir, 'node_modules'));
  writeFileSync(join(home.dataDir, 'jwks.json'), await (await fetchOnce(`${home.url}/.well-known/jwks.json`)).text());
  // The server is stopped: the process below has only the keys and the token.
  await server.stop('SIGTERM');
});

/** Runs the program of docs/integrate/verify.md unchanged, in a folder with the result and the keys. */
function verifyOffline(over: { token?: string; audience?: string } = {}) {
  const { fences } = readMarkdownPage('docs/integrate/verify.md');
  const program = fences.find(({ text }) => text.startsWith('// check-result.mjs:'))?.text ?? '';
  writeFileSync(join(home.dataDir, 'check-result.mjs'), program);
  writeFileSync(
    join(home.dataDir, 'result.json'),
    JSON.stringify({ ...answer, ...(over.token && { token: over.token }) }),
  );
  const { status, stdout } = spawnSync(process.execPath, ['check-result.mjs'], {
    cwd: home.dataDir,
    env: { ISSUER: home.url, CLIENT_ID: over.audience ?? audience },
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, stdout };
}

test('the program in docs/integrate/verify.md verifies a result with the published keys only', () => {
  const { status, stdout } = verifyOffline();
  assert.equal(status, 0);
  assert.match(stdout, /^match n-0S6_WzA2Mj /);
  for (const value of ['demo-mary', 'Mary', 'Smith', '1981-04-25']) assert.ok(stdout.includes(`'${value}'`), stdout);
});

test('a result for another client, or with a changed character, does not verify', () => {
  const token = answer['token'] ?? '';
  const [head = '', payload = '', signature = ''] = token.split('.');
  const changed = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('Mary', 'Anna')).toString(
    'base64url',
  );
  assert.deepEqual(
    [{ audience: 'other' }, { token: `${head}.${changed}.${signature}` }].map((over) => verifyOffline(over).status),
    [1, 1],
  );
});
