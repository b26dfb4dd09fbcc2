import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { expectedOutput } from '../support/expected-output.ts';
import { freePort } from '../support/free-port.ts';
import { fencedText, pagesIn, readMarkdownPage, repositoryRoot } from '../support/markdown-pages.ts';
import {
  fileCleanupScope,
  killWithThisProcess,
  makeServerFixture,
  type ServerFixture,
} from '../support/server-process.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Compiles and packs the client, and installs it with jose in a folder outside the repository, as npm would. */
function installPackedClient(): { readonly folder: string; readonly files: readonly string[]; close(): void } {
  const folder = makeTestFolder('cs-packed-');
  const source = join(folder, 'source');
  const installed = join(folder, 'node_modules/citizen-services-client');
  mkdirSync(source);
  mkdirSync(installed, { recursive: true });
  const run = (command: string, ...args: readonly string[]) => {
    const env = { ...toolEnvironment(), HOME: folder };
    return execFileSync(command, args, { cwd: source, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  };
  // Compiles like `npm run build`, but into a separate folder, because other tests may use the repository at the same time.
  run('tsc', '-p', join(repositoryRoot, 'client'), '--outDir', join(source, 'dist'));
  for (const name of ['package.json', 'README.md', 'LICENSE'])
    cpSync(join(repositoryRoot, 'client', name), join(source, name));
  const [packed] = JSON.parse(run('npm', 'pack', '--json', '--offline')) as [PackResult];
  run('tar', '-xzf', packed.filename, '-C', installed, '--strip-components=1');
  rmSync(source, { recursive: true });
  cpSync(join(repositoryRoot, 'node_modules/jose'), join(folder, 'node_modules/jose'), { recursive: true });
  const close = () => rmSync(folder, { recursive: true, force: true });
  return { folder, files: packed.files.map(({ path }) => path).sort(), close };
}

/** An environment with only a PATH to the tools of the repository and to the Node.js that they need. */
function toolEnvironment(): { readonly PATH: string } {
  const places = [dirname(process.execPath), join(repositoryRoot, 'node_modules/.bin'), process.env['PATH'] ?? ''];
  return { PATH: places.join(delimiter) };
}

type PackResult = { readonly filename: string; readonly files: readonly { readonly path: string }[] };

/** The oldest Node.js on this machine that the client supports; without another one, the Node.js of this test. */
function oldestSupportedNode(): string {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const versions = [process.execPath, ...places].flatMap((program) => {
    try {
      const version = execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      return [{ program, major: Number(/^v(\d+)/.exec(version)?.[1]) }];
    } catch {
      return [];
    }
  });
  const [oldest] = versions.filter(({ major }) => major >= 20).sort((one, other) => one.major - other.major);
  return oldest?.program ?? process.execPath;
}

// Runs the programs of docs/integrate with the published client in an empty folder, on the oldest Node.js of the machine.
const node = oldestSupportedNode();
const bin = 'node_modules/citizen-services-client/dist/main.js';

let home: ServerFixture;
let packed: ReturnType<typeof installPackedClient>;

const thisFile = fileCleanupScope();
before(async () => {
  home = await makeServerFixture(thisFile);
  await home.start();
  await home.fetchAccessToken();
  packed = installPackedClient();
  thisFile.after(packed.close);
  for (const { info, text } of pagesIn('integrate').flatMap(({ fences }) => fences)) {
    const [, name] = /^\/\/ (\S+\.mjs):/.exec(text) ?? [];
    if (info === 'js' && name !== undefined) writeFileSync(join(packed.folder, name), text);
  }
});

function environment(): NodeJS.ProcessEnv {
  const { clientId, clientSecret } = home.readDemoFile().clients[0] ?? {};
  return { BASE_URL: home.url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
}

/** Starts a program in the folder, on the oldest Node.js, and collects its output. */
function start(t: { after(run: () => unknown): void }, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const child: ChildProcess = spawn(node, args, { cwd: packed.folder, env: { ...environment(), ...more } });
  const isGone = killWithThisProcess(child.pid ?? 0);
  child.once('close', isGone);
  t.after(() => child.kill('SIGKILL'));
  const written = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      written.text += text;
    });
  }
  return { child, written };
}

