import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { rootKeyFromBytes } from '../crypto/root-key.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { createCitizenKeys, keyCacheMs } from './citizen-keys.ts';
import { erasedIdOf } from './erased-id.ts';

const root = rootKeyFromBytes(new Uint8Array(32).fill(1));

for (const engine of engines) {
  test(`${engine.name}: data of a citizen who was looked up before the creation of their key is encrypted under that key`, async (t) => {
    const db = await engine.open(t);
    const clock = { now: () => 0 };
    const keys = createCitizenKeys(db.read, root, systemRandom, clock);
    const decoyKey = await keys.keyOf('anna');
    await db.write(keys.creationStatements(['anna']));
    const own = await createCitizenKeys(db.read, root, systemRandom, clock).keyOf('anna');
    assert.notDeepEqual(own, decoyKey);
    assert.deepEqual(await keys.earlierKeyOf('anna'), decoyKey);
    assert.deepEqual(await keys.keyOf('anna'), own);
  });

  for (const [when, passedMs] of Object.entries({ 'a second later': 1_000, 'an hour earlier': -3_600_000 })) {
    test(`a key that another process creates for a citizen is used when the clock shows ${when}`, async (t) => {
      const db = await engine.open(t);
      let now = Date.UTC(2026, 10, 20);
      const keys = createCitizenKeys(db.read, root, systemRandom, { now: () => now });
      await keys.keyOf('anna');
      const other = createCitizenKeys(db.read, root, systemRandom);
      await db.write(other.creationStatements(['anna']));
      // Look-ups in between do not extend the time.
      now += 600;
      await keys.keyOf('anna');
      now += passedMs - 600;
      assert.deepEqual(await keys.keyOf('anna'), await other.keyOf('anna'));
    });
  }

  test(`${engine.name}: data under a destroyed key is not stored, also if the citizen has a new key`, async (t) => {
    const db = await engine.open(t);
    const keys = createCitizenKeys(db.read, root, systemRandom);
    await db.write(keys.creationStatements(['anna', 'bert']));
    const standing = (await keys.guardedKeyOf('anna')) ?? assert.fail();
    await db.write([standing.precondition]);
    await db.write(keys.destructionStatements('anna'));
    await assert.rejects(db.write([standing.precondition]), { name: 'WriteRefused', kind: 'rows' });
    await db.write(keys.creationStatements(['anna']));
    await assert.rejects(db.write([standing.precondition]), { name: 'WriteRefused', kind: 'rows' });
  });

  test(`${engine.name}: each erasure gives an id a new random key, and destroys the previous one`, async (t) => {
    const db = await engine.open(t);
    const keys = createCitizenKeys(db.read, root, systemRandom, { now: () => 0 });
    await db.write(keys.creationStatements(['anna']));
    const erase = async (citizenId: string) => {
      await db.write(keys.destructionStatements(citizenId));
      keys.evict(citizenId);
      return await createCitizenKeys(db.read, root, systemRandom).keyOf(citizenId);
    };
    const seen = [await keys.keyOf('anna')];
    for (let times = 0; times < 3; times += 1) {
      seen.push(await erase('anna'));
      assert.deepEqual(await keys.keyOf('anna'), seen.at(-1));
    }
    const unknown = await keys.keyOf('nobody');
    seen.push(unknown, await erase('nobody'), await erase('nobody'));
    assert.equal(new Set(seen.map((key) => Buffer.from(key).toString('hex'))).size, seen.length);
    assert.equal(await keys.guardedKeyOf('anna'), undefined);
    const erasedId = erasedIdOf(keys.pseudonymOf('anna'));
    assert.deepEqual(await keys.keyOf(erasedId), seen[3]);
    assert.deepEqual(keys.pseudonymOf(erasedId), keys.pseudonymOf('anna'));
    // Imported again: what was stored in between opens by the earlier key.
    await db.write(keys.creationStatements(['anna']));
    const other = createCitizenKeys(db.read, root, systemRandom);
    assert.deepEqual(await other.earlierKeyOf('anna'), seen[3]);
    await other.preload(['anna', 'nobody']);
    assert.notDeepEqual(await other.keyOf('anna'), seen[3]);
    assert.deepEqual(await other.keyOf('nobody'), seen.at(-1));
  });

  test(`${engine.name}: an unknown id is looked up each time if there is no clock`, async (t) => {
    const db = await engine.open(t);
    const keys = createCitizenKeys(db.read, root, systemRandom);
    const other = createCitizenKeys(db.read, root, systemRandom);
    await keys.keyOf('anna');
    await db.write(other.creationStatements(['anna']));
    assert.deepEqual(await keys.keyOf('anna'), await other.keyOf('anna'));
  });

  test(`${engine.name}: a key that another process destroyed leaves memory after two evictions without use`, async (t) => {
    const db = await engine.open(t);
    // Without a clock each key in memory counts as valid.
    const keys = createCitizenKeys(db.read, root, systemRandom);
    await db.write(keys.creationStatements(['anna']));
    const key = await keys.keyOf('anna');
    await db.write(keys.destructionStatements('anna'));
    keys.evictUnused();
    keys.evictUnused();
    assert.notDeepEqual(await keys.keyOf('anna'), key);
  });

  for (const [when, passedMs] of Object.entries({ 'a minute later': keyCacheMs + 1, 'an hour earlier': -3_600_000 })) {
    test(`a key that another process destroyed is not used when the clock shows ${when}`, async (t) => {
      const db = await engine.open(t);
      let now = Date.UTC(2026, 10, 20);
      const keys = createCitizenKeys(db.read, root, systemRandom, { now: () => now });
      await db.write(keys.creationStatements(['anna']));
      const key = await keys.keyOf('anna');
      await db.write(keys.destructionStatements('anna'));
      now += passedMs;
      assert.notDeepEqual(await keys.keyOf('anna'), key);
      // It has left memory as well.
      now -= passedMs;
      assert.notDeepEqual(await keys.keyOf('anna'), key);
    });
  }
}
