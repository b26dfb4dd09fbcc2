import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import type { Statement } from '../db/database.ts';
import { deleteExpiredResults, deleteStoredResultsOf, storedResultKeptMs, storeResult } from './idempotency.ts';

const storedAt = Date.UTC(2026, 10, 1);

function resultOf(key: string, citizenId: string | null, at: number): Statement {
  const request = { clientId: 'office', operation: 'sendNotification', key };
  return storeResult({ request, digest: Buffer.alloc(32), citizenId }, { status: 202, json: {} }, at);
}

for (const engine of engines) {
  test(`${engine.name}: a stored response is deleted after 30 days`, async (t) => {
    const db = await engine.open(t);
    const claim = async (statement: Statement) => (await db.write([statement]))[0] ?? [];
    for (let key = 0; key < 600; key += 1) await db.write([resultOf(`old-${key}`, null, storedAt)]);
    await db.write([resultOf('new', null, storedAt + 1)]);
    assert.equal(await deleteExpiredResults(claim, storedAt + storedResultKeptMs), 0);
    assert.equal(await deleteExpiredResults(claim, storedAt + storedResultKeptMs + 1), 600);
    assert.deepEqual(await db.read('select key from idempotency'), [{ key: 'new' }]);
  });

  test(`${engine.name}: the stored responses of one citizen are deleted, and no others`, async (t) => {
    const db = await engine.open(t);
    await db.write([resultOf('a', 'anna', storedAt), resultOf('b', 'ben', storedAt), resultOf('c', null, storedAt)]);
    await db.write([deleteStoredResultsOf('anna')]);
    assert.deepEqual(await db.read('select key from idempotency order by key'), [{ key: 'b' }, { key: 'c' }]);
  });
}