test("the package contains code and types, and depends only on the server's version of jose", () => {
  const read = (path: string) => JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8'));
  const { dependencies, engines, version } = read('client/package.json');
  const server = read('package.json');
  assert.deepEqual(dependencies, { jose: server.dependencies.jose });
  assert.deepEqual({ engines, version }, { engines: { node: '>=20' }, version: server.version });
  const others = packed.files.filter((path) => !/^dist\/[a-z-]+\.(js|d\.ts)$/.test(path));
  assert.deepEqual(others, ['LICENSE', 'README.md', 'package.json']);
  assert.ok(packed.files.includes('dist/client.js') && packed.files.includes('dist/api-types.d.ts'));
  assert.deepEqual(
    packed.files.filter((path) => path.includes('test')),
    [],
  );
});

test('the quick start with the client prints the output that the page shows, and both TypeScript programs compile', () => {
  const page = readMarkdownPage('docs/integrate/quick-start.md');
  const files = ['quick-start-client.mts', 'quick-start.mts'];
  for (const file of files) {
    const program = page.fences.find(({ info, text }) => info === 'ts' && text.startsWith(`// ${file}:`));
    writeFileSync(join(packed.folder, file), program?.text ?? '');
  }
  const options = { cwd: packed.folder, encoding: 'utf8', timeout: 100_000 } as const;
  // Only newer versions of Node.js run TypeScript.
  const ran = spawnSync(process.execPath, ['quick-start-client.mts'], { ...options, env: environment() });
  assert.match(ran.stdout, expectedOutput(fencedText(page, 'text program')), ran.stderr);
  const compiler = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const typeRoots = ['--typeRoots', join(repositoryRoot, 'node_modules/@types')];
  const compiled = spawnSync('tsc', [...compiler, ...typeRoots, ...files], { ...options, env: toolEnvironment() });
  assert.equal(compiled.status, 0, compiled.stdout);
});

