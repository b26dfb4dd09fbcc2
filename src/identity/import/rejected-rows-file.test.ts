import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeIdentityFolder } from '../../../test/support/identity-people.ts';
import { ImportFileFault } from './read-blocks.ts';
import { openRejectedRowsFile } from './rejected-rows-file.ts';

test('a rejected row has no escape sequence for a terminal, and no bidirectional control', async (t) => {
  const path = join(makeIdentityFolder(t), 'errors.csv');
  const file = await openRejectedRowsFile(path, ['id', 'na\u001bme'], 0);
  t.after(() => file.close());
  file.add('is empty', ['\u001b[2Jowned\u0007', 'A\u009b31mB\u007f\u0000\u202eC\u2069']);
  file.add('is empty', ['\u001b=1', 'a\tb\r\nc']);
  await file.flush();
  assert.equal(
    readFileSync(path, 'utf8'),
    'importError,id,na\ufffdme\r\nis empty,\ufffd[2Jowned\ufffd,A\ufffd31mB\ufffd\ufffd\ufffdC\ufffd\r\nis empty,\ufffd=1,"a\tb\r\nc"\r\n',
  );
});

for (const before of [0, 1]) {
  test(`one of two imports with the same error file stops, and the rows of the other are complete: ${before} rows before`, async (t) => {
    const path = join(makeIdentityFolder(t), 'errors.csv');
    const first = await openRejectedRowsFile(path, ['citizenId'], 0);
    t.after(() => first.close());
    for (let row = 0; row < before; row += 1) first.add('is empty', [`first-${row}`]);
    if (before > 0) await first.flush();
    const second = await openRejectedRowsFile(path, ['citizenId'], 0);
    t.after(() => second.close());
    second.add('is empty', ['B-1']);
    await second.flush();
    first.add('is empty', ['first']);
    await assert.rejects(first.flush(), ImportFileFault);
    second.add('is empty', ['B-2']);
    await second.flush();
    assert.equal(readFileSync(path, 'utf8'), 'importError,citizenId\r\nis empty,B-1\r\nis empty,B-2\r\n');
  });
}
