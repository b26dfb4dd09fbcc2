import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { openIdentityApp } from '../../../test/support/identity-app.ts';
import { makeIdentityFolder } from '../../../test/support/identity-people.ts';

for (const engine of engines) {
  test(`${engine.name}: a person with two distant rows in a first import is found by the name and date of the later row only`, async (t) => {
    const app = await openIdentityApp(t, engine);
    const others = Array.from({ length: 5_000 }, (_, at) => `P${at},Ann,Holm,1980-02-07`);
    const path = join(makeIdentityFolder(t), 'people.csv');
    const rows = [
      'id,firstname,surname,dob',
      'A,Eva,van der Berg,1990-01-01',
      'B,Bo,Feggins Jr.,1990-01-01',
      ...others,
      'A,Eva,Lind,1990-01-01',
      'B,Bo,Feggins Jr.,1991-02-02',
      '',
    ];
    writeFileSync(path, rows.join('\n'));
    await app.importFile({ path });
    const kept = await app.db.read('select citizen_id, birth_date from former_name order by citizen_id');
    assert.deepEqual(
      kept.map((row) => Object.values(row)),
      [['B', '1991-02-02']],
    );
  });
}
