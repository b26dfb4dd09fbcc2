import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Lock = {
  readonly name: string;
  readonly packages: Readonly<Record<string, { readonly dev?: true; readonly devDependencies?: unknown }>>;
};

/**
 * The software bill of materials of the production dependencies, as CycloneDX JSON. npm makes it from a lock file without development
 * dependencies, because `npm sbom --omit dev` also omits packages that both need (https://github.com/npm/cli/issues/7909).
 */
export function createSbom(root: string): string {
  // npm wrote this file.
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const { '': project, ...packages } = lock.packages;
  const { devDependencies: _omitted, ...production } = project ?? {};
  const needed = Object.entries(packages).filter(([, { dev }]) => dev === undefined);
  const temporary = mkdtempSync(join(tmpdir(), 'sbom-'));
  // npm names the component after the folder.
  const folder = join(temporary, lock.name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(production));
  const productionLock = { ...lock, packages: { '': production, ...Object.fromEntries(needed) } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(productionLock));
  const options = ['--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  try {
    return execFileSync('npm', ['sbom', ...options], { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
