import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { createMissingSigningKeys, openSigningKeys } from '../../src/auth/signing-key-store.ts';
import { ledgerKeyCommands } from '../../src/cli/ledger-key.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { openAnchor } from '../../src/ledger/anchor.ts';
import { checkpointSigners, monitorKeys } from '../../src/ledger/checkpoint-keys.ts';
import { createMonitor } from '../../src/ledger/monitor.ts';
import { createPublisher } from '../../src/ledger/publisher.ts';
import { parseNote } from '../../src/ledger/tlog/note.ts';
import { policyWithoutWitnesses } from '../../src/ledger/tlog/tlog-policy.ts';
import { verifyLog } from '../../src/ledger/verify-log.ts';
import { type Engine, engines } from '../support/database-engines.ts';
import { makeDocumentFolder } from '../support/document-app.ts';
import { anchorPath, buildLedgerApp, origin } from '../support/ledger-app.ts';

const dayMs = 86_400_000;

/** A log whose keys are in the database, as in a server. */
async function openAppWithKeys(t: TestContext, engine: Engine, mlDsa = false) {
  const folder = await makeDocumentFolder(t);
  const app = buildLedgerApp(await engine.open(t), { anchor: openAnchor(anchorPath(folder)) });
  const { db, root, clock, anchor, commit, createId } = app;
  await createMissingSigningKeys({ db, root, clock }, systemRandom);
  const keys = await openSigningKeys({ db, root, clock });
  const signers = () => checkpointSigners(keys, origin, mlDsa);
  const publisher = createPublisher({ db, anchor, clock, signers });
  const said: string[] = [];
  const terminal = { stdout: (text: string) => void said.push(text), stderr: () => undefined };
  const deps = {
    commit,
    clock,
    root,
    createId,
    random: systemRandom,
    operator: 'clerk',
    checkpointKeys: async () => signers(),
  };
  const commands = ledgerKeyCommands((use) => use(deps), { ...terminal, cwd: folder, isInteractive: false });
  return {
    ...app,
    keys,
    vkeys: () => signers().map(({ vkey }) => vkey),
    anchored: async () => await readFile(anchorPath(folder), 'utf8'),
    run: async (name: string, ...args: string[]) => {
      said.length = 0;
      const code = await commands.find((one) => one.name === name)?.run(args);
      return { code, lines: said.join('').trimEnd().split('\n') };
    },
    /** Numbers and signs waiting events, like one step of the sequencer loop. */
    step: async () => {
      while ((await app.sequencer.step()) !== 0);
      await publisher.publish(app.sequencer.tree() ?? assert.fail());
      return (await app.view.publishedCheckpoint())?.note ?? assert.fail();
    },
    verdict: async (vkeys: readonly string[], earlier: readonly string[] = []) => {
      const found = await verifyLog(app.source, { policy: policyWithoutWitnesses(vkeys), earlier });
      return 'fault' in found ? found.fault : found.checkpoint.size;
    },
  };
}

const signaturesOf = (note: string) => parseNote(note)?.signatures.length;

for (const engine of engines) {
  test(`${engine.name}: during a key rotation either key verifies the log, and afterwards only the new one does`, async (t) => {
    const app = await openAppWithKeys(t, engine);
    const [old = assert.fail()] = app.vkeys();
    await app.use('anna', 'bert', undefined);
    const first = await app.step();
    assert.equal((await app.run('keys rotate ledger', '--overlap-days', '30')).code, 0);
    // The signing process has not read the new key yet.
    const between = await app.step();
    assert.deepEqual([signaturesOf(first), signaturesOf(between)], [1, 1]);

    await app.keys.reload();
    const both = await app.step();
    assert.equal(signaturesOf(both), 2, 'the same tree is signed again, without a new event');
    assert.equal(await app.anchored(), both);
    const [newest = assert.fail(), ...others] = app.vkeys();
    assert.deepEqual(others, [old]);
    assert.deepEqual((await app.run('ledger key')).lines, [newest, old]);
    for (const known of [[old], [newest], [old, newest]]) assert.equal(await app.verdict(known), 4);
    assert.equal(await app.verdict([old, newest], [first, between, both]), 4);
    assert.match(String(await app.verdict([newest], [first])), /an earlier checkpoint: no trusted key/);
    const monitor = createMonitor(app.view, monitorKeys(app.keys, origin));
    assert.deepEqual(await monitor.check(), { verified: 4 });

    app.time.now += 30 * dayMs + 1;
    const alone = await app.step();
    assert.equal(signaturesOf(alone), 1);
    assert.deepEqual(app.vkeys(), [newest]);
    assert.equal(await app.verdict([newest], [both, alone]), 4);
    assert.match(String(await app.verdict([old])), /no trusted key/);
    assert.deepEqual(await monitor.check(), { verified: 4 });
  });

  test(`${engine.name}: a compromised key and its ML-DSA key sign nothing from the next step`, async (t) => {
    const app = await openAppWithKeys(t, engine, true);
    const old = app.vkeys();
    await app.use('anna');
    assert.equal(signaturesOf(await app.step()), 2);
    assert.equal((await app.run('keys rotate ledger', '--now')).code, 0);
    await app.keys.reload();
    assert.equal(signaturesOf(await app.step()), 2);
    for (const known of old) assert.match(String(await app.verdict([known])), /no trusted key/);
    for (const known of app.vkeys()) assert.equal(await app.verdict([known]), 2);
    const entries = await app.db.read("select type from ledger_entry where type = 'signing-key.replaced'");
    assert.equal(entries.length, 1);
  });
}

for (const engine of engines) {
  test(`${engine.name}: a key that is withdrawn at once raises no alarm in a process that knows fewer or more keys than the signer`, async (t) => {
    const app = await openAppWithKeys(t, engine);
    await app.use('anna');
    await app.step();
    const outdated = await openSigningKeys({ db: app.db, root: app.root, clock: app.clock });
    await app.run('keys rotate ledger', '--now');
    await app.keys.reload();
    // The current checkpoint is signed by the old key alone: nothing was signed since, or witnesses do not know the new key.
    const ahead = createMonitor(app.view, monitorKeys(app.keys, origin));
    assert.deepEqual(await ahead.check(), { verified: 1 });
    await app.step();
    const monitor = createMonitor(app.view, monitorKeys(outdated, origin));
    assert.deepEqual(await monitor.check(), { verified: 2 });
  });
}

test('an overlap that is not a number of days is rejected', async (t) => {
  const [sqlite = assert.fail()] = engines;
  const app = await openAppWithKeys(t, sqlite);
  for (const args of [
    ['--overlap-days', '0'],
    ['--overlap-days', 'x'],
    ['--overlap-days', '0x10'],
    ['--overlap-days', '3', '--now'],
  ]) {
    await assert.rejects(app.run('keys rotate ledger', ...args), { name: 'UsageError' });
  }
});
