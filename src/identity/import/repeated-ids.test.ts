import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { openIdentityApp } from '../../../test/support/identity-app.ts';
import { makeIdentityFolder } from '../../../test/support/identity-people.ts';
import { importCitizens } from './import-citizens.ts';
import { createIdFilter, repeatedIdRemark } from './repeated-ids.ts';

const order = { format: 'csv', conditions: [], dryRun: false, restart: false, actor: { operator: 'test' } } as const;

/** A file of people. Each row in `repeated` has the id of the row at the given distance before it. */
function peopleFile(t: TestContext, count: number, repeated: ReadonlyMap<number, number>): string {
  const path = join(makeIdentityFolder(t), 'people.csv');
  const rows = Array.from({ length: count }, (_, at) => `C-${at + 1 - (repeated.get(at + 1) ?? 0)},Family ${at + 1}`);
  writeFileSync(path, `citizenId,familyName\n${rows.join('\n')}\n`);
  return path;
}

// Rows in one unit, in adjacent units, and in distant units.
const repeated = new Map([
  [3, 1],
  [1_500, 1_000],
  [2_100, 1_050],
  [4_700, 4_699],
  [4_701, 4_700],
  [4_702, 4_701],
]);

for (const engine of engines) {
  test(`${engine.name}: rows with the id of an earlier row are counted and listed, also if the import was stopped in between`, async (t) => {
    const whole = await openIdentityApp(t, engine);
    const path = peopleFile(t, 5_000, repeated);
    const expected = [{ [repeatedIdRemark]: 6 }, { [repeatedIdRemark]: [3, 1_500, 2_100, 4_700, 4_701] }];
    const dryRunResult = await whole.importFile({ path, dryRun: true });
    assert.deepEqual([dryRunResult.progress.remarks, dryRunResult.progress.firstRows], expected);
    const { progress } = await whole.importFile({ path });
    assert.deepEqual([progress.remarks, progress.firstRows], expected);
    const [{ family_name: latest } = {}] = await whole.db.read(
      "select family_name from citizen where citizen_id = 'C-1'",
    );
    assert.equal(latest, 'Family 4702');
    const again = await whole.importFile({ path, restart: true });
    assert.deepEqual([again.progress.remarks, again.progress.firstRows], expected);
    const stopped = await openIdentityApp(t, engine);
    let units = 0;
    const commit: typeof stopped.importDeps.commit = async (effect) => {
      units += 1;
      if (units > 3) throw new Error('the process was stopped');
      return await stopped.importDeps.commit(effect);
    };
    await assert.rejects(importCitizens({ ...stopped.importDeps, commit }, { ...order, path }), /was stopped/);
    const resumed = await stopped.importFile({ path });
    assert.deepEqual([resumed.began, resumed.progress.remarks, resumed.progress.firstRows], ['resumed', ...expected]);
  });

  test(`${engine.name}: a future birth date and an invalid email address are stored with a remark`, async (t) => {
    const app = await openIdentityApp(t, engine);
    const path = join(makeIdentityFolder(t), 'people.csv');
    const mails = [
      'ann@example.org',
      'bo(at)example.org',
      'c@d@example.org',
      'dee@b\u00fccher.example',
      ' e+f@x.y.zz ',
      '',
    ];
    const dates = ['2999-01-01', '1980-02-30', '2999', '1980', '2019-12', ''];
    writeFileSync(path, `id,mail,dob\n${mails.map((mail, at) => `${at},${mail},${dates[at]}`).join('\n')}\n`);
    const { progress } = await app.importFile({ path });
    assert.deepEqual(
      [progress.stored, progress.remarks, progress.firstRows],
      [
        6,
        {
          'birthDate is in the future; stored unchanged': 2,
          'birthDate does not exist in the calendar; only its month or year is stored': 1,
          'email is not a valid address; stored unchanged': 2,
        },
        {
          'birthDate is in the future; stored unchanged': [1, 3],
          'birthDate does not exist in the calendar; only its month or year is stored': [2],
          'email is not a valid address; stored unchanged': [2, 3],
        },
      ],
    );
    const rows = await app.db.read('select email, birth_date from citizen order by citizen_id');
    assert.deepEqual(
      rows.map(({ email, birth_date: date }) => [email, date]),
      mails.map((mail, at) => [mail.trim() || null, dates[at]?.replace('1980-02-30', '1980-02') || null]),
    );
  });
}

test('the id filter reports every repeated id, and few of a hundred thousand new ones', () => {
  const seen = createIdFilter(false);
  const ids = Array.from({ length: 100_000 }, (_, at) => `C${String(at).padStart(8, '0')}`);
  const taken = ids.filter((id) => seen(id) !== 'new').length;
  assert.ok(taken < 20, `${taken} were`);
  assert.deepEqual([...new Set(ids.map(seen))], ['perhaps']);
});
