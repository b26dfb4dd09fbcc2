import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { doctorOnDamagedDemo } from '../support/doctor.ts';
import { fileCleanupScope } from '../support/server-process.ts';

// How `doctor` checks the owners of the files in DATA_DIR.

const doctorAfter = doctorOnDamagedDemo(fileCleanupScope());

// Only root can change the owner of files.
for (const other of process.getuid?.() === 0 ? [65_534] : []) {
  test('lost+found in the data folder is not reported as a file of another user', async (t) => {
    const { ofCheck } = await doctorAfter(t, (dataDir) => {
      mkdirSync(join(dataDir, 'lost+found'), { mode: 0o700 });
      chownSync(join(dataDir, 'lost+found'), other, other);
    });
    assert.deepEqual(
      ofCheck('data-dir').map(({ status }) => status),
      ['ok'],
    );
  });

  test('root is warned that it is not the user of the server, and a file of another user is a fault', async (t) => {
    const { ofCheck, code } = await doctorAfter(t, (dataDir) => {
      for (const name of readdirSync(dataDir)) if (name !== 'root.key') chownSync(join(dataDir, name), other, other);
      chownSync(dataDir, other, other);
    });
    const [asRoot, foreign] = ofCheck('data-dir');
    assert.match(`${asRoot?.status} ${asRoot?.found}`, /^warn doctor runs as root, but \S+ belongs to user 65534$/);
    assert.match(`${foreign?.status} ${foreign?.found}`, /^fault root\.key in \S+ belongs to another user$/);
    assert.match(foreign?.fix ?? '', /^chown -R 65534 /);
    assert.equal(code, 1);
  });
}
