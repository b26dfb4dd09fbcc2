import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { buildLedgerApp } from '../../test/support/ledger-app.ts';
import type { Statement } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { bytesField } from '../db/row-fields.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { clearErasedCitizenIds, eraseCitizen } from './erase-citizen.ts';

for (const engine of engines) {
  test(`${engine.name}: events that wait for their number during an erasure do not name the citizen`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    await app.db.write(app.citizenKeys.creationStatements(['anna', 'bert']));
    await app.use('anna', 'bert');
    await app.sequence();
    await app.use('anna', 'bert', 'anna', 'anna');
    await eraseCitizen({ ...app, read: app.db.read, actor: { operator: 'clerk' } }, 'anna');
    assert.deepEqual(await app.db.read("select id from ledger_event where citizen_id = 'anna'"), []);
    await app.sequence();
    const rows = await app.db.read(
      'select citizen_id, number from ledger_entry where citizen_id is not null order by leaf_index',
    );
    assert.deepEqual(
      rows.map((row) => [row['citizen_id'], row['number']]),
      [
        ['bert', 1],
        ['bert', 2],
      ],
    );
    const chain = await app.view.readChain(app.citizenKeys.pseudonymOf('anna'), 0, 9);
    assert.deepEqual(
      await Promise.all(chain.map((entry) => app.view.findContentKey(entry))),
      new Array(4).fill(undefined),
    );
  });

  test(`${engine.name}: an erasure event names the chain of the citizen and the number of its entries`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    await app.db.write(app.citizenKeys.creationStatements(['anna', 'bert']));
    await app.use('anna', 'bert', 'anna', 'bert', 'bert');
    await app.sequence();
    const clerk = { ...app, read: app.db.read, actor: { operator: 'clerk' } };
    assert.equal(await eraseCitizen(clerk, 'anna'), true);
    const [row] = await app.db.read("select id, content from ledger_event where type = 'citizen.erased'");
    assert.deepEqual(JSON.parse(Buffer.from(bytesField(row ?? assert.fail(), 'content')).toString()), {
      type: 'citizen.erased',
      id: row?.['id'],
      at: '2026-06-01T12:00:00.000Z',
      actor: { operator: 'clerk' },
      chain: Buffer.from(app.citizenKeys.pseudonymOf('anna')).toString('hex'),
      entries: 2,
    });
    assert.equal(await eraseCitizen(clerk, 'annna'), false);
  });

  test(`${engine.name}: events after an erasure continue the chain of the events that waited during the erasure`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    await app.db.write(app.citizenKeys.creationStatements(['anna']));
    await app.use('anna');
    await eraseCitizen({ ...app, read: app.db.read, actor: { operator: 'clerk' } }, 'anna');
    await app.use('anna');
    await app.sequence();
    const chain = await app.view.readChain(app.citizenKeys.pseudonymOf('anna'), 0, 9);
    assert.deepEqual(
      chain.map(({ number }) => number),
      [1, 2],
    );
  });

  test(`${engine.name}: events that are numbered during an erasure do not name the citizen`, async (t) => {
    const db = await engine.open(t);
    let meanwhile = async () => undefined as unknown;
    const app = buildLedgerApp(db, {
      write: async (unit) => {
        if (unit.some(({ sql }) => sql.startsWith('insert into ledger_entry'))) await meanwhile();
        return await db.write(unit);
      },
    });
    await db.write(app.citizenKeys.creationStatements(['anna', 'bert']));
    await app.use('anna', 'bert');
    meanwhile = () => {
      meanwhile = async () => undefined;
      return eraseCitizen({ ...app, read: db.read, actor: { operator: 'clerk' } }, 'anna');
    };
    await app.sequence();
    // The same id, but not the erased citizen.
    app.time.now += 1;
    await db.write(app.citizenKeys.creationStatements(['anna']));
    await app.use('anna');
    await app.sequence();
    const rows = await db.read('select citizen_id, number from ledger_entry where chain <> $1 order by leaf_index', [
      app.systemKeys.chainOf('system'),
    ]);
    assert.deepEqual(
      rows.map((row) => [row['citizen_id'], row['number']]),
      [
        [null, 1],
        ['bert', 1],
        ['anna', 2],
      ],
    );
  });

  test(`${engine.name}: events do not name the citizen when the clock of the erasing process is slow`, async (t) => {
    const db = await engine.open(t);
    const slowClock = { now: () => app.time.now - 60_000 };
    const clerk = {
      read: db.read,
      clock: slowClock,
      createId: createIdGenerator(slowClock, systemRandom),
      actor: { operator: 'clerk' },
    };
    let isErased = false;
    const app = buildLedgerApp(db, {
      write: async (unit) => {
        if (unit.some(({ sql }) => sql.startsWith('insert into ledger_entry')) && !isErased) {
          isErased = true;
          await eraseCitizen({ ...app, ...clerk }, 'anna');
        }
        return await db.write(unit);
      },
    });
    await db.write(app.citizenKeys.creationStatements(['anna']));
    await app.use('anna', 'anna');
    await app.sequence();
    assert.deepEqual(await db.read("select citizen_id from ledger_entry where citizen_id = 'anna'"), []);
  });

  test(`${engine.name}: events that are stored between the read of waiting events and the destruction of the key do not name the citizen`, async (t) => {
    const db = await engine.open(t);
    const app = buildLedgerApp(db);
    await db.write(app.citizenKeys.creationStatements(['anna']));
    const read: typeof db.read = async (sql, args) => {
      const rows = await db.read(sql, args);
      if (sql.includes('from ledger_event')) {
        app.time.now += 1;
        await app.use('anna');
      }
      return rows;
    };
    await eraseCitizen({ ...app, read, actor: { operator: 'clerk' } }, 'anna');
    await app.sequence();
    assert.deepEqual(await db.read("select citizen_id from ledger_entry where citizen_id = 'anna'"), []);
  });

  test(`${engine.name}: citizen ids are cleared from entries in pages of a thousand, also after a crash`, async (t) => {
    const db = await engine.open(t);
    const app = buildLedgerApp(db);
    await db.write(app.citizenKeys.creationStatements(['anna', 'bert']));
    for (let part = 0; part < 5; part += 1) await app.use('bert', ...new Array(420).fill('anna'));
    await app.sequence();
    const named = async () => {
      const [row] = await db.read("select count(*) as entries from ledger_entry where citizen_id = 'anna'");
      return row?.['entries'];
    };
    const seen: unknown[] = [];
    const claim = async (statement: Statement) => {
      seen.push(await named());
      if (seen.length === 3) throw new Error('killed');
      return await app.claim(statement);
    };
    const parts = { ...app, read: db.read, actor: { operator: 'clerk' } };
    await assert.rejects(eraseCitizen({ ...parts, claim }, 'anna'), /killed/);
    assert.deepEqual(seen, [2_100, 1_100, 100]);
    assert.equal(await app.citizenKeys.guardedKeyOf('anna'), undefined);
    // The same id, but not the erased citizen.
    app.time.now += 1;
    await db.write(app.citizenKeys.creationStatements(['anna']));
    await app.use('anna');
    await app.sequence();
    await clearErasedCitizenIds(parts);
    const rows = await db.read("select number from ledger_entry where citizen_id = 'anna'");
    assert.deepEqual(rows, [{ number: 2_101 }]);
    assert.equal((await db.read("select 1 as n from ledger_entry where citizen_id = 'bert'")).length, 5);
    await clearErasedCitizenIds({ read: db.read, claim: () => assert.fail('nothing is left to be done') });
  });

  test(`${engine.name}: no entry of an erased citizen opens or names the citizen, although a crash left the ids`, async (t) => {
    const app = buildLedgerApp(await engine.open(t));
    const { view, citizenKeys, db } = app;
    // Before the import of the citizen: under the decoy key, which cannot be destroyed.
    const early = await app.use('anna', 'bert', 'anna');
    await app.sequence();
    await db.write(citizenKeys.creationStatements(['anna', 'bert']));
    await app.use('anna');
    await app.sequence();
    const opened = async () => {
      const chain = await view.readChain(citizenKeys.pseudonymOf('anna'), 0, 9);
      const first = (await view.findEntry(early[0] ?? assert.fail())) ?? assert.fail();
      const last = (await view.findLastEntry(citizenKeys.pseudonymOf('anna'), 99)) ?? assert.fail();
      const entries = [...chain, first, last];
      const keys = await Promise.all(entries.map((entry) => view.findContentKey(entry)));
      return entries.map(({ citizenId }, at) => [citizenId, keys[at] !== undefined]);
    };
    assert.deepEqual(await opened(), new Array(5).fill(['anna', true]));
    const claim = async () => {
      throw new Error('killed');
    };
    const parts = { ...app, read: db.read, actor: { operator: 'clerk' } };
    await assert.rejects(eraseCitizen({ ...parts, claim }, 'anna'), /killed/);
    assert.deepEqual(await opened(), new Array(5).fill([null, false]));
    // The same id, but not the erased citizen.
    app.time.now += 1;
    await db.write(citizenKeys.creationStatements(['anna']));
    await app.use('anna');
    await app.sequence();
    const chain = await view.readChain(citizenKeys.pseudonymOf('anna'), 0, 9);
    const named = chain.map(({ citizenId }) => citizenId);
    assert.deepEqual(named, [null, null, null, 'anna']);
    assert.notEqual(await view.findContentKey(chain[3] ?? assert.fail()), undefined);
    const bert = await view.findEntry(early[1] ?? assert.fail());
    assert.equal(bert?.citizenId, 'bert');
  });

  test(`${engine.name}: a citizen who is erased again before or during the clearing of entries is named in no entry`, async (t) => {
    const db = await engine.open(t);
    const app = buildLedgerApp(db);
    const parts = { ...app, read: db.read, actor: { operator: 'clerk' } };
    const killed = async () => {
      throw new Error('killed');
    };
    const addCitizen = async () => {
      app.time.now += 1;
      await db.write(app.citizenKeys.creationStatements(['anna']));
      await app.use('anna', 'anna');
      await app.sequence();
    };
    const named = () => db.read("select number from ledger_entry where citizen_id = 'anna'");
    await addCitizen();
    await assert.rejects(eraseCitizen({ ...parts, claim: killed }, 'anna'), /killed/);
    await addCitizen();
    let wasAddedAgain = false;
    const claim = async (statement: Statement) => {
      if (!wasAddedAgain && statement.sql.startsWith('update citizen_erasure')) {
        wasAddedAgain = true;
        assert.deepEqual(await named(), []);
        await addCitizen();
        await assert.rejects(eraseCitizen({ ...parts, claim: killed }, 'anna'), /killed/);
        assert.equal((await named()).length, 2);
      }
      return await app.claim(statement);
    };
    assert.equal(await eraseCitizen({ ...parts, claim }, 'anna'), true);
    assert.deepEqual([wasAddedAgain, await named()], [true, []]);
  });
}

test('a destroyed key is in no file of the database, not even wrapped', async (t) => {
  const [engine = assert.fail()] = engines;
  const path = await engine.createLocation(t);
  const db = await engine.openAt(path);
  t.after(() => db.close());
  const app = buildLedgerApp(db);
  await migrate(db, app.clock);
  await db.write(app.citizenKeys.creationStatements(['anna', 'bert']));
  const [row = assert.fail()] = await db.read("select wrapped from citizen_key where citizen_id = 'anna'");
  const wrapped = Buffer.from(bytesField(row, 'wrapped'));
  const places = () => [path, `${path}-wal`].filter((file) => readFileSync(file).includes(wrapped));
  assert.notDeepEqual(places(), []);
  await eraseCitizen({ ...app, read: db.read, actor: { operator: 'clerk' } }, 'anna');
  assert.deepEqual(places(), []);
});
