/** Compiles the program into `dist/` for the npm package and the image; what is no TypeScript is copied beside it. */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const project = join(root, 'tsconfig.build.json');
const { status } = spawnSync('tsc', ['-p', project], { stdio: 'inherit', cwd: root });
if (status !== 0) process.exit(1);
for (const file of globSync('**/*', { cwd: join(root, 'src'), exclude: (name) => name.endsWith('.ts') })) {
  if (!/\.[a-z]+$/.test(file)) continue;
  mkdirSync(dirname(join(dist, file)), { recursive: true });
  cpSync(join(root, 'src', file), join(dist, file));
}
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ type: 'module' })}\n`);
console.log(`build: the program is in ${dist}`);
