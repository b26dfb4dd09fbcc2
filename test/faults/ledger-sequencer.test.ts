import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, ReadUnavailable, WriteBusy, WriteUnknown } from '../../src/db/database.ts';
import { type Anchor, openAnchor } from '../../src/ledger/anchor.ts';
import { deriveLinkKey } from '../../src/ledger/ledger-entry.ts';
import { LedgerBroken } from '../../src/ledger/open-tree.ts';
import { verifyChain } from '../../src/ledger/verify-chain.ts';
import { verifyLog } from '../../src/ledger/verify-log.ts';
import { engines } from '../support/database-engines.ts';
import { anchorPath, buildLedgerApp, logKeyPolicy } from '../support/ledger-app.ts';
import { makeTestFolder } from '../support/test-folder.ts';

/** Writes of the sequencer, of which write number `at` fails: before it is stored, or after. */
function failing(db: Database, at: number, stored: boolean): Database['write'] {
  let count = 0;
  return async (unit) => {
    const now = count++;
    if (now === at && !stored) throw new WriteBusy('put in by the test');
    const rows = await db.write(unit);
    if (now === at) throw new WriteUnknown('put in by the test');
    return rows;
  };
}

function failingAnchor(anchor: Anchor, at: number, stored: boolean): Anchor {
  let count = 0;
  return {
    ...anchor,
    advance: async (note) => {
      const now = count++;
      if (now === at && !stored) throw new Error('put in by the test');
      await anchor.advance(note);
      if (now === at) throw new Error('put in by the test');
    },
  };
}

/** Why the chain of a citizen with that many expected entries is broken. */
async function faultOfChain(app: ReturnType<typeof buildLedgerApp>, citizenId: string, expected: number) {
  const chain = app.citizenKeys.pseudonymOf(citizenId);
  const leaves = (await app.view.readChain(chain, 0, 100)).map(({ entry }) => entry);
  if (leaves.length !== expected) return `${leaves.length} entries`;
  return verifyChain({ chain, linkKey: deriveLinkKey(await app.citizenKeys.keyOf(citizenId)), leaves });
}

