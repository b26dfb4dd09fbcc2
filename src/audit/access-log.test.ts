import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { buildLedgerApp } from '../../test/support/ledger-app.ts';
import { readAccessLog } from './access-log.ts';

const nameLookups = { organisationOf: (clientId: string) => clientId, explanationOf: async () => undefined };

for (const engine of engines) {
  test(`${engine.name}: a use is returned after it is signed, and every page can be read from the same tree`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const parts = { ...app, log: app.view, ...nameLookups };
    const readNumbers = async (checkpoint?: Awaited<ReturnType<typeof app.view.publishedCheckpoint>>) => {
      const part = { after: 0, limit: 10, now: app.time.now, checkpoint };
      const { totalUsages, returnedUsages, usages } = await readAccessLog(parts, 'anna', part);
      return [totalUsages, returnedUsages, ...usages.map(({ number }) => number)];
    };
    await app.use('anna');
    while ((await app.sequencer.step()) !== 0);
    assert.deepEqual(await readNumbers(), [0, 0]);
    await app.sequence();
    const earlier = await app.view.publishedCheckpoint();
    await app.use('anna');
    while ((await app.sequencer.step()) !== 0);
    assert.deepEqual(await readNumbers(), [1, 1, 1]);
    await app.sequence();
    assert.deepEqual(
      [await readNumbers(), await readNumbers(earlier)],
      [
        [2, 2, 1, 2],
        [1, 1, 1],
      ],
    );
  });

  test(`${engine.name}: the pages of the last signed uses before a number are in order, without repeats and gaps`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const parts = { ...app, log: app.view, ...nameLookups };
    await app.use('bert', 'anna', 'anna', 'bert', 'anna', 'anna', 'anna');
    await app.sequence();
    await app.use('anna');
    while ((await app.sequencer.step()) !== 0);
    const readNumbers = async (before: number, { after = 0, limit = 2 } = {}) => {
      const part = { after, before, limit, now: app.time.now };
      return (await readAccessLog(parts, 'anna', part)).usages.map(({ number }) => number);
    };
    const [all, most] = [{ limit: 100 }, Number.MAX_SAFE_INTEGER];
    assert.deepEqual(
      [await readNumbers(most), await readNumbers(4), await readNumbers(2), await readNumbers(1)],
      [[4, 5], [2, 3], [1], []],
    );
    assert.deepEqual(
      [await readNumbers(6), await readNumbers(7), await readNumbers(5, all)],
      [
        [4, 5],
        [4, 5],
        [1, 2, 3, 4],
      ],
    );
    // Both limits apply.
    assert.deepEqual(
      [await readNumbers(5, { after: 3 }), await readNumbers(5, { after: 4 }), await readNumbers(3, { after: 5 })],
      [[4], [], []],
    );
    assert.deepEqual(await readNumbers(most, { after: 1, limit: 100 }), [2, 3, 4, 5]);
  });

  test(`${engine.name}: the proofs of a page are created concurrently`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    await app.use(...Array.from({ length: 20 }, () => 'anna'));
    await app.sequence();
    let [underWay, most] = [0, 0];
    const prover: typeof app.view.createEntryProver = (checkpoint) => {
      const prove = app.view.createEntryProver(checkpoint);
      return async (...asked) => {
        underWay += 1;
        most = Math.max(most, underWay);
        const proof = await prove(...asked);
        underWay -= 1;
        return proof;
      };
    };
    const parts = { ...app, log: { ...app.view, createEntryProver: prover }, ...nameLookups };
    const { usages } = await readAccessLog(parts, 'anna', { after: 0, limit: 20, now: app.time.now });
    assert.deepEqual([usages.map(({ number }) => number), most], [Array.from({ length: 20 }, (_, at) => at + 1), 20]);
  });
}
