import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { engines } from '../../test/support/database-engines.ts';
import { buildLedgerApp } from '../../test/support/ledger-app.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

for (const engine of engines) {
  test(`${engine.name}: a cached chain end keeps no memory of its event`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const arrayBufferBytes = () => {
      // The first collection frees memory in the background, and the second one waits for that.
      for (let times = 0; times < 2; times += 1) collect();
      return process.memoryUsage().arrayBuffers;
    };
    const before = arrayBufferBytes();
    const chains = 200;
    for (let at = 0; at < chains; at += 1) {
      await app.use(`c${at}`);
      assert.equal(await app.sequencer.step(), 1);
      // As in a server between two events: the pool of small buffers is used up and replaced.
      for (let times = 0; times < 3; times += 1) Buffer.allocUnsafe(Buffer.poolSize / 2 - 1);
    }
    const held = arrayBufferBytes() - before;
    assert.ok(held < (chains * Buffer.poolSize) / 4, `${held} bytes`);
    assert.equal(app.sequencer.tree()?.edge.size, chains);
  });
}
