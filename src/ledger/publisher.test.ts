import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/engines.ts';
import { buildLedgerHouse } from '../../test/ledger-house.ts';
import { LedgerBroken } from './open-tree.ts';

for (const engine of engines) {
  test(`${engine.name}: of two trees of one size the second is refused, and a smaller one takes nothing back`, async (t) => {
    const db = await engine.open(t);
    const house = buildLedgerHouse(db);
    await house.use(undefined);
    await house.sequence();
    const small = house.sequencer.tree();
    await house.use(undefined);
    await house.sequence();
    const large = house.sequencer.tree();
    assert.ok(small !== undefined && large !== undefined);
    const signed = await house.view.signed();
    assert.equal(signed?.size, 2);
    // Other processes, which remember nothing of what was signed here.
    await buildLedgerHouse(db).publisher.publish(small);
    const other = { ...large, root: small.root };
    await assert.rejects(buildLedgerHouse(db).publisher.publish(other), LedgerBroken);
    assert.deepEqual(await house.view.signed(), signed);
  });
}
