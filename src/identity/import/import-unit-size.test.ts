import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type Engine, engines } from '../../../test/support/database-engines.ts';
import { openIdentityApp } from '../../../test/support/identity-app.ts';
import { makeIdentityFolder } from '../../../test/support/identity-people.ts';
import { importCitizens } from './import-citizens.ts';

/** The numbers of rows of the slow units, up to 5,000 rows, and of the fast units after them. */
async function unitsOf(t: TestContext, engine: Engine, isAlone: boolean) {
  const { importDeps } = await openIdentityApp(t, engine);
  const path = join(makeIdentityFolder(t), 'people.csv');
  const people = Array.from({ length: 11_000 }, (_, at) => `C-${at},Family ${at}`);
  writeFileSync(path, `citizenId,familyName\n${people.join('\n')}\n`);
  let now = importDeps.clock.now();
  const [slow, quick]: [number[], number[]] = [[], []];
  let before = 0;
  const { progress } = await importCitizens(
    {
      ...importDeps,
      isAlone,
      clock: { now: () => now },
      commit: async (effect) => {
        const rows = await importDeps.commit(effect);
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
  return { slow, quick };
}

for (const engine of engines) {
  test(`${engine.name}: the write units of an import shrink while they are slow, and grow again when they are fast`, async (t) => {
    const { slow, quick } = await unitsOf(t, engine, false);
    assert.deepEqual([Math.max(...slow), slow.at(-1)], [1_024, 128]);
    assert.deepEqual([Math.min(...quick.slice(0, 3)), quick.at(-2)], [128, 1_024]);
  });

  test(`${engine.name}: the write units of an import that uses the database alone stay large, however long they take`, async (t) => {
    const { slow } = await unitsOf(t, engine, true);
    assert.equal(Math.min(...slow), 2_048);
  });
}
