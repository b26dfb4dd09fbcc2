import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { createLog } from '../api/log.ts';
import { systemTimer } from '../jobs/timer.ts';
import type { WriteWithoutEvent } from '../jobs/write-without-event.ts';
import { createReadinessCheck } from './readiness.ts';

for (const engine of engines) {
  test(`${engine.name}: requests during a readiness check share its result, and a later request starts a new check`, async (t) => {
    const db = await engine.open(t);
    const calls = { reads: 0, writes: 0 };
    let opened = Promise.withResolvers<void>();
    const read: typeof db.read = async (sql, args) => {
      calls.reads += 1;
      await opened.promise;
      return await db.read(sql, args);
    };
    let isWritable = true;
    const claim: WriteWithoutEvent = async (statement) => {
      calls.writes += 1;
      if (!isWritable) throw new Error('read-only');
      return (await db.write([statement]))[0] ?? [];
    };
    const isReady = createReadinessCheck({
      db: { ...db, read },
      claim,
      log: createLog('silent'),
      timer: systemTimer,
      stopwatch: () => 0,
    });
    const many = Array.from({ length: 50 }, isReady);
    // The check is still running after a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    many.push(isReady());
    opened.resolve();
    assert.deepEqual(new Set(await Promise.all(many)), new Set([true]));
    assert.deepEqual(calls, { reads: 1, writes: 2 });
    isWritable = false;
    opened = Promise.withResolvers<void>();
    const refused = [isReady(), isReady()];
    opened.resolve();
    assert.deepEqual(await Promise.all(refused), [false, false]);
    assert.deepEqual(calls, { reads: 2, writes: 3 });
    isWritable = true;
    assert.equal(await isReady(), true);
    assert.deepEqual(calls, { reads: 3, writes: 4 });
  });
}
