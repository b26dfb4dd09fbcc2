/**
 * Compiles the server into `dist/` for the npm package and the image, and copies all other files of `src`. Compiles the client
 * into `client/dist/` if its folder exists, and packs it into `dist/web/`, where the server offers it as a download. The image is
 * built without the client. The SBOM is `dist/sbom.cdx.json`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createSbom } from './sbom.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

compile('tsconfig.build.json', dist);
const hasClient = existsSync(join(root, 'client'));
if (hasClient) compile('client/tsconfig.json', join(root, 'client/dist'));
for (const file of globSync('**/*', { cwd: join(root, 'src') })) {
  if (!/\.[a-z]+$/.test(file) || file.endsWith('.ts')) continue;
  mkdirSync(dirname(join(dist, file)), { recursive: true });
  cpSync(join(root, 'src', file), join(dist, file));
}
if (hasClient) packClient();
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ type: 'module' })}\n`);
writeFileSync(join(dist, 'sbom.cdx.json'), createSbom(root));
console.log(`build: the server is in ${dist}`);

/** Deletes the folder and compiles a project into it. Ends the build if the compiler fails. */
function compile(project: string, into: string): void {
  rmSync(into, { recursive: true, force: true });
  const { status } = spawnSync('tsc', ['-p', join(root, project)], { stdio: 'inherit', cwd: root });
  if (status !== 0) process.exit(1);
}

/** Packs the client into `dist/web/`. Ends the build if npm fails. */
function packClient(): void {
  // In `npm pack --dry-run` of the server, npm would pass its option to this command.
  const options = ['--ignore-scripts', '--dry-run=false', '--json=false', '--pack-destination', join(dist, 'web')];
  const { status } = spawnSync('npm', ['pack', './client', ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: root,
  });
  if (status !== 0) process.exit(1);
}
