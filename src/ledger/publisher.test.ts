import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/engines.ts';
import { buildLedgerHouse, logSigner, origin } from '../../test/ledger-house.ts';
import { parseNote } from './note.ts';
import { noteSigner, signatureTypes } from './note-key.ts';
import { LedgerBroken } from './open-tree.ts';
import { createPublisher } from './publisher.ts';

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

  test(`${engine.name}: a tree is signed once, and again where a key took the place of another`, async (t) => {
    const db = await engine.open(t);
    const house = buildLedgerHouse(db);
    await house.use(undefined);
    await house.sequence();
    const tree = house.sequencer.tree() ?? assert.fail();
    let signer = logSigner;
    const again = () => createPublisher({ ...house, signers: () => [signer] });
    const [running, first] = [again(), await house.view.signed()];
    for (const publisher of [house.publisher, running, again()]) {
      house.time.now += 1_000;
      await publisher.publish(tree);
      assert.deepEqual(await house.view.signed(), first);
    }
    signer = noteSigner(signatureTypes.ed25519, origin, new Uint8Array(32).fill(8));
    await running.publish(tree);
    const keys = parseNote((await house.view.signed())?.note ?? '')?.signatures.map(({ keyId }) => keyId);
    assert.deepEqual(keys, [signer.keyId]);
  });
}
