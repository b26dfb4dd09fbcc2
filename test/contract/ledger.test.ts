import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeEventContent, maxContentBytes } from '../../src/ledger/event-content.ts';
import { parseEntry } from '../../src/ledger/ledger-entry.ts';
import { openEntryContent, parseReceiptExtra } from '../../src/ledger/receipt-extra.ts';
import { leafHash, verifyConsistency } from '../../src/ledger/tlog/merkle.ts';
import { parseProof, verifyProof } from '../../src/ledger/tlog/tlog-proof.ts';
import { verifyLog } from '../../src/ledger/verify-log.ts';
import { engines } from '../support/database-engines.ts';
import { buildLedgerApp, logKeyPolicy } from '../support/ledger-app.ts';

for (const engine of engines) {
  test(`${engine.name}: events become entries in their order, and the whole log verifies with the public key alone`, async (t) => {
    const app = buildLedgerApp(await engine.open(t), { batchLimit: 37 });
    const notes: string[] = [];
    const ids: string[] = [];
    for (const count of [0, 1, 2, 60, 300, 5, 256, 1]) {
      ids.push(
        ...(await app.use(...Array.from({ length: count }, (_, at) => (at % 7 === 0 ? undefined : `c${at % 5}`)))),
      );
      await app.sequence();
      notes.push((await app.view.publishedCheckpoint())?.note ?? '');
    }
    const seen: string[] = [];
    const onEntry = (entry: Uint8Array) => seen.push(parseEntry(entry)?.id ?? '');
    const verdict = await verifyLog(app.source, { policy: logKeyPolicy, earlier: notes, onEntry });
    assert.equal('fault' in verdict ? verdict.fault : verdict.checkpoint.size, 625);
    assert.deepEqual(seen, ids);
    assert.deepEqual(await app.db.read('select id from ledger_event'), []);
  });

  test(`${engine.name}: an event above the size limit is refused, and an event at the limit is served and verifies`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const say = (bytes: number) => {
      const head = { type: 'document.listed', id: app.createId('event'), at: app.time.now, citizenId: 'anna' } as const;
      const said = { ...head, actor: { client: 'tax' }, documents: [], purpose: '' } as const;
      // The padding for an id of less than 64 bytes does not count.
      const purpose = 'p'.repeat(bytes - encodeEventContent(said).length + 64 - 'anna'.length);
      return app.commit({ events: [{ ...said, purpose }], statements: [] });
    };
    await assert.rejects(
      say(maxContentBytes + 1),
      /at most 32768 bytes in an event, received 32769 in document\.listed/,
    );
    await say(maxContentBytes);
    await app.sequence();
    const verdict = await verifyLog(app.source, { policy: logKeyPolicy });
    assert.equal('fault' in verdict ? verdict.fault : verdict.checkpoint.size, 1);
  });

  test(`${engine.name}: each receipt verifies, opens with its key, and fails for another entry`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    await app.db.write(app.citizenKeys.creationStatements(['anna']));
    const ids = await app.use('anna', undefined, 'stranger');
    assert.equal(await app.view.findEntry(ids[0] ?? assert.fail()), undefined);
    await app.sequence();
    await app.use('anna');
    await app.sequence();
    for (const [at, id] of ids.entries()) {
      const entry = await app.view.findEntry(id);
      const checkpoint = await app.view.checkpointFor(at);
      assert.ok(entry !== undefined && checkpoint !== undefined);
      const text = await app.view.proveEntry(entry, checkpoint, await app.view.findContentKey(entry));
      const proof = parseProof(text);
      const opening = parseReceiptExtra(proof?.extra ?? new Uint8Array());
      assert.ok(proof !== undefined && opening !== undefined);
      const verified = verifyProof(proof, leafHash(opening.entry), logKeyPolicy);
      assert.equal('fault' in verified ? verified.fault : verified.checkpoint.size, 4);
      assert.equal(openEntryContent(opening)?.['id'], id);
      assert.ok('fault' in verifyProof({ ...proof, index: 3 - at }, leafHash(opening.entry), logKeyPolicy));
    }
  });

  test(`${engine.name}: each pair of checkpoints has a consistency proof`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const roots: { size: number; root: Uint8Array }[] = [];
    for (const count of [1, 1, 3, 250, 2, 300]) {
      await app.use(...Array.from({ length: count }, () => 'anna'));
      await app.sequence();
      const signed = await app.view.signedCheckpoint();
      if (signed !== undefined) roots.push(signed);
    }
    for (const { size: newSize, root: newRoot } of roots) {
      for (const { size: oldSize, root: oldRoot } of roots.filter(({ size }) => size <= newSize)) {
        const proof = await app.view.consistencyProof(oldSize, newSize);
        assert.ok(verifyConsistency({ oldSize, newSize, oldRoot, newRoot, proof }), `${oldSize} to ${newSize}`);
      }
    }
  });

  test(`${engine.name}: an entry reveals no byte of its content or citizen, and repeated uses look different`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    // Long words: short texts occur in random bytes by chance.
    const [citizenId, client, purpose] = ['anna-of-the-old-mill', 'tax-office-of-the-town', 'test-of-what-is-seen'];
    const head = { at: app.time.now, actor: { client } };
    const used = () => {
      const id = app.createId('event');
      return { type: 'document.listed', id, ...head, citizenId, documents: [], purpose } as const;
    };
    const events = [
      used(),
      used(),
      { type: 'notifications.listed', id: app.createId('event'), ...head, shown: 3 } as const,
    ];
    for (const event of events) await app.commit({ events: [event], statements: [] });
    await app.sequence();
    const rows = await app.db.read('select entry from ledger_entry order by leaf_index');
    const bytes = rows.map((row) => Buffer.from(row['entry'] as Uint8Array));
    assert.equal(bytes.length, 3);
    const tag = Buffer.from(app.citizenKeys.pseudonymOf(citizenId));
    for (const entry of bytes) for (const part of [citizenId, client, purpose, tag]) assert.ok(!entry.includes(part));
    const [one, two] = bytes.map((entry) => parseEntry(entry));
    assert.deepEqual([one?.id, two?.id], [events[0]?.id, events[1]?.id]);
    assert.deepEqual([one?.at, two?.at], [app.time.now, app.time.now]);
    assert.notDeepEqual(one?.link, two?.link);
  });

  test(`${engine.name}: entries and tiles are not served before they are signed`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    await app.use('anna');
    await app.sequence();
    await app.use('anna');
    assert.equal(await app.sequencer.step(), 1);
    for (const level of ['entries', 0] as const) {
      const [signed, stored] = [1, 2].map((width) => app.view.readTile({ level, index: 0, width }));
      assert.ok((await signed) !== undefined);
      assert.equal(await stored, undefined);
    }
    await app.sequence();
    assert.ok((await app.view.readTile({ level: 0, index: 0, width: 2 })) !== undefined);
  });
}
