import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { createMissingSigningKeys, openSigningKeys } from '../../src/access/signing-key-store.ts';
import { ledgerKeyCommands } from '../../src/cli/ledger-key.ts';
import { checkpointSigners, monitorKeys } from '../../src/compose/ledger.ts';
import { systemRandom } from '../../src/kernel/system-clock.ts';
import { openAnchor } from '../../src/ledger/anchor.ts';
import { createMonitor } from '../../src/ledger/monitor.ts';
import { parseNote } from '../../src/ledger/note.ts';
import { policyOf } from '../../src/ledger/policy.ts';
import { createPublisher } from '../../src/ledger/publisher.ts';
import { verifyLog } from '../../src/ledger/verify-log.ts';
import { temporaryFolder } from '../document-house.ts';
import { type Engine, engines } from '../engines.ts';
import { anchorPath, buildLedgerHouse, origin } from '../ledger-house.ts';

const dayMs = 86_400_000;

/** A log whose keys lie in the database, as those of a server do. */
async function houseWithKeys(t: TestContext, engine: Engine, mlDsa = false) {
  const folder = await temporaryFolder(t);
  const house = buildLedgerHouse(await engine.open(t), { anchor: openAnchor(anchorPath(folder)) });
  const { db, root, clock, anchor, commit, mint } = house;
  await createMissingSigningKeys({ db, root, clock }, systemRandom);
  const keys = await openSigningKeys({ db, root, clock });
  const signers = () => checkpointSigners(keys, origin, mlDsa);
  const publisher = createPublisher({ db, anchor, clock, signers });
  const said: string[] = [];
  const terminal = { stdout: (text: string) => void said.push(text), stderr: () => undefined };
  const room = {
    commit,
    clock,
    root,
    mint,
    random: systemRandom,
    operator: 'clerk',
    checkpointKeys: async () => signers(),
  };
  const commands = ledgerKeyCommands((use) => use(room), { ...terminal, cwd: folder, isInteractive: false });
  return {
    ...house,
    keys,
    vkeys: () => signers().map(({ vkey }) => vkey),
    anchored: async () => await readFile(anchorPath(folder), 'utf8'),
    run: async (name: string, ...args: string[]) => {
      said.length = 0;
      const code = await commands.find((one) => one.name === name)?.run(args);
      return { code, lines: said.join('').trimEnd().split('\n') };
    },
    /** Numbers what waits and signs, as the running sequencer does at each step. */
    step: async () => {
      while ((await house.sequencer.step()) !== 0);
      await publisher.publish(house.sequencer.tree() ?? assert.fail());
      return (await house.view.published())?.note ?? assert.fail();
    },
    verdict: async (vkeys: readonly string[], earlier: readonly string[] = []) => {
      const found = await verifyLog(house.source, { policy: policyOf(vkeys), earlier });
      return 'fault' in found ? found.fault : found.checkpoint.size;
    },
  };
}

const signaturesOf = (note: string) => parseNote(note)?.signatures.length;

for (const engine of engines) {
  test(`${engine.name}: while the key of the log is replaced, who knows either key verifies it, and behind that only who knows the new one`, async (t) => {
    const house = await houseWithKeys(t, engine);
    const [old = assert.fail()] = house.vkeys();
    await house.use('anna', 'bert', undefined);
    const first = await house.step();
    assert.equal((await house.run('ledger rotate-key', '--overlap-days', '30')).code, 0);
    // The process that signs has not read the new key yet.
    const between = await house.step();
    assert.deepEqual([signaturesOf(first), signaturesOf(between)], [1, 1]);

    await house.keys.reload();
    const both = await house.step();
    assert.equal(signaturesOf(both), 2, 'the same tree is signed again, without a new event');
    assert.equal(await house.anchored(), both);
    const [newest = assert.fail(), ...others] = house.vkeys();
    assert.deepEqual(others, [old]);
    assert.deepEqual((await house.run('ledger key')).lines, [newest, old]);
    for (const known of [[old], [newest], [old, newest]]) assert.equal(await house.verdict(known), 4);
    assert.equal(await house.verdict([old, newest], [first, between, both]), 4);
    assert.match(String(await house.verdict([newest], [first])), /an earlier checkpoint: no trusted key/);
    const monitor = createMonitor(house.view, monitorKeys(house.keys, origin));
    assert.deepEqual(await monitor.look(), { verified: 4 });

    house.time.now += 30 * dayMs + 1;
    const alone = await house.step();
    assert.equal(signaturesOf(alone), 1);
    assert.deepEqual(house.vkeys(), [newest]);
    assert.equal(await house.verdict([newest], [both, alone]), 4);
    assert.match(String(await house.verdict([old])), /no trusted key/);
    assert.deepEqual(await monitor.look(), { verified: 4 });
  });

  test(`${engine.name}: a key that others may have signs no more from the next step on, ML-DSA beside it neither`, async (t) => {
    const house = await houseWithKeys(t, engine, true);
    const old = house.vkeys();
    await house.use('anna');
    assert.equal(signaturesOf(await house.step()), 2);
    assert.equal((await house.run('ledger rotate-key', '--now')).code, 0);
    await house.keys.reload();
    assert.equal(signaturesOf(await house.step()), 2);
    for (const known of old) assert.match(String(await house.verdict([known])), /no trusted key/);
    for (const known of house.vkeys()) assert.equal(await house.verdict([known]), 2);
    const entries = await house.db.read("select type from ledger_entry where type = 'signing-key.replaced'");
    assert.equal(entries.length, 1);
  });
}

for (const engine of engines) {
  test(`${engine.name}: that a key was withdrawn at once is no alarm, in a process that is behind or ahead of the one that signs`, async (t) => {
    const house = await houseWithKeys(t, engine);
    await house.use('anna');
    await house.step();
    const behind = await openSigningKeys({ db: house.db, root: house.root, clock: house.clock });
    await house.run('ledger rotate-key', '--now');
    await house.keys.reload();
    // What stands is signed by the old key alone: nobody has signed since, or witnesses do not know the new one yet.
    const ahead = createMonitor(house.view, monitorKeys(house.keys, origin));
    assert.deepEqual(await ahead.look(), { verified: 1 });
    await house.step();
    const monitor = createMonitor(house.view, monitorKeys(behind, origin));
    assert.deepEqual(await monitor.look(), { verified: 2 });
  });
}

test('an overlap that is no number of days is refused', async (t) => {
  const [sqlite = assert.fail()] = engines;
  const house = await houseWithKeys(t, sqlite);
  for (const args of [
    ['--overlap-days', '0'],
    ['--overlap-days', 'x'],
    ['--overlap-days', '0x10'],
    ['--overlap-days', '3', '--now'],
  ]) {
    await assert.rejects(house.run('ledger rotate-key', ...args), { name: 'UsageError' });
  }
});
