import assert from 'node:assert/strict';
import test from 'node:test';
import { explainSqliteError } from './sqlite-error.ts';

test('a disk that fails, of which a full one is one kind, is told with the file and where to look', () => {
  // SQLITE_IOERR_SHMSIZE: the index of the log beside the file can have no room.
  assert.equal(
    explainSqliteError('/data/db', { code: 'ERR_SQLITE_ERROR', errcode: 4874, message: 'disk I/O error' }),
    '/data/db: disk I/O error; its disk has failed, or is full: see df and dmesg',
  );
  assert.equal(
    explainSqliteError('/data/db', { code: '', errcode: 19, message: 'constraint failed' }),
    'constraint failed',
  );
});
