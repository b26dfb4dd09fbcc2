import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSbom } from '../../scripts/sbom.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

test('the SBOM lists exactly the production dependencies with the versions of the lock file', () => {
  const { metadata, components, dependencies } = JSON.parse(createSbom(root));
  const lock: Record<string, { version: string; dev?: true }> = read('package-lock.json').packages;
  const expected = Object.entries(lock).flatMap(([path, { version, dev }]) =>
    path === '' || dev ? [] : [`${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`],
  );
  const refs = components.map((component: { readonly 'bom-ref': string }) => component['bom-ref']);
  assert.deepEqual(refs.sort(), [...new Set(expected)].sort());

  const { name, version, dependencies: direct } = read('package.json');
  assert.deepEqual([metadata.component.name, metadata.component.version], [name, version]);
  const ofServer = dependencies.find(({ ref }: { readonly ref: string }) => ref === metadata.component['bom-ref']);
  assert.deepEqual(
    ofServer.dependsOn.sort(),
    Object.entries(direct)
      .map(([dependency, itsVersion]) => `${dependency}@${itsVersion}`)
      .sort(),
  );
});
