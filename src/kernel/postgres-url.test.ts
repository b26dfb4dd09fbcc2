import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitPostgresUrl } from './postgres-url.ts';

test('a database URL with several hosts is split into one URL for each host, in its order', () => {
  assert.deepEqual(splitPostgresUrl('postgres://cs:p%2Cw@h1:1,h2:2/db?sslmode=verify-full'), [
    'postgres://cs:p%2Cw@h1:1/db?sslmode=verify-full',
    'postgres://cs:p%2Cw@h2:2/db?sslmode=verify-full',
  ]);
  assert.deepEqual(splitPostgresUrl('postgresql://h1,[::1]:2/db'), ['postgresql://h1/db', 'postgresql://[::1]:2/db']);
  assert.deepEqual(splitPostgresUrl('postgres://cs@/db?host=h1,h2&port=1,2'), [
    'postgres://cs@/db?host=h1&port=1',
    'postgres://cs@/db?host=h2&port=2',
  ]);
  assert.deepEqual(splitPostgresUrl('postgres://cs@/db?host=h1,h2&port=1'), [
    'postgres://cs@/db?host=h1&port=1',
    'postgres://cs@/db?host=h2&port=1',
  ]);
});

test('a database URL with one host stays as it is', () => {
  for (const url of ['postgres://cs:100%@db.example/cs', 'postgres://cs@/cs?host=/run/postgresql', 'postgres://h'])
    assert.deepEqual(splitPostgresUrl(url), [url]);
});

test('a database URL with an empty host, or with a wrong number of ports, is rejected', () => {
  for (const url of [
    'postgres://h1,/db',
    'postgres:///db?host=h1,h2&port=1,2,3',
    'postgres:///db?host=h1,',
    'mysql://h',
  ])
    assert.equal(splitPostgresUrl(url), undefined);
});
