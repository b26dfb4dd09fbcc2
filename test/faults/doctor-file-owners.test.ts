import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { doctorOnDamagedDemo } from '../support/doctor.ts';
import { fileCleanupScope } from '../support/server-process.ts';

// What `doctor` says of whose the files in DATA_DIR are.

const spoilt = doctorOnDamagedDemo(fileCleanupScope());

// Only root can give files away.
for (const other of process.getuid?.() === 0 ? [65_534] : []) {
  test('what the system keeps in a disk of its own is no file of another user', async (t) => {
    const { ofCheck } = await spoilt(t, (dataDir) => {
      mkdirSync(join(dataDir, 'lost+found'), { mode: 0o700 });
      chownSync(join(dataDir, 'lost+found'), other, other);
    });
    assert.deepEqual(
      ofCheck('data-dir').map(({ status }) => status),
      ['ok'],
    );
  });

  test('root is told that it is not the user of the server, and whose files are not', async (t) => {
    const { ofCheck, code } = await spoilt(t, (dataDir) => {
      for (const name of readdirSync(dataDir)) if (name !== 'root.key') chownSync(join(dataDir, name), other, other);
      chownSync(dataDir, other, other);
    });
    const [asRoot, strange] = ofCheck('data-dir');
    assert.match(`${asRoot?.status} ${asRoot?.found}`, /^warn this is root, and \S+ belongs to user 65534$/);
    assert.match(`${strange?.status} ${strange?.found}`, /^fault root\.key in \S+ is another user's$/);
    assert.match(strange?.fix ?? '', /^chown -R 65534 /);
    assert.equal(code, 1);
  });
}
