import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rotateSigningKey } from '../../test/attacks/tokens-house.ts';
import { engines } from '../../test/engines.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { type RootKey, rootKeyFrom } from '../keys/root-key.ts';
import { signingUses } from '../keys/signing-key.ts';
import {
  createMissingSigningKeys,
  openSigningKeys,
  SigningKeyMissing,
  signingKeyReplacement,
} from './signing-key-store.ts';

const root = rootKeyFrom(new Uint8Array(32).fill(1));
const frozen = () => {
  const clock = { at: Date.UTC(2026, 10, 20), now: () => clock.at };
  return clock;
};

for (const engine of engines) {
  test(`${engine.name}: missing keys are made once, and another process reads the same ones`, async (t) => {
    const room = { db: await engine.open(t), root, clock: frozen() };
    const before = await openSigningKeys(room);
    assert.throws(() => before.current('result'), SigningKeyMissing);
    assert.deepEqual(await createMissingSigningKeys(room, systemRandom), [...signingUses]);
    assert.deepEqual(await createMissingSigningKeys(room, systemRandom), []);
    const [first, second] = [await openSigningKeys(room), await openSigningKeys(room)];
    for (const use of signingUses) {
      assert.equal(first.current(use).kid, second.current(use).kid);
      assert.equal(first.find(use, first.current(use).kid), first.current(use));
    }
    assert.equal(first.find('result', first.current('access-token').kid), undefined);
  });

  test(`${engine.name}: a key that was opened is not opened again, and what was done with it since counts`, async (t) => {
    const room = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(room, systemRandom);
    let opened = 0;
    const counted: RootKey = {
      ...root,
      ofRoot: (...of) => {
        opened += 1;
        return root.ofRoot(...of);
      },
    };
    const keys = await openSigningKeys({ ...room, root: counted });
    const [old, known] = [keys.current('result'), opened];
    const { kid, statements } = signingKeyReplacement(room, { use: 'result', atOnce: true }, systemRandom);
    await room.db.write(statements);
    await keys.reload();
    assert.deepEqual([opened - known, keys.current('result').kid, keys.find('result', old.kid)], [1, kid, undefined]);
  });

  test(`${engine.name}: the published set holds the keys of tokens, results and evidence, and nothing private`, async (t) => {
    const room = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(room, systemRandom);
    const keys = await openSigningKeys(room);
    const uses = ['access-token', 'result', 'evidence'] as const;
    const kids = uses.map((use) => keys.current(use).kid);
    const published = keys.publicJwks().keys;
    assert.deepEqual(new Set(published.map(({ kid }) => kid)), new Set(kids));
    for (const jwk of published) {
      assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'citizen_services_use', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      assert.equal(jwk.kid, keys.current(jwk.citizen_services_use).kid);
    }
  });

  test(`${engine.name}: a replaced key verifies for a day and is then gone, but evidence keys stay published`, async (t) => {
    const room = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(room, systemRandom);
    const keys = await openSigningKeys(room);
    const old = { result: keys.current('result').kid, evidence: keys.current('evidence').kid };
    await rotateSigningKey(room, 'result');
    await rotateSigningKey(room, 'evidence');
    await keys.reload();
    assert.equal(keys.current('result').kid, old.result);
    room.clock.at += 600_000;
    assert.notEqual(keys.current('result').kid, old.result);
    room.clock.at += 86_400_000 - 600_001;
    assert.notEqual(keys.find('result', old.result), undefined);
    room.clock.at += 600_001;
    assert.equal(keys.find('result', old.result), undefined);
    const published = keys.publicJwks().keys.map(({ kid }) => kid);
    assert.equal(published.includes(old.result), false);
    assert.equal(published.includes(old.evidence), true);
  });

  test(`${engine.name}: a key of evidence that others may have is published no more, and an earlier one still is`, async (t) => {
    const room = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(room, systemRandom);
    const keys = await openSigningKeys(room);
    const kids = () => keys.publicJwks().keys.map(({ kid }) => kid);
    const earlier = keys.current('evidence').kid;
    await rotateSigningKey(room, 'evidence');
    await keys.reload();
    room.clock.at += 2 * 86_400_000;
    const stolen = keys.current('evidence').kid;
    const { statements } = signingKeyReplacement(room, { use: 'evidence', atOnce: true }, systemRandom);
    await room.db.write(statements);
    await keys.reload();
    assert.deepEqual([kids().includes(earlier), kids().includes(stolen)], [true, false]);
    assert.equal(kids().includes(keys.current('evidence').kid), true);
  });

  test(`${engine.name}: a key that was withdrawn while the clock was ahead stays withdrawn when it is set right`, async (t) => {
    const room = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(room, systemRandom);
    const keys = await openSigningKeys(room);
    const stolen = keys.current('access-token').kid;
    const year = 365 * 86_400_000;
    room.clock.at += year;
    const { statements } = signingKeyReplacement(room, { use: 'access-token', atOnce: true }, systemRandom);
    await room.db.write(statements);
    room.clock.at -= year;
    const isGone = async () => {
      await keys.reload();
      const listed = keys.publicJwks().keys.some(({ kid }) => kid === stolen);
      return !listed && keys.find('access-token', stolen) === undefined && keys.current('access-token').kid !== stolen;
    };
    assert.equal(await isGone(), true);
    await rotateSigningKey(room, 'access-token');
    assert.equal(await isGone(), true);
  });

  test(`${engine.name}: a key that was replaced, or made, by a clock ahead is withdrawn once that is set right`, async (t) => {
    const room = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(room, systemRandom);
    const keys = await openSigningKeys(room);
    const year = 365 * 86_400_000;
    for (const use of signingUses) {
      room.clock.at += year;
      await rotateSigningKey(room, use);
      room.clock.at -= year;
      await keys.reload();
      assert.equal(keys.inForce(use).length, 2);
      const { kid, statements } = signingKeyReplacement(room, { use, atOnce: true }, systemRandom);
      await room.db.write(statements);
      await keys.reload();
      assert.deepEqual(
        keys.inForce(use).map(({ key }) => key.kid),
        [kid],
      );
    }
  });

  test(`${engine.name}: a key that still verified when the clock leapt is withdrawn too, and so not back when that is set right`, async (t) => {
    const room = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(room, systemRandom);
    const keys = await openSigningKeys(room);
    const year = 365 * 86_400_000;
    for (const use of ['access-token', 'result', 'checkpoint'] as const) {
      await rotateSigningKey(room, use);
      room.clock.at += year;
      const { kid, statements } = signingKeyReplacement(room, { use, atOnce: true }, systemRandom);
      await room.db.write(statements);
      room.clock.at -= year;
      await keys.reload();
      assert.deepEqual([keys.current(use).kid, keys.inForce(use).length], [kid, 1], use);
    }
  });

  test(`${engine.name}: a key that another process made is known within a minute, and no reading is done before`, async (t) => {
    const db = await engine.open(t);
    let reads = 0;
    const read: typeof db.read = (sql, args) => {
      reads += 1;
      return db.read(sql, args);
    };
    const room = { db: { read, write: db.write.bind(db) }, root, clock: frozen() };
    await createMissingSigningKeys(room, systemRandom);
    const keys = await openSigningKeys(room);
    await rotateSigningKey(room, 'result');
    const published = () => keys.publicJwks().keys.length;
    reads = 0;
    room.clock.at += 60_000;
    assert.deepEqual([published(), reads], [3, 0]);
    room.clock.at += 1;
    published();
    await keys.reload(60_000);
    assert.deepEqual([published(), reads], [4, 1]);
    // So it is when the clock was set back: not only when the hour has come again.
    await rotateSigningKey(room, 'result');
    room.clock.at -= 3_600_000;
    published();
    await keys.reload(60_000);
    assert.deepEqual([published(), reads], [5, 2]);
  });

  test(`${engine.name}: a new key signs however many were replaced before it`, async (t) => {
    const room = { db: await engine.open(t), root, clock: frozen() };
    for (let count = 0; count <= 1_000; count += 1) {
      room.clock.at += 1;
      await room.db.write(signingKeyReplacement(room, { use: 'result', atOnce: true }, systemRandom).statements);
    }
    const keys = await openSigningKeys(room);
    assert.equal(keys.inForce('result').length, 1);
    assert.equal(keys.current('result').kid, keys.inForce('result')[0]?.key.kid);
  });

  test(`${engine.name}: private parts are stored wrapped, bound to their key, and open under their root only`, async (t) => {
    const room = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(room, systemRandom);
    const other = rootKeyFrom(new Uint8Array(32).fill(2));
    await assert.rejects(openSigningKeys({ ...room, root: other }), /is wrapped by root key/);
    const keys = await openSigningKeys(room);
    const [from, to] = [keys.current('result').kid, keys.current('access-token').kid];
    await room.db.write([
      {
        sql: 'update signing_key set sealed_private = (select o.sealed_private from signing_key o where o.kid = $1) where kid = $2',
        args: [from, to],
      },
    ]);
    await assert.rejects(openSigningKeys(room), /does not open/);
  });
}
