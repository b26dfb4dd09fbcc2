import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { buildLedgerApp, logSigner, origin } from '../../test/support/ledger-app.ts';
import { LedgerBroken } from './open-tree.ts';
import { createPublisher } from './publisher.ts';
import { parseNote } from './tlog/note.ts';
import { createNoteSigner, signatureTypes } from './tlog/note-key.ts';

for (const engine of engines) {
  test(`${engine.name}: a different tree of the same size is refused, and a smaller tree changes nothing`, async (t) => {
    const db = await engine.open(t);
    const app = buildLedgerApp(db);
    await app.use(undefined);
    await app.sequence();
    const small = app.sequencer.tree();
    await app.use(undefined);
    await app.sequence();
    const large = app.sequencer.tree();
    assert.ok(small !== undefined && large !== undefined);
    const signed = await app.view.signedCheckpoint();
    assert.equal(signed?.size, 2);
    // Other processes, which do not know what was signed here.
    await buildLedgerApp(db).publisher.publish(small);
    const other = { ...large, root: small.root };
    await assert.rejects(buildLedgerApp(db).publisher.publish(other), LedgerBroken);
    assert.deepEqual(await app.view.signedCheckpoint(), signed);
  });

  test(`${engine.name}: a tree is signed once, and again after a key is replaced`, async (t) => {
    const db = await engine.open(t);
    const app = buildLedgerApp(db);
    await app.use(undefined);
    await app.sequence();
    const tree = app.sequencer.tree() ?? assert.fail();
    let signer = logSigner;
    const again = () => createPublisher({ ...app, signers: () => [signer] });
    const [running, first] = [again(), await app.view.signedCheckpoint()];
    for (const publisher of [app.publisher, running, again()]) {
      app.time.now += 1_000;
      await publisher.publish(tree);
      assert.deepEqual(await app.view.signedCheckpoint(), first);
    }
    signer = createNoteSigner(signatureTypes.ed25519, origin, new Uint8Array(32).fill(8));
    await running.publish(tree);
    const keys = parseNote((await app.view.signedCheckpoint())?.note ?? '')?.signatures.map(({ keyId }) => keyId);
    assert.deepEqual(keys, [signer.keyId]);
  });
}
