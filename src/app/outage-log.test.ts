import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { createVirtualTime } from '../../test/support/virtual-time.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { createLog, type Log } from '../api/log.ts';
import { type Database, ReadUnavailable } from '../db/database.ts';
import { BlobsUnavailable } from '../documents/blobs/blob-store.ts';
import { createDatabaseOutageLog, createDocumentsOutageLog } from './outage-log.ts';

/** A log and its lines: the place and message of each fault, or a notice with the number of suppressed faults. */
function createRecordedLog() {
  const lines: string[] = [];
  const log: Log = {
    ...createLog('silent'),
    fault: (where, fault) => void lines.push(`${where}: ${fault instanceof Error ? fault.message : ''}`),
    notice: (message, fields) => void lines.push(`${message} (${fields?.['faultsNotLogged']})`),
  };
  return { log, lines, taken: () => lines.splice(0) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an outage of the document store is logged when it begins, each minute while it lasts, and when it ends', async () => {
  const { timer, advance, pendingTimers } = createVirtualTime();
  const { log, taken } = createRecordedLog();
  let isThere = false;
  const outages = createDocumentsOutageLog({ log, timer }, async () => {
    if (!isThere) throw new BlobsUnavailable('away');
  });
  const fail = () => outages.log.fault('documents', new BlobsUnavailable('full'));
  for (let count = 0; count < 5; count += 1) fail();
  outages.log.fault('scan', new BlobsUnavailable('full'));
  outages.log.fault('documents', new Error('other'));
  assert.deepEqual(taken(), ['documents: full', 'documents: other']);
  await advance(60_000, turn);
  assert.deepEqual(taken(), ['documents: full']);
  // Without a request, the check finds that the store is still missing.
  await advance(60_000, turn);
  assert.deepEqual(taken(), ['documents: away']);
  isThere = true;
  // The check succeeds on a full disk, which can be read.
  fail();
  await advance(60_000, turn);
  assert.deepEqual(taken(), ['documents: full']);
  await advance(60_000, turn);
  assert.deepEqual(taken(), ['the document storage responds again (6)']);
  assert.equal(pendingTimers(), 0);
  fail();
  assert.deepEqual(taken(), ['documents: full']);
  await outages.stop();
  assert.equal(pendingTimers(), 0);
  fail();
  assert.deepEqual(taken(), ['documents: full']);
});

for (const engine of engines) {
  test(`${engine.name}: the end of a database outage is logged with the number of suppressed faults, and a stop logs pending ones`, async (t) => {
    const db = await engine.open(t);
    const { timer, advance } = createVirtualTime();
    const { log, lines, taken } = createRecordedLog();
    let answer: () => void = assert.fail;
    let isOut = true;
    const read: Database['read'] = async (sql) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      answer = resolve;
      await promise;
      if (isOut) throw new ReadUnavailable('away');
      return await db.read(sql);
    };
    const outages = createDatabaseOutageLog({ db: { ...db, read }, log, timer });
    const fail = (message: string) => outages.log.fault('delivery', new ReadUnavailable(message));
    for (let count = 0; count < 25; count += 1) fail('held');
    answer();
    await turn();
    assert.deepEqual(taken(), ['database: away']);
    isOut = false;
    await advance(1_000, turn);
    answer();
    await waitUntil(async () => lines.length > 0);
    assert.deepEqual(taken(), ['the database responds again (25)']);
    fail('last');
    await outages.stop();
    assert.deepEqual(taken(), ['delivery: last']);
    isOut = true;
    answer();
    await turn();
    assert.deepEqual(taken(), []);
  });
}
