import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { openAnchor } from '../../src/ledger/anchor.ts';
import { createMonitor } from '../../src/ledger/monitor.ts';
import { engines } from '../support/database-engines.ts';
import { anchorPath, buildLedgerApp, logKeyPolicy } from '../support/ledger-app.ts';
import { makeTestFolder } from '../support/test-folder.ts';

/** Opens the checkpoint file of a sequencer with a `DATA_DIR` of its own. Each call is a restart of its process. */
function makeAnchorFile(t: TestContext) {
  const folder = makeTestFolder('ledger-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return () => openAnchor(anchorPath(folder));
}

const keys = { policy: () => logKeyPolicy, refresh: async () => undefined };
const people = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at % 5}`);

/** A sequencer of a log that has that many entries. */
async function grownLog(db: Database, count: number, name: string) {
  const app = buildLedgerApp(db);
  await app.use(...people(count, name));
  await app.sequence();
  return app;
}

for (const engine of engines) {
  test(`${engine.name}: a sequencer that has never led does not sign over a database that was rolled back`, async (t) => {
    const anchorOfFollower = makeAnchorFile(t);
    const leader = await grownLog(await engine.open(t), 300, 'anna');
    const monitor = createMonitor(leader.view, keys, anchorOfFollower());
    assert.deepEqual(await monitor.check(), { verified: 300 });
    await leader.use('bert');
    await leader.sequence();
    assert.deepEqual(await monitor.check(), { verified: 301 });

    // An asynchronous standby without the last entry is promoted, and the leader ends.
    const rolledBack = await grownLog(await engine.open(t), 300, 'anna');
    const takeover = buildLedgerApp(rolledBack.db, { anchor: anchorOfFollower() });
    await takeover.use('carl');
    await assert.rejects(takeover.sequence(), /^LedgerBroken: the ledger has \d+ entries, but 301 were signed/);
    assert.equal((await takeover.view.signedCheckpoint())?.size, 300);
  });

  test(`${engine.name}: a sequencer raises an alarm for a second history, and its checkpoint file stays`, async (t) => {
    const anchorOfFollower = makeAnchorFile(t);
    const leader = await grownLog(await engine.open(t), 300, 'anna');
    await createMonitor(leader.view, keys, anchorOfFollower()).check();
    const kept = await anchorOfFollower().read();
    assert.equal(kept?.size, 300);

    const second = await grownLog(await engine.open(t), 700, 'bert');
    const monitor = createMonitor(second.view, keys, anchorOfFollower());
    const alarm = 'the log does not start with the tree that was signed at size 300';
    assert.deepEqual(
      [await monitor.check(), await monitor.check()],
      [
        { verified: 0, alarm },
        { verified: 0, alarm },
      ],
    );
    assert.deepEqual(await anchorOfFollower().read(), kept);
  });
}