test('the program in client.md prints the output that the page shows', () => {
  const { status, stdout, stderr } = spawnSync(node, ['permits.mjs'], {
    cwd: packed.folder,
    env: environment(),
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, expectedOutput(fencedText(readMarkdownPage('docs/integrate/client.md'), 'text permits')));
  assert.match(stdout, /^permit-120 (accepted|sending|delivered)$/m);
});

test('a CommonJS program can load the package with import(), and with require if its Node.js version supports that', () => {
  const use = "typeof createClient === 'function' && typeof verifyWebhook === 'function'";
  const program = (load: string) =>
    `(async () => { const { createClient, verifyWebhook } = ${load}; console.log(${use}); })();`;
  const outputOf = (load: string) => {
    writeFileSync(join(packed.folder, 'load.cjs'), program(load));
    // The options of the test run are for another version of Node.js.
    const env = { ...process.env, NODE_OPTIONS: '' };
    const options = { cwd: packed.folder, encoding: 'utf8', timeout: 60_000, env } as const;
    const { stdout, stderr } = spawnSync(node, ['load.cjs'], options);
    return `${stdout}${stderr}`;
  };
  assert.match(outputOf("await import('citizen-services-client')"), /^true$/m);
  const canRequire = execFileSync(node, ['-p', 'process.features.require_module === true'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const required = outputOf("require('citizen-services-client')");
  assert.match(required, canRequire.trim() === 'true' ? /^true$/m : /ERR_REQUIRE_ESM/);
});

test('a TypeScript program in CommonJS compiles with the types of the package', () => {
  const program = "import { createClient } from 'citizen-services-client';\nvoid createClient;\n";
  writeFileSync(join(packed.folder, 'consumer.cts'), program);
  const args = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const typeRoots = ['--typeRoots', join(repositoryRoot, 'node_modules/@types')];
  const options = { cwd: packed.folder, env: toolEnvironment(), encoding: 'utf8', timeout: 100_000 } as const;
  const { status, stdout } = spawnSync('tsc', [...args, ...typeRoots, 'consumer.cts'], options);
  assert.equal(status, 0, stdout);
});

test('the webhook receiver in the documentation accepts only the calls that the command line forwards', async (t) => {
  const address = `http://127.0.0.1:${await replacePort()}/hooks`;
  const listening = start(t, [bin, 'listen', '--dpop', '--forward-to', address]);
  await waitUntil(async () => listening.written.text.includes('whsec_'));
  const secret = /whsec_\S+/.exec(listening.written.text)?.[0];
  const receiver = start(t, ['hooks.mjs'], { WEBHOOK_SECRET: secret });
  await waitUntil(async () => {
    const answer = await fetch(`${target()}`, { method: 'POST', body: '{}' }).catch(() => undefined);
    return answer?.status === 400;
  });
  const sent = spawnSync(node, ['permits.mjs'], { cwd: packed.folder, env: environment(), encoding: 'utf8' });
  assert.equal(sent.status, 0, sent.stderr);
  await waitUntil(async () => /^notification\.delivery-ended permit-120 \S+$/m.test(receiver.written.text));
  await waitUntil(async () => / → 204\n/.test(listening.written.text));
});

let hooksPort = 0;
const target = () => `http://127.0.0.1:${hooksPort}/hooks`;

/** Replaces the port 8080 of the page, which another program may use. */
async function replacePort(): Promise<number> {
  hooksPort = await freePort();
  const file = join(packed.folder, 'hooks.mjs');
  writeFileSync(file, readFileSync(file, 'utf8').replace('8080', String(hooksPort)));
  return hooksPort;
}

test('a TypeScript program compiles with the types of the package, and an unknown member does not', () => {
  writeFileSync(join(packed.folder, 'consumer.mts'), consumer.replaceAll('// refused:', '// @ts-expect-error'));
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023'];
  const types = [
    '--types',
    'node',
    '--typeRoots',
    join(repositoryRoot, 'node_modules/@types'),
    '--skipLibCheck',
    'false',
  ];
  const { status, stdout } = spawnSync('tsc', [...options, ...types, 'consumer.mts'], {
    cwd: packed.folder,
    env: toolEnvironment(),
    encoding: 'utf8',
    timeout: 100_000,
  });
  assert.equal(status, 0, stdout);
});

/** The line after each `refused` must not compile. */
const consumer = `
import { createClient, type Client, type JWK, type Problem, type ProblemSlug, verifyWebhook } from 'citizen-services-client';
declare const privateKey: JWK;
const client: Client = createClient({ baseUrl: 'https://api.example.gov', clientId: 'tax', privateKey });
// refused: a secret or a key
createClient({ baseUrl: 'https://api.example.gov', clientId: 'tax' });
const answer = await client.call('sendNotification', { body: { citizenId: 'a', message: 'b' } });
answer.status satisfies 202;
answer.body.receipt satisfies string;
(await client.preview({ citizenId: 'a', message: 'b' })).citizenKnown satisfies boolean;
// refused: the response is the document, not JSON
void client.call('retrieveDocument', { params: { id: 'x' } });
// refused: the citizen is missing
void client.call('sendNotification', { body: { message: 'b' } });
// refused: the id is missing
void client.call('readNotification');
// refused: there is no such operation
void client.call('deleteNotification', { params: { id: 'x' } });
// refused: not a channel
void client.send({ citizenId: 'a', message: 'b', channels: ['fax'] });
void client.call('listEndpoints');
const { decision } = await client.verify({ citizenId: 'a' });
decision satisfies string;
// refused: a member that no response has
void (await client.verify({})).score;
verifyWebhook('whsec_', new Headers(), '').data.reference satisfies string | null | undefined;
export type Names = Problem['title'];
export const unknownId: ProblemSlug = 'citizen-not-found';
// refused: no such problem
export const misspelt: ProblemSlug = 'citizen-unknown';
`;
