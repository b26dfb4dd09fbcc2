import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { rotateTestSigningKey } from '../../test/support/token-app.ts';
import { type RootKey, rootKeyFromBytes } from '../crypto/root-key.ts';
import { signingUses } from '../crypto/signing-key.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import {
  createMissingSigningKeys,
  openSigningKeys,
  replaceSigningKeyStatements,
  SigningKeyMissing,
} from './signing-key-store.ts';

const root = rootKeyFromBytes(new Uint8Array(32).fill(1));
const frozen = () => {
  const clock = { at: Date.UTC(2026, 10, 20), now: () => clock.at };
  return clock;
};

for (const engine of engines) {
  test(`${engine.name}: missing keys are created once, and another process reads the same keys`, async (t) => {
    const deps = { db: await engine.open(t), root, clock: frozen() };
    const before = await openSigningKeys(deps);
    assert.throws(() => before.current('result'), SigningKeyMissing);
    assert.deepEqual(await createMissingSigningKeys(deps, systemRandom), [...signingUses]);
    assert.deepEqual(await createMissingSigningKeys(deps, systemRandom), []);
    const [first, second] = [await openSigningKeys(deps), await openSigningKeys(deps)];
    for (const use of signingUses) {
      assert.equal(first.current(use).kid, second.current(use).kid);
      assert.equal(first.find(use, first.current(use).kid), first.current(use));
    }
    assert.equal(first.find('result', first.current('access-token').kid), undefined);
  });

  test(`${engine.name}: a key is unwrapped once and cached, and its later retirement takes effect`, async (t) => {
    const deps = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(deps, systemRandom);
    let opened = 0;
    const counted: RootKey = {
      ...root,
      deriveForRoot: (...of) => {
        opened += 1;
        return root.deriveForRoot(...of);
      },
    };
    const keys = await openSigningKeys({ ...deps, root: counted });
    const [old, known] = [keys.current('result'), opened];
    const { kid, statements } = replaceSigningKeyStatements(deps, { use: 'result', atOnce: true }, systemRandom);
    await deps.db.write(statements);
    await keys.reload();
    assert.deepEqual([opened - known, keys.current('result').kid, keys.find('result', old.kid)], [1, kid, undefined]);
  });

  test(`${engine.name}: the published key set has the public keys of tokens, results and evidence only`, async (t) => {
    const deps = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(deps, systemRandom);
    const keys = await openSigningKeys(deps);
    const uses = ['access-token', 'result', 'evidence'] as const;
    const kids = uses.map((use) => keys.current(use).kid);
    const published = keys.publicJwks().keys;
    assert.deepEqual(new Set(published.map(({ kid }) => kid)), new Set(kids));
    for (const jwk of published) {
      assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'citizen_services_use', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      assert.equal(jwk.kid, keys.current(jwk.citizen_services_use).kid);
    }
  });

  test(`${engine.name}: a replaced key is valid for a day, but evidence keys stay published`, async (t) => {
    const deps = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(deps, systemRandom);
    const keys = await openSigningKeys(deps);
    const old = { result: keys.current('result').kid, evidence: keys.current('evidence').kid };
    await rotateTestSigningKey(deps, 'result');
    await rotateTestSigningKey(deps, 'evidence');
    await keys.reload();
    assert.equal(keys.current('result').kid, old.result);
    deps.clock.at += 600_000;
    assert.notEqual(keys.current('result').kid, old.result);
    deps.clock.at += 86_400_000 - 600_001;
    assert.notEqual(keys.find('result', old.result), undefined);
    deps.clock.at += 600_001;
    assert.equal(keys.find('result', old.result), undefined);
    const published = keys.publicJwks().keys.map(({ kid }) => kid);
    assert.equal(published.includes(old.result), false);
    assert.equal(published.includes(old.evidence), true);
  });

  test(`${engine.name}: a leaked evidence key is unpublished, and an earlier one stays published`, async (t) => {
    const deps = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(deps, systemRandom);
    const keys = await openSigningKeys(deps);
    const kids = () => keys.publicJwks().keys.map(({ kid }) => kid);
    const earlier = keys.current('evidence').kid;
    await rotateTestSigningKey(deps, 'evidence');
    await keys.reload();
    deps.clock.at += 2 * 86_400_000;
    const stolen = keys.current('evidence').kid;
    const { statements } = replaceSigningKeyStatements(deps, { use: 'evidence', atOnce: true }, systemRandom);
    await deps.db.write(statements);
    await keys.reload();
    assert.deepEqual([kids().includes(earlier), kids().includes(stolen)], [true, false]);
    assert.equal(kids().includes(keys.current('evidence').kid), true);
  });

  test(`${engine.name}: a key that is withdrawn while the clock is ahead stays withdrawn after the clock is corrected`, async (t) => {
    const deps = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(deps, systemRandom);
    const keys = await openSigningKeys(deps);
    const stolen = keys.current('access-token').kid;
    const year = 365 * 86_400_000;
    deps.clock.at += year;
    const { statements } = replaceSigningKeyStatements(deps, { use: 'access-token', atOnce: true }, systemRandom);
    await deps.db.write(statements);
    deps.clock.at -= year;
    const isGone = async () => {
      await keys.reload();
      const listed = keys.publicJwks().keys.some(({ kid }) => kid === stolen);
      return !listed && keys.find('access-token', stolen) === undefined && keys.current('access-token').kid !== stolen;
    };
    assert.equal(await isGone(), true);
    await rotateTestSigningKey(deps, 'access-token');
    assert.equal(await isGone(), true);
  });

  test(`${engine.name}: a key that is replaced or created while the clock is ahead can be withdrawn after the clock is corrected`, async (t) => {
    const deps = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(deps, systemRandom);
    const keys = await openSigningKeys(deps);
    const year = 365 * 86_400_000;
    for (const use of signingUses) {
      deps.clock.at += year;
      await rotateTestSigningKey(deps, use);
      deps.clock.at -= year;
      await keys.reload();
      assert.equal(keys.inForce(use).length, 2);
      const { kid, statements } = replaceSigningKeyStatements(deps, { use, atOnce: true }, systemRandom);
      await deps.db.write(statements);
      await keys.reload();
      assert.deepEqual(
        keys.inForce(use).map(({ key }) => key.kid),
        [kid],
      );
    }
  });

  test(`${engine.name}: a key from before a clock jump can be withdrawn during the jump, and stays withdrawn after the correction`, async (t) => {
    const deps = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(deps, systemRandom);
    const keys = await openSigningKeys(deps);
    const year = 365 * 86_400_000;
    for (const use of ['access-token', 'result', 'checkpoint'] as const) {
      await rotateTestSigningKey(deps, use);
      deps.clock.at += year;
      const { kid, statements } = replaceSigningKeyStatements(deps, { use, atOnce: true }, systemRandom);
      await deps.db.write(statements);
      deps.clock.at -= year;
      await keys.reload();
      assert.deepEqual([keys.current(use).kid, keys.inForce(use).length], [kid, 1], use);
    }
  });

  test(`${engine.name}: a key of another process is known within a minute, with one read of the database`, async (t) => {
    const db = await engine.open(t);
    let reads = 0;
    const read: typeof db.read = (sql, args) => {
      reads += 1;
      return db.read(sql, args);
    };
    const deps = { db: { read, write: db.write.bind(db) }, root, clock: frozen() };
    await createMissingSigningKeys(deps, systemRandom);
    const keys = await openSigningKeys(deps);
    await rotateTestSigningKey(deps, 'result');
    const published = () => keys.publicJwks().keys.length;
    reads = 0;
    deps.clock.at += 60_000;
    assert.deepEqual([published(), reads], [3, 0]);
    deps.clock.at += 1;
    published();
    await keys.reload(60_000);
    assert.deepEqual([published(), reads], [4, 1]);
    // Also after the clock was set back.
    await rotateTestSigningKey(deps, 'result');
    deps.clock.at -= 3_600_000;
    published();
    await keys.reload(60_000);
    assert.deepEqual([published(), reads], [5, 2]);
  });

  test(`${engine.name}: a new key signs after any number of replaced keys`, async (t) => {
    const deps = { db: await engine.open(t), root, clock: frozen() };
    for (let count = 0; count <= 1_000; count += 1) {
      deps.clock.at += 1;
      await deps.db.write(replaceSigningKeyStatements(deps, { use: 'result', atOnce: true }, systemRandom).statements);
    }
    const keys = await openSigningKeys(deps);
    assert.equal(keys.inForce('result').length, 1);
    assert.equal(keys.current('result').kid, keys.inForce('result')[0]?.key.kid);
  });

  test(`${engine.name}: a private key is stored wrapped, bound to its id, and unwrapped by its root key only`, async (t) => {
    const deps = { db: await engine.open(t), root, clock: frozen() };
    await createMissingSigningKeys(deps, systemRandom);
    const other = rootKeyFromBytes(new Uint8Array(32).fill(2));
    await assert.rejects(openSigningKeys({ ...deps, root: other }), /is wrapped by root key/);
    const keys = await openSigningKeys(deps);
    const [from, to] = [keys.current('result').kid, keys.current('access-token').kid];
    await deps.db.write([
      {
        sql: 'update signing_key set sealed_private = (select o.sealed_private from signing_key o where o.kid = $1) where kid = $2',
        args: [from, to],
      },
    ]);
    await assert.rejects(openSigningKeys(deps), /does not open/);
  });
}
