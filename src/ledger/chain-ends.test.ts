import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { engines } from '../../test/support/database-engines.ts';
import { buildLedgerApp } from '../../test/support/ledger-app.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

for (const engine of engines) {
  test(`${engine.name}: the end of a chain that is kept keeps none of the memory that its event came in`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const heldBytes = () => {
      // The first gives memory back beside the program, and the second begins when that is done.
      for (let times = 0; times < 2; times += 1) collect();
      return process.memoryUsage().arrayBuffers;
    };
    const before = heldBytes();
    const chains = 200;
    for (let at = 0; at < chains; at += 1) {
      await app.use(`c${at}`);
      assert.equal(await app.sequencer.step(), 1);
      // As a server between two events: what node puts small buffers into is used up, and a new one begun.
      for (let times = 0; times < 3; times += 1) Buffer.allocUnsafe(Buffer.poolSize / 2 - 1);
    }
    const held = heldBytes() - before;
    assert.ok(held < (chains * Buffer.poolSize) / 4, `${held} bytes`);
    assert.equal(app.sequencer.tree()?.edge.size, chains);
  });
}
