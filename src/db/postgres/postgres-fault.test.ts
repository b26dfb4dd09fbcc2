import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyPostgresError, postgresErrorMessage } from './postgres-fault.ts';

function serverError(fields: Record<string, string>): Error {
  return Object.assign(new Error(fields['message'] ?? ''), { severity: 'ERROR', code: 'XX000' }, fields);
}

test('a server error counts as refused in every language of its severity, and a socket error as lost', () => {
  const unique = { code: '23505', message: 'duplicate key', table: 'person', constraint: 'person_pkey' };
  assert.deepEqual(classifyPostgresError(serverError(unique)), {
    is: 'refused',
    kind: 'unique',
    message: 'PostgreSQL 23505 at person, person_pkey',
  });
  for (const severity of ['FEHLER', 'ERREUR']) {
    assert.equal(classifyPostgresError(serverError({ ...unique, severity })).is, 'refused');
  }
  assert.equal(classifyPostgresError(new Error('Connection terminated unexpectedly')).is, 'lost');
  assert.equal(classifyPostgresError(Object.assign(new Error('read'), { code: 'ECONNRESET' })).is, 'lost');
});

test('each SQLSTATE has the documented classification', () => {
  const meanings = {
    '23502': 'refused',
    '23503': 'refused',
    '23514': 'refused',
    '22P02': 'refused',
    '42601': 'refused',
    '25P02': 'follows',
    '26000': 'follows',
    '40001': 'transient',
    '40P01': 'transient',
    '25006': 'transient',
    '53100': 'transient',
    '57014': 'slow',
    '55P03': 'slow',
    '40003': 'lost',
    '25P03': 'lost',
    '57P01': 'lost',
    '57P03': 'lost',
    '08006': 'lost',
  };
  const found = Object.keys(meanings).map((code) => [code, classifyPostgresError(serverError({ code })).is]);
  assert.deepEqual(Object.fromEntries(found), meanings);
});

test('a server message that may quote a value is omitted', () => {
  const error = serverError({ code: '22P02', message: 'invalid input syntax for type bigint: "Ada Lovelace"' });
  assert.deepEqual(classifyPostgresError(error), { is: 'refused', kind: 'other', message: 'PostgreSQL 22P02' });
});

test('a transient error causes a new connection only if that can succeed, and not after a conflict or a full disk', () => {
  const reconnects = (fields: Record<string, string>) => {
    const fault = classifyPostgresError(serverError({ code: '0A000', ...fields }));
    return fault.is === 'transient' ? fault.reconnect : fault.is;
  };
  assert.deepEqual(
    ['40001', '40P01', '53100'].map((code) => reconnects({ code })),
    [false, false, false],
  );
  assert.deepEqual(
    ['25006', '53300'].map((code) => reconnects({ code })),
    [true, true],
  );
  assert.deepEqual([reconnects({ routine: 'RevalidateCachedQuery' }), reconnects({})], [true, 'refused']);
  assert.equal(classifyPostgresError(new RangeError('an integer above 2^53')).is, 'unreadable');
});

test('a server message of an error class that quotes no value is kept', () => {
  const messageOf = (code: string) => postgresErrorMessage(serverError({ code, message: 'because' }));
  assert.deepEqual(['42601', '53100', '55P03', '08P01', '23514'].map(messageOf), [
    'PostgreSQL 42601: because',
    'PostgreSQL 53100: because',
    'PostgreSQL 55P03: because',
    'PostgreSQL 08P01: because',
    'PostgreSQL 23514',
  ]);
});
