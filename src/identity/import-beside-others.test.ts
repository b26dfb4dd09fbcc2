import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { engines } from '../../test/engines.ts';
import { openIdentityHouse } from '../../test/identity-house.ts';
import { temporaryFolder } from '../../test/identity-people.ts';
import { importCitizens } from './import-citizens.ts';

for (const engine of engines) {
  test(`${engine.name}: units of an import that take long, for which others wait, become smaller, and larger again when they do not`, async (t) => {
    const { importHouse } = await openIdentityHouse(t, engine);
    const path = join(temporaryFolder(t), 'people.csv');
    const people = Array.from({ length: 11_000 }, (_, at) => `C-${at},Family ${at}`);
    writeFileSync(path, `citizenId,familyName\n${people.join('\n')}\n`);
    let now = importHouse.clock.now();
    const [slow, quick]: [number[], number[]] = [[], []];
    let before = 0;
    const { progress } = await importCitizens(
      {
        ...importHouse,
        clock: { now: () => now },
        commit: async (effect) => {
          const rows = await importHouse.commit(effect);
          if (before < 5_000) now += 200;
          return rows;
        },
      },
      { path, format: 'csv', conditions: [], dryRun: false, restart: false, actor: { operator: 'test' } },
      ({ read }) => {
        if (read > before) (before < 5_000 ? slow : quick).push(read - before);
        before = read;
      },
    );
    assert.equal(progress.stored, people.length);
    assert.deepEqual([Math.max(...slow), slow.at(-1)], [1_024, 128]);
    assert.deepEqual([Math.min(...quick.slice(0, 3)), quick.at(-2)], [128, 1_024]);
  });
}
