import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { buildLedgerApp } from '../../test/support/ledger-app.ts';
import { createLedgerHealth } from './ledger-health.ts';

for (const engine of engines) {
  test(`${engine.name}: a backlog of the sequencer is reported once a minute with its size, and cleared when it ends`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const reported: string[] = [];
    const watch = createLedgerHealth({
      read: app.db.read,
      clock: app.clock,
      hasWitnesses: false,
      onAlarm: (kind, { message }) => reported.push(`${kind}: ${message}`),
      onAlarmCleared: (kind) => reported.push(`${kind} ended`),
    });
    const after = async (seconds: number) => {
      app.time.now += seconds * 1_000;
      await watch.check();
      return reported.splice(0);
    };
    await app.use('anna', 'bert', undefined);
    assert.deepEqual(await after(29), []);
    assert.deepEqual(await after(1), ['ledger-behind: 3 events wait for their number, the oldest for 30 s']);
    assert.deepEqual(await after(59), []);
    assert.deepEqual(await after(1), ['ledger-behind: 3 events wait for their number, the oldest for 90 s']);
    const nothing = { signed: 0, cosigned: undefined, verified: undefined };
    assert.deepEqual(watch.state(), { ...nothing, waiting: 3, oldestSeconds: 90, alarms: ['ledger-behind'] });
    await app.sequence();
    watch.recordVerified(3);
    assert.deepEqual(await after(5), ['ledger-behind ended']);
    const fine = { waiting: 0, oldestSeconds: 0, signed: 3, verified: 3, alarms: [] };
    assert.deepEqual(watch.state(), { ...nothing, ...fine });
  });

  test(`${engine.name}: the cosigned size stays below the signed size while there is no quorum`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const reported: string[] = [];
    const watch = createLedgerHealth({
      read: app.db.read,
      clock: app.clock,
      hasWitnesses: true,
      onAlarm: (kind) => reported.push(kind),
      onAlarmCleared: (kind) => reported.push(`${kind} ended`),
    });
    await app.use('anna');
    await app.sequence();
    await watch.check();
    watch.raiseAlarm('ledger-witnesses', 'too few');
    watch.raiseAlarm('ledger-witnesses', 'too few, still');
    watch.clearAlarm('ledger-witnesses');
    watch.clearAlarm('ledger-witnesses');
    assert.deepEqual(reported, ['ledger-witnesses', 'ledger-witnesses ended']);
    assert.deepEqual([watch.state().signed, watch.state().cosigned, watch.state().alarms], [1, 0, []]);
  });
}
