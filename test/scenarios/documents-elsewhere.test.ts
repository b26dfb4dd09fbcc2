import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { engines } from '../engines.ts';
import { runHere } from '../run-here.ts';
import { makeHome } from '../whole-server.ts';

for (const { name } of engines) {
  test(`${name}: a folder without documents beside a database that has some is told, at the start and by doctor`, async (t) => {
    const home = await makeHome(t, { engine: name, settings: { ADMIN_PORT: '0' } });
    const told = /documents are on record, and .*documents holds none/;
    const faultsOf = async (said: string) => {
      const [address = assert.fail(said)] = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(said) ?? [];
      const metrics = await (await fetch(address)).text();
      return /^citizen_services_faults_total\{kind="documents"\} (\d+)$/m.exec(metrics)?.[1];
    };
    const well = await home.start();
    assert.equal(await faultsOf(`${well.stdout()}${well.stderr()}`), '0');
    await well.end('SIGTERM');
    assert.doesNotMatch((await runHere(home, 'doctor')).stdout, told);

    // As where the disk of the documents is not mounted.
    const folder = join(home.dataDir, 'documents');
    renameSync(folder, join(home.dataDir, 'mounted-elsewhere'));
    mkdirSync(folder);
    assert.match((await runHere(home, 'doctor')).stdout, told);
    const server = await home.start();
    assert.match(server.stderr(), new RegExp(`"where":"documents","fault":.*${told.source}`));
    // The start tells of it before there are metrics.
    assert.equal(await faultsOf(`${server.stdout()}${server.stderr()}`), '1');
  });
}
