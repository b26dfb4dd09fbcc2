import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { DemoFile } from '../src/cli/demo-data.ts';
import { freePort } from './support/free-port.ts';
import { bearerHeaders, createHttpClient, parseJsonBody, postJson } from './support/http-client.ts';
import type { CleanupScope } from './support/server-process.ts';
import { makeTestFolder } from './support/test-folder.ts';
import { waitUntil } from './support/wait-until.ts';

const root = join(import.meta.dirname, '..');

/** Why this machine cannot build an image; undefined if it can. */
function imageSkipReason(): string | undefined {
  const found = (program: string) =>
    (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, program)));
  if (!found('buildah')) return 'buildah is not installed';
  if (process.getuid?.() !== 0) return 'only root may call chroot';
  return undefined;
}

/** The members of the configuration of an image that a run uses. */
type ImageConfig = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Healthcheck?: { readonly Test: readonly string[] };
};

/** An image that was built from the Containerfile, and its files. */
type Image = {
  readonly config: ImageConfig;
  /** The root folder of the image, which its processes see read-only. */
  readonly files: string;
  /** Runs a command like a container engine: with the user, folder and environment of the image, and `data` as /data. */
  run(command: readonly string[], data: string, env?: Readonly<Record<string, string>>): ReturnType<typeof spawn>;
};

/** Builds the image, and deletes it with all of its layers after the test. */
async function buildImage(t: CleanupScope): Promise<Image> {
  const folder = mkdtempSync(join(tmpdir(), 'cs-image-'));
  const store = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const buildah = (...args: readonly string[]) =>
    execFileSync('buildah', [...store, ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 2 ** 26,
    });
  t.after(() => {
    buildah('umount', '--all');
    rmSync(folder, { recursive: true, force: true });
  });
  const base = join(folder, 'base');
  fillBaseImage(base);
  const build = (...args: readonly string[]) =>
    buildah('build', '--quiet', '--isolation', 'chroot', '--format', 'docker', ...args);
  writeFileSync(join(folder, 'Base'), 'FROM scratch\nCOPY . /\nENV PATH=/usr/local/bin:/usr/bin:/bin\n');
  build('--file', join(folder, 'Base'), '--tag', 'base', base);
  // `npm ci` takes its packages from the cache of this machine.
  const npmrc = join(folder, 'npmrc');
  writeFileSync(npmrc, 'cache=/npm-cache\noffline=true\nupdate-notifier=false\n');
  const volumes = [`${npmrc}:/root/.npmrc:ro`, `${join(homedir(), '.npm')}:/npm-cache`];
  build(
    ...volumes.flatMap((volume) => ['--volume', volume]),
    '--build-arg',
    'NODE=localhost/base',
    '--tag',
    'image',
    root,
  );
  const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'image')) as { Docker: { config: ImageConfig } };
  const files = buildah('mount', buildah('from', 'image').trim()).trim();
  const config = Docker.config;
  return { config, files, run: (command, data, env = {}) => runInImage(files, config, { command, data, env }) };
}

