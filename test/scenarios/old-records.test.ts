import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { engines } from '../engines.ts';
import { runHere } from '../run-here.ts';
import { makeHome, type ServerHome } from '../whole-server.ts';

/** What a whole life of a server, from its start to its end, says of records that an earlier version imported. */
async function toldAtStart(home: ServerHome): Promise<number> {
  const server = await home.start('start');
  await server.end('SIGTERM');
  return server.stderr().split('the register holds records of an earlier version').length - 1;
}

for (const { name } of engines) {
  test(`${name}: a start says that records are of an earlier version until their file is imported again`, async (t) => {
    const home = await makeHome(t, { engine: name, settings: { LOG_LEVEL: 'info' } });
    assert.equal((await runHere(home, 'keys', 'create')).code, 0);
    const people = join(home.dataDir, 'people.jsonl');
    const born = { familyName: 'Berg', birthDate: '1980-02-07', streetAddress: '17 Long Road' };
    const both = [
      { citizenId: 'C-1', givenName: 'Ida', ...born },
      { citizenId: 'C-2', ...born },
    ];
    writeFileSync(people, both.map((person) => JSON.stringify(person)).join('\n'));
    assert.equal((await runHere(home, 'import', 'citizens', people)).code, 0);
    assert.equal(await toldAtStart(home), 0);
    const db = await home.openDb();
    // As the migration leaves them that brought these keys. One without a given name never has its key.
    await db.write([{ sql: 'update citizen set given_key = null, street_key = null' }]);
    await db.close();
    assert.equal(await toldAtStart(home), 1);
    const imported = await runHere(home, 'import', 'citizens', people, '--restart');
    assert.equal(imported.code, 0, imported.stderr);
    assert.equal(await toldAtStart(home), 0);
  });
}
