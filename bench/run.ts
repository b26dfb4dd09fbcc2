import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

// `npm run bench` starts here, on the Node.js of the clone. It then runs run-benches.ts on the Node.js of bench/package.json,
// the same release as in the image. All processes of the bench use that release.

const node = join(import.meta.dirname, 'node_modules/.bin/node');

/** Returns the reason why the benches cannot run, or undefined if they can. */
function findObstacle(): string | undefined {
  if (!existsSync(node)) return 'The packages of the bench are not installed. Run: npm ci --prefix bench';
  const { status, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return status === 0 ? undefined : `${stderr}On Debian or Ubuntu, run: apt-get install libatomic1`;
}

const reason = findObstacle();
if (reason !== undefined) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
process.execve?.(node, [node, join(import.meta.dirname, 'run-benches.ts'), ...process.argv.slice(2)], process.env);