for (const engine of engines) {
  test(`${engine.name}: each chain continues without fault after any failed read of the sequencer`, async (t) => {
    const people = ['anna', 'bert', 'carl', 'dora'];
    let faults = 0;
    for (let at = 0; at < 18; at += 1) {
      const db = await engine.open(t);
      let count = 0;
      const read: Database['read'] = async (sql, args) => {
        if (count++ === at) throw new ReadUnavailable('put in by the test');
        return await db.read(sql, args);
      };
      const app = buildLedgerApp(db, { batchLimit: 2, read });
      for (let round = 0; round < 3; round += 1) {
        await app.use(...people, ...people);
        await app.sequence().catch(() => (faults += 1));
      }
      await app.sequence();
      for (const one of people) assert.equal(await faultOfChain(app, one, 6), undefined, `${one}, read ${at}`);
    }
    assert.equal(faults, 18);
  });

  test(`${engine.name}: each chain has no fault after the lease changes during the read of the next batch`, async (t) => {
    const db = await engine.open(t);
    await buildLedgerApp(db).use('anna', 'bert', 'carl', 'dora');
    await buildLedgerApp(db).sequence();
    let fence = 2;
    const app = buildLedgerApp(db, {
      batchLimit: 2,
      fence: () => fence,
      write: (unit) => {
        if (unit.some(({ sql }) => sql.startsWith('insert into ledger_entry'))) fence = 3;
        return db.write(unit);
      },
      // Its read of the second batch returns long after the first one is stored.
      read: async (sql, args) => {
        const rows = await db.read(sql, args);
        if (sql.includes('from wanted')) await pause(50);
        return rows;
      },
    });
    await app.use('anna', 'bert', 'carl', 'dora');
    assert.equal(await app.sequencer.step(), 2);
    assert.equal(await app.sequencer.step(), 2);
    await app.sequence();
    for (const one of ['anna', 'bert', 'carl', 'dora']) assert.equal(await faultOfChain(app, one, 2), undefined, one);
  });

  test(`${engine.name}: the log continues as one history after any failed write of the sequencer, stored or not`, async (t) => {
    for (const stored of [false, true]) {
      for (const wire of ['database', 'anchor'] as const) {
        for (let at = 0; at < (wire === 'anchor' ? 3 : 6); at += 1) {
          const db = await engine.open(t);
          const folder = makeTestFolder('ledger-');
          t.after(() => rmSync(folder, { recursive: true, force: true }));
          const real = openAnchor(anchorPath(folder));
          const app = buildLedgerApp(db, {
            batchLimit: 10,
            anchor: wire === 'anchor' ? failingAnchor(real, at, stored) : real,
            ...(wire === 'database' ? { write: failing(db, at, stored) } : {}),
          });
          const notes: string[] = [];
          let faults = 0;
          const ids = [];
          for (let round = 0; round < 4; round += 1) {
            ids.push(...(await app.use('anna', 'bert', undefined, ...Array.from({ length: 12 }, () => 'anna'))));
            await app.sequence().catch(() => (faults += 1));
            const served = await app.view.signedCheckpoint();
            if (served !== undefined) notes.push(served.note);
          }
          await app.sequence();
          assert.equal(faults, 1, `${wire} ${at}`);
          const verdict = await verifyLog(app.source, { policy: logKeyPolicy, earlier: notes });
          assert.equal('fault' in verdict ? verdict.fault : verdict.checkpoint.size, 60, `${wire} ${at} ${stored}`);
          const numbers = await db.read(
            'select count(distinct event_id) as events, max(leaf_index) as last from ledger_entry',
          );
          assert.deepEqual(numbers, [{ events: 60, last: 59 }]);
          const chain = await app.view.readChain(app.citizenKeys.pseudonymOf('anna'), 0, 100);
          assert.deepEqual(
            chain.map(({ number }) => number),
            Array.from({ length: 52 }, (_, index) => index + 1),
          );
        }
      }
    }
  });

  test(`${engine.name}: two sequencers that both act as leader write one history`, async (t) => {
    const db = await engine.open(t);
    const apps = [1, 2].map((fence) => buildLedgerApp(db, { batchLimit: 7, fence: () => fence }));
    const [first = assert.fail(), second = assert.fail()] = apps;
    const notes: string[] = [];
    let refused = 0;
    for (let round = 0; round < 12; round += 1) {
      await first.use(...Array.from({ length: 20 }, (_, at) => `c${at % 4}`));
      const results = await Promise.allSettled(apps.map((app) => app.sequence()));
      refused += results.filter(({ status }) => status === 'rejected').length;
      const served = await first.view.signedCheckpoint();
      if (served !== undefined) notes.push(served.note);
    }
    await second.sequence();
    const verdict = await verifyLog(second.source, { policy: logKeyPolicy, earlier: notes });
    assert.equal('fault' in verdict ? verdict.fault : verdict.checkpoint.size, 240);
    t.diagnostic(`${refused} steps were refused`);
    await second.use('c1');
    await second.sequence();
    // A sequencer with an older lease never moves the head again, however new its view of the tree.
    await first.use('c1');
    await assert.rejects(first.sequence(), /another process has numbered/);
    await assert.rejects(first.sequence(), /another process has numbered/);
  });

  test(`${engine.name}: the sequencer signs nothing more over a database that was rolled back before a signed checkpoint`, async (t) => {
    const folder = makeTestFolder('ledger-');
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const anchor = () => openAnchor(join(folder, 'anchor'));
    const app = buildLedgerApp(await engine.open(t), { anchor: anchor() });
    await app.use('anna', 'bert');
    await app.sequence();
    const restored = buildLedgerApp(await engine.open(t), { anchor: anchor() });
    await restored.use('anna');
    const older = /^LedgerBroken: the ledger has [01] entries, but 2 were signed: was an old backup restored/;
    await assert.rejects(restored.sequence(), older);
    const shorter = buildLedgerApp(await engine.open(t));
    await shorter.use('anna');
    await shorter.sequence();
    await assert.rejects(buildLedgerApp(shorter.db, { anchor: anchor() }).sequence(), older);
    const longer = buildLedgerApp(await engine.open(t));
    await longer.use('carl', 'dora', 'emil');
    await longer.sequence();
    const forked = buildLedgerApp(longer.db, { anchor: anchor() });
    await assert.rejects(forked.sequence(), LedgerBroken);
    assert.equal((await restored.view.signedCheckpoint())?.note, undefined);
  });

  test(`${engine.name}: a changed tile or head in the database is detected at the next start`, async (t) => {
    const db = await engine.open(t);
    const app = buildLedgerApp(db);
    await app.use(...Array.from({ length: 5 }, () => 'anna'));
    await app.sequence();
    await db.write([
      { sql: 'update ledger_tile set hashes = $1 where level = 0 and tile = 0', args: [new Uint8Array(160)] },
    ]);
    const changed = /^LedgerBroken: the stored tiles of size 5 do not have the root hash of the head/;
    await assert.rejects(buildLedgerApp(db).sequence(), changed);

    const other = await engine.open(t);
    await buildLedgerApp(other).sequence();
    await other.write([{ sql: 'update ledger_head set root = $1', args: [new Uint8Array(32)] }]);
    await assert.rejects(buildLedgerApp(other).sequence(), /^LedgerBroken: the stored tiles of size 0 do not have/);
  });
}
