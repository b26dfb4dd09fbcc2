import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { expectedOutput } from '../support/expected-output.ts';
import { fencedText, pagesIn, readMarkdownPage, repositoryRoot } from '../support/markdown-pages.ts';
import { fileCleanupScope, makeServerFixture, type ServerFixture } from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';

// Runs the commands of the pages unchanged with a demo. Only its address is replaced.
let home: ServerFixture;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
});

const withoutCurl = 'SKIPPED: bash and curl are needed to run the lines of the pages';

function canRun(): boolean {
  const commands = ['bash', 'curl'];
  const all = commands.every((command) => spawnSync(command, ['--version']).status === 0);
  if (!all && process.env['TESTS_REQUIRE_ALL'] === 'true') throw new Error(withoutCurl);
  return all;
}

/** A folder like a clone after `npm start`: with the packages, and the data of the demo in `data`. */
function makeClone(t: TestContext): string {
  const folder = makeTestFolder('cs-clone-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(home.dataDir, join(folder, 'data'));
  for (const name of ['node_modules', 'client']) symlinkSync(join(repositoryRoot, name), join(folder, name));
  return folder;
}

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs a program for at most 30 s, with the address of the demo instead of the default one. */
function run(command: string, args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const env = { PATH: process.env['PATH'], HOME: cwd, ...more };
  const child = spawn(command, args, { cwd, env, timeout: 30_000, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.once('error', reject);
  child.once('close', (code) => resolve({ code, stdout, stderr }));
  return promise;
}

/** Runs shell commands and returns the lines of their output. An HTTP status above 399 fails the test. */
async function runLines(lines: string, cwd: string): Promise<string[]> {
  const strict = 'set -euo pipefail\ncurl() { command curl --fail "$@"; }\n';
  const own = lines.replaceAll('http://127.0.0.1:3000', home.url).replaceAll(/^curl .*$/gm, '$&\necho');
  const { code, stdout, stderr } = await run('bash', ['-c', `${strict}${own}`], cwd);
  assert.equal(code, 0, `${own}\n${stdout}\n${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}

/** A member of a JSON response. */
function memberOf(json: string | undefined, name: string): unknown {
  return (JSON.parse(json ?? '') as Record<string, unknown>)[name];
}

test('the first calls in the README succeed unchanged', async (t) => {
  if (!canRun()) return t.skip(withoutCurl);
  const printed = await runLines(fencedText(readMarkdownPage('README.md'), 'sh demo'), makeClone(t));
  const [verified, accepted, document] = printed;
  assert.equal(memberOf(verified, 'decision'), 'match');
  assert.equal(memberOf(accepted, 'status'), 'accepted');
  assert.equal(document, 'NOTICE OF ASSESSMENT 2025');
});

test('the commands for service teams succeed unchanged, and their programs verify a result and get a token', async (t) => {
  if (!canRun()) return t.skip(withoutCurl);
  const folder = makeClone(t);
  const pages = ['access', 'verify', 'send', 'documents'].map((name) => readMarkdownPage(`docs/integrate/${name}.md`));
  const lines = pages.map((page) => fencedText(page, 'sh demo')).join('\n');
  const [verified, accepted, list, document, range, record] = await runLines(lines, folder);
  assert.equal(memberOf(verified, 'decision'), 'match');
  assert.equal(memberOf(accepted, 'status'), 'accepted');
  assert.equal((memberOf(list, 'items') as unknown[]).length, 1);
  assert.deepEqual({ document, range }, { document: 'PARKING PERMIT 2026/119', range: 'PARKING' });
  assert.equal(memberOf(record, 'title'), 'Parking permit');
  for (const { info, text } of pagesIn('integrate').flatMap(({ fences }) => fences)) {
    const [, name] = /^\/\/ (\S+\.mjs):/.exec(text) ?? [];
    if (info === 'js' && name !== undefined) writeFileSync(join(folder, name), text);
  }
  const { clientId = '' } = home.readDemoFile().clients[0] ?? {};
  const checked = await run(process.execPath, ['check-result.mjs'], folder, { ISSUER: home.url, CLIENT_ID: clientId });
  assert.match(checked.stdout, /^match n-0S6_WzA2Mj \{\n {2}citizen_id: 'demo-mary'/, checked.stderr);
  const other = await run(process.execPath, ['check-result.mjs'], folder, { ISSUER: home.url, CLIENT_ID: 'another' });
  assert.match(other.stderr, /unexpected "aud" claim value/);
  assert.match(await buyToken(folder), /^ey[\w-]+\.[\w-]+\.[\w-]+\n$/);
});

test('the commands of the guide to wallets complete a presentation with a match', async (t) => {
  if (!canRun()) return t.skip(withoutCurl);
  const page = readMarkdownPage('docs/integrate/wallets.md');
  const lines = [readMarkdownPage('docs/integrate/access.md'), page].map((one) => fencedText(one, 'sh demo'));
  const printed = await runLines(lines.join('\n'), makeClone(t));
  assert.match(printed.slice(0, -1).join('\n'), expectedOutput(fencedText(page, 'text wallet').trim()));
  const { decision } = memberOf(printed.at(-1), 'verification') as { readonly decision: string };
  assert.deepEqual([memberOf(printed.at(-1), 'status'), decision], ['completed', 'match']);
});

/** Runs the programs of the page: one creates keys for a new live client, and one fetches its token. */
async function buyToken(folder: string): Promise<string> {
  const keys = await run(process.execPath, ['make-key.mjs'], folder);
  assert.equal(keys.code, 0, keys.stderr);
  const order = ['clients', 'create', 'Parking', '--kind', 'live', '--scopes', 'identity:verify', '--json'];
  const made = await home.runCommand(...order, '--jwks', join(folder, 'keys.json'));
  assert.equal(made.code, 0, made.stderr);
  const { clientId } = JSON.parse(made.stdout) as { clientId: string };
  const bought = await run(process.execPath, ['get-token.mjs'], folder, { ISSUER: home.url, CLIENT_ID: clientId });
  assert.equal(bought.code, 0, bought.stderr);
  const recipe = await run(process.execPath, ['openid-client-token.mjs'], folder, {
    ISSUER: home.url,
    CLIENT_ID: clientId,
  });
  assert.match(recipe.stdout, /^ey[\w-]+\.[\w-]+\.[\w-]+\n$/, recipe.stderr);
  return bought.stdout;
}

test('the example in docs/operate/import.md has the documented result, and the refused row is imported after its correction', async (t) => {
  const page = readMarkdownPage('docs/operate/import.md');
  const folder = join(makeClone(t), 'import');
  mkdirSync(folder);
  const [people, mapping, refused] = ['people.csv', 'mapping.json', 'refused.csv'].map((name) => join(folder, name));
  writeFileSync(people ?? '', fencedText(page, 'csv'));
  writeFileSync(mapping ?? '', fencedText(page, 'json'));
  const order = ['citizens', 'import', people ?? '', '--map', mapping ?? ''];
  const { code, stderr } = await home.runCommand(...order, '--errors', refused ?? '');
  assert.equal(code, 0);
  const promised = fencedText(page, '').split('\n').slice(1);
  const plain = (text: string) => text.replaceAll(/\(imp_[^)]*\)|[\d,.]+ s\b|, [\d,]+ rows\/s|\/\S*\/refused/g, '');
  for (const line of promised.filter((one) => one !== '')) assert.ok(plain(stderr).includes(plain(line)), stderr);
  assert.equal(promised.filter((one) => one !== '').length, 3);
});
