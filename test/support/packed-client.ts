import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { repositoryRoot } from './markdown-pages.ts';
import { makeTestFolder } from './test-folder.ts';

/** Compiles and packs the client, and installs it with jose in a folder outside the repository, as npm would. */
export function installPackedClient(): { readonly folder: string; readonly files: readonly string[]; close(): void } {
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
export function toolEnvironment(): { readonly PATH: string } {
  const places = [dirname(process.execPath), join(repositoryRoot, 'node_modules/.bin'), process.env['PATH'] ?? ''];
  return { PATH: places.join(delimiter) };
}

type PackResult = { readonly filename: string; readonly files: readonly { readonly path: string }[] };

/** The oldest Node.js on this machine that the client supports; without another one, the Node.js of this test. */
export function oldestSupportedNode(): string {
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
