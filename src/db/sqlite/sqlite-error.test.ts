import assert from 'node:assert/strict';
import test from 'node:test';
import { explainSqliteError } from './sqlite-error.ts';

test('the message for a failed or full disk names the file and where to look', () => {
  // SQLITE_IOERR_SHMSIZE: the disk has no room for the `-shm` file.
  assert.equal(
    explainSqliteError('/data/db', { code: 'ERR_SQLITE_ERROR', errcode: 4874, message: 'disk I/O error' }),
    '/data/db: disk I/O error; its disk has failed, or is full: see df and dmesg',
  );
  assert.equal(
    explainSqliteError('/data/db', { code: '', errcode: 19, message: 'constraint failed' }),
    'constraint failed',
  );
});