/** Replaces the image of Node.js, which only a registry has, with this Node.js, npm, and the programs that both need. */
function fillBaseImage(base: string): void {
  const programs = ['sh', 'env', 'mkdir', 'chown'].map((name) =>
    execFileSync('which', [name], { encoding: 'utf8' }).trim(),
  );
  for (const program of programs)
    copyProgram(base, program, join('/usr/bin', program.slice(program.lastIndexOf('/') + 1)));
  symlinkSync('usr/bin', join(base, 'bin'));
  copyProgram(base, process.execPath, '/usr/local/bin/node');
  copyLibc(base);
  const npm = process.env['npm_execpath'] ?? realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim());
  cpSync(dirname(dirname(npm)), join(base, 'usr/local/lib/node_modules/npm'), { recursive: true, dereference: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm'));
  mkdirSync(join(base, 'tmp'));
  chmodSync(join(base, 'tmp'), 0o1777);
  for (const name of ['proc', 'dev', 'etc', 'root']) mkdirSync(join(base, name), { recursive: true });
  writeFileSync(join(base, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
}

/** Copies the libraries of the C library. Modules that are loaded later may need more of them than the program itself. */
function copyLibc(base: string): void {
  const [, folder = ''] =
    /(\/\S+)\/libc\.so\.6 /.exec(execFileSync('ldd', [process.execPath], { encoding: 'utf8' })) ?? [];
  for (const name of globSync('lib{c,m,rt,dl,pthread,resolv,nss_*}.so.[0-9]', { cwd: folder }))
    copyFileSync(join(folder, name), join(base, folder, name));
}

/** Copies a program, and its linked libraries to the paths at which it expects them. */
function copyProgram(base: string, program: string, to: string): void {
  const libraries = [...execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)].map(
    ([, path = '']) => path,
  );
  for (const [from, target] of [[program, to], ...libraries.map((path) => [path, path])] as const) {
    mkdirSync(dirname(join(base, target)), { recursive: true });
    copyFileSync(from, join(base, target));
  }
}

type ImageRun = {
  readonly command: readonly string[];
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
};

function runInImage(
  files: string,
  { User, Env, WorkingDir }: ImageConfig,
  { command, data, env }: ImageRun,
): ReturnType<typeof spawn> {
  const [uid = '', gid = uid] = User.split(':');
  for (const path of [data, ...globSync('*', { cwd: data }).map((name) => join(data, name))])
    chownSync(path, Number(uid), Number(gid));
  const script = [
    'mount --bind "$1" "$1"',
    'mount -o remount,bind,ro "$1"',
    'mount --rbind /proc "$1/proc"',
    'mount --rbind /dev "$1/dev"',
    'mount -t tmpfs none "$1/tmp"',
    'mount --bind "$2" "$1/data"',
    'files=$1 user=$3',
    'shift 3',
    'exec /usr/sbin/chroot --userspec="$user" "$files" "$@"',
  ].join(' && ');
  const inside = ['/bin/sh', '-c', `cd ${WorkingDir} && exec "$@"`, 'sh', ...command];
  const imageEnv = Object.fromEntries(
    Env.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
  return spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', files, data, User, ...inside], {
    env: { ...imageEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Waits for a process of the image; returns its exit code and its whole output. */
async function waitForExit(
  child: ReturnType<typeof spawn>,
): Promise<{ readonly code: number | null; readonly said: string }> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said: output };
}

// `npm run test:image` runs this file. It takes minutes, so `npm test` leaves it out.

test('the image serves as an unprivileged user on a read-only root, reports its health, and ends on SIGTERM', async (t) => {
  assert.equal(imageSkipReason(), undefined);
  const { config, files, run } = await buildImage(t);
  assert.equal(config.User, '10001:10001');
  assert.deepEqual(globSync('**/*.test.*', { cwd: join(files, 'opt/citizen-services/dist') }), []);
  assert.ok(existsSync(join(files, 'opt/citizen-services/dist/sbom.cdx.json')));
  const data = makeTestFolder('cs-image-data-');
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const spool = join(data, 'letters');
  mkdirSync(spool);
  const address = 'Long Road 17,0150,Oslo,NO';
  const columns = 'citizenId,givenName,familyName,birthDate,streetAddress,postalCode,locality,country';
  writeFileSync(join(data, 'people.csv'), `${columns}\nida,Ida,Berg,1980-01-01,${address}\n`);
  writeFileSync(join(data, 'cascade.json'), '{"steps":[{"channel":"letter"}],"letterLeadDays":5}');
  const [port, adminPort] = [await freePort(), await freePort()];
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    CLAMAV: 'off',
    LETTER_SPOOL: '/data/letters',
    CASCADE_POLICY: '/data/cascade.json',
  };
  const launch = (...args: readonly string[]) => run([...config.Entrypoint, ...args], data, settings);
  const health = async () => await waitForExit(run(config.Healthcheck?.Test.slice(1) ?? [], data, settings));

  const unready = await waitForExit(launch(...config.Cmd));
  assert.deepEqual([unready.code, /keys create/.test(unready.said)], [1, true], unready.said);

  const demo = launch('demo');
  t.after(() => demo.kill('SIGKILL'));
  const ended = waitForExit(demo);
  const ask = createHttpClient(`http://127.0.0.1:${port}`);
  await waitUntil(async () => existsSync(join(data, 'demo.json')) && (await health()).code === 0, 120_000);
  assert.deepEqual(await health(), { code: 0, said: '{"status":"UP","ledger":"ok"}\n' });
  // The demo wrote this file.
  const { tokenUrl, clients, documents } = JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8')) as DemoFile;
  const [client, document] = [clients[0] ?? assert.fail(), documents[0] ?? assert.fail()];
  const tokenRequest = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });
  const token = String(
    ((await (await fetch(tokenUrl, { method: 'POST', body: tokenRequest })).json()) as { access_token: string })
      .access_token,
  );
  const imported = await waitForExit(launch('citizens', 'import', '/data/people.csv'));
  assert.equal(imported.code, 0, imported.said);
  const claims = { citizenId: 'ida', givenName: 'Ida', familyName: 'Berg', birthDate: '1980-01-01' };
  assert.equal(parseJsonBody(await ask(postJson(token, '/v1/identity/verify', claims)))['decision'], 'match');
  assert.equal((await ask({ path: `/v1/documents/${document.id}`, headers: bearerHeaders(token) })).status, 200);
  assert.equal(
    (await ask(postJson(token, '/v1/notifications/send', { citizenId: 'ida', message: 'It is ready.' }))).status,
    202,
  );
  await waitUntil(async () => readdirSync(spool).some((name) => name.endsWith('.pdf')), 60_000);

  demo.kill('SIGTERM');
  const { code, said } = await ended;
  assert.equal(code, 0, said);
  assert.equal((await health()).code, 1);
});
