import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Engine, engines } from '../../test/support/database-engines.ts';
import { makeDocumentFolder } from '../../test/support/document-app.ts';
import { createMissingSigningKeys, openSigningKeys } from '../auth/signing-key-store.ts';
import { longLivedPurposes, UnknownRootKey } from '../crypto/root-key.ts';
import { createRootKey, readRootKey } from '../crypto/root-key-file.ts';
import { storeClockState } from '../jobs/clock-check.ts';
import { createIdGenerator } from '../kernel/id.ts';
import { systemRandom } from '../kernel/system-clock.ts';
import { createCitizenKeys } from '../ledger/citizen-keys.ts';
import { createCommitter } from '../ledger/commit.ts';
import { runCommandLine } from './command.ts';
import { keyCommands } from './keys.ts';
import {
  finishRotation,
  isRotationPending,
  prepareRotation,
  type RotationContext,
  rewrapAll,
} from './rotate-root-key.ts';

const dayMs = 86_400_000;
const clock = { now: () => 1_800_000_000_000 };
const citizens = Array.from({ length: 3_000 }, (_, index) => `CZ-${index}`);

async function app(t: TestContext, engine: Engine) {
  const rootKeyPath = join(await makeDocumentFolder(t), 'root.key');
  const db = await engine.open(t);
  const root = createRootKey(rootKeyPath, systemRandom);
  const keys = createCitizenKeys(db.read, root, systemRandom);
  await db.write(keys.creationStatements(citizens));
  await createMissingSigningKeys({ db, root, clock }, systemRandom);
  const deps: RotationContext = {
    read: db.read,
    write: db.write,
    commit: createCommitter({ db, citizenKeys: keys, random: systemRandom }).commit,
    clock,
    random: systemRandom,
    createId: createIdGenerator(clock, systemRandom),
    root,
    rootKeyPath,
    operator: 'clerk',
  };
  const some = citizens.filter((_, index) => index % 300 === 7);
  const keysOf = async (by = root) => {
    const fresh = createCitizenKeys(db.read, by, systemRandom);
    return Promise.all(some.map(async (id) => Buffer.from(await fresh.keyOf(id)).toString('hex')));
  };
  return { db, deps, root, keysOf, keys };
}

/** Runs `keys rotate root`. Returns its output and its exit code. */
function rotateRoot(deps: RotationContext & { hasLeft?: () => boolean }, ...flags: readonly string[]) {
  return runKeys(deps, 'rotate', 'root', ...flags);
}

async function runKeys(deps: RotationContext & { hasLeft?: () => boolean }, ...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    ...(deps.hasLeft !== undefined && { hasLeft: deps.hasLeft }),
    stdout: (text: string) => void out.push(text),
    stderr: (text: string) => void err.push(text),
    isInteractive: false,
    cwd: '/',
  };
  const code = await runCommandLine(
    ['keys', ...args],
    keyCommands((use) => use(deps), terminal),
    terminal,
  );
  return { code, stdout: out.join(''), stderr: err.join('') };
}

const lasting = (root: ReturnType<typeof readRootKey>) =>
  longLivedPurposes.map((purpose) => Buffer.from(root.derive(purpose)).toString('hex'));

for (const engine of engines) {
  test(`${engine.name}: keys rotate --now withdraws each key that was in force at or after a clock jump, and no earlier evidence key`, async (t) => {
    const { db, deps: given, root } = await app(t, engine);
    let now = clock.now();
    const deps = { ...given, clock: { now: () => now } };
    const keys = await openSigningKeys({ db, root, clock: deps.clock });
    const { kid: first } = keys.current('evidence');
    await runKeys(deps, 'rotate', 'evidence');
    now += 2 * dayMs;
    await keys.reload();
    const { kid: second } = keys.current('evidence');
    await runKeys(deps, 'rotate', 'evidence');
    const jump = { from: now, to: now + 365 * dayMs };
    await db.write([storeClockState({ seenAt: jump.to, jump })]);
    now = jump.to;
    assert.equal((await runKeys(deps, 'rotate', 'evidence', '--now')).code, 0);
    now = jump.from;
    await keys.reload();
    const published = keys.publicJwks().keys.map((key) => key.kid);
    assert.deepEqual([published.includes(first), published.includes(second)], [true, false]);
    assert.equal(keys.inForce('evidence').length, 1);
  });

  test(`${engine.name}: after a rotation every key opens without the old root key, and the long-lived subkeys are the same`, async (t) => {
    const { db, deps, root, keysOf } = await app(t, engine);
    const [before, lastedBefore, id] = [await keysOf(), lasting(root), root.id];
    const otherServer = readRootKey(deps.rootKeyPath);
    await prepareRotation(deps);
    assert.notEqual(root.id, id);
    assert.deepEqual(await keysOf(), before);
    const steps: number[] = [];
    const rotated = await rewrapAll(deps, (done) => steps.push(done));
    assert.deepEqual([rotated.citizenKeys, rotated.signingKeys, steps.at(-1)], [3_000, 4, 3_000]);
    // A server with the old file rereads it when it finds a key that the new root key wraps.
    assert.equal(otherServer.id, id);
    assert.deepEqual(await keysOf(otherServer), before);
    assert.equal(otherServer.id, root.id);
    assert.ok(!('left' in (await finishRotation(deps))));
    assert.equal(isRotationPending(deps.rootKeyPath), false);
    const restarted = readRootKey(deps.rootKeyPath);
    assert.deepEqual(await keysOf(restarted), before);
    assert.deepEqual(lasting(restarted), lastedBefore);
    await openSigningKeys({ db, root: restarted, clock });
    assert.throws(() => restarted.deriveForRoot(id, 'wrap-citizen-keys'), UnknownRootKey);
    const rows = await db.read("select id from ledger_event where type = 'root-key.rotated'");
    assert.equal(rows.length, 3);
  });

  test(`${engine.name}: a stopped rotation continues, keeps the old root key until all keys are rewrapped, and restores no destroyed key`, async (t) => {
    const { db, deps, keysOf } = await app(t, engine);
    const before = await keysOf();
    await prepareRotation(deps);
    let units = 0;
    const stopped: RotationContext = {
      ...deps,
      write: async (unit) => {
        units += 1;
        if (units > 2) throw new Error('stopped');
        const rows = await db.write(unit);
        if (units === 2) await db.write([{ sql: "delete from citizen_key where citizen_id = 'CZ-999'" }]);
        return rows;
      },
    };
    await assert.rejects(
      rewrapAll(stopped, () => undefined),
      /stopped/,
    );
    const left = await finishRotation(deps);
    assert.ok('left' in left && left.left > 0);
    assert.equal(isRotationPending(deps.rootKeyPath), true);
    assert.deepEqual(await keysOf(), before);
    await rewrapAll(deps, () => undefined);
    assert.ok(!('left' in (await finishRotation(deps))));
    assert.deepEqual(await keysOf(readRootKey(deps.rootKeyPath)), before);
    const [row] = await db.read('select count(*) as kept from citizen_key');
    assert.equal(row?.['kept'], 2_999);
  });

  test(`${engine.name}: a citizen who is erased and imported again during a rotation keeps the new key`, async (t) => {
    const { db, deps, keys } = await app(t, engine);
    // A citizen on the first page, which is read before anything is written.
    const citizenId = citizens.toSorted()[0] ?? assert.fail();
    await prepareRotation(deps);
    const comeBack = keys.creationStatements([citizenId]);
    let isBack = false;
    const meanwhile: RotationContext = {
      ...deps,
      write: async (unit) => {
        if (!isBack && unit.some(({ sql }) => sql.startsWith('update citizen_key '))) {
          isBack = true;
          await db.write([...keys.destructionStatements(citizenId), ...comeBack]);
        }
        return await db.write(unit);
      },
    };
    await rewrapAll(meanwhile, () => undefined);
    const [row] = await db.read('select wrapped from citizen_key where citizen_id = $1', [citizenId]);
    assert.deepEqual(
      new Uint8Array(row?.['wrapped'] as Uint8Array),
      new Uint8Array(comeBack[1]?.args?.[1] as Uint8Array),
    );
    assert.ok(isBack && !('left' in (await finishRotation(deps))));
  });

  test(`${engine.name}: keys that a process creates with the old root key open after the rotation`, async (t) => {
    const { db, deps } = await app(t, engine);
    const importing = createCitizenKeys(db.read, readRootKey(deps.rootKeyPath), systemRandom);
    await prepareRotation(deps);
    await rewrapAll(deps, () => undefined);
    assert.ok(!('left' in (await finishRotation(deps))));
    await db.write(importing.creationStatements(['CZ-new', 'CZ-newer']));
    const later = createCitizenKeys(db.read, readRootKey(deps.rootKeyPath), systemRandom);
    for (const citizenId of ['CZ-new', 'CZ-newer']) {
      assert.deepEqual(await later.keyOf(citizenId), await importing.keyOf(citizenId));
    }
  });
}

test('no statement of a rotation reads more keys than one page', async (t) => {
  const [engine = assert.fail()] = engines;
  const { deps } = await app(t, engine);
  const whole: string[] = [];
  const read: typeof deps.read = async (sql, args) => {
    if (sql.includes('from citizen_key') && !sql.includes(' limit ')) whole.push(sql);
    return await deps.read(sql, args);
  };
  for (const flags of [['--prepare'], ['--finish'], [], ['--finish']]) await rotateRoot({ ...deps, read }, ...flags);
  assert.equal(isRotationPending(deps.rootKeyPath), false);
  assert.deepEqual(whole, []);
});

test('a rotation writes one small unit at a time, so that other requests can run', async (t) => {
  const [engine = assert.fail()] = engines;
  const { deps } = await app(t, engine);
  let [underWay, mostAtOnce, mostKeys] = [0, 0, 0];
  const write: typeof deps.write = async (unit) => {
    underWay += 1;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    const rows = await deps.write(unit);
    underWay -= 1;
    const inserted = unit.filter(({ sql }) => sql.startsWith('insert into citizen_key_rewrap'));
    mostKeys = Math.max(mostKeys, inserted.flatMap(({ args = [] }) => args).length / 2);
    return rows;
  };
  await prepareRotation(deps);
  const { citizenKeys } = await rewrapAll({ ...deps, write }, () => undefined);
  assert.deepEqual([citizenKeys, mostAtOnce, mostKeys], [3_000, 1, 512]);
});

test('the rotation command prepares once, removes the old key only after all are rewrapped, and prints the next step', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const { deps, root } = await app(t, engine);
  const first = root.id;
  const early = await rotateRoot(deps, '--finish');
  assert.deepEqual([early.code, /^Expected a rotation that is not finished/.test(early.stderr)], [1, true]);
  const prepared = await rotateRoot(deps, '--prepare');
  assert.deepEqual([prepared.code, /Copy the file to every host/.test(prepared.stderr)], [0, true]);
  const second = root.id;
  assert.notEqual(second, first);
  assert.match((await rotateRoot(deps, '--prepare')).stderr, /^The new root key is already in the file/);
  assert.equal(root.id, second);
  const unwrapped = await rotateRoot(deps, '--finish');
  assert.deepEqual([unwrapped.code, /the old one still encrypts 3004 keys/.test(unwrapped.stderr)], [1, true]);
  // The caller ended after the second page was stored.
  let looks = 0;
  const stopped = await rotateRoot({ ...deps, hasLeft: () => ++looks > 1 });
  assert.deepEqual([stopped.code, stopped.stderr], [1, '']);
  assert.match((await rotateRoot(deps, '--finish')).stderr, /the old one still encrypts 1976 keys/);
  const wrapped = await rotateRoot(deps, '--json');
  assert.equal(wrapped.code, 0, wrapped.stderr);
  const { seconds: _, perSecond: __, ...counts } = JSON.parse(wrapped.stdout);
  assert.deepEqual(counts, { from: first, to: second, citizenKeys: 1_976, signingKeys: 0 });
  assert.match(wrapped.stderr, /remove the old root key/);
  const finished = await rotateRoot(deps, '--finish');
  assert.deepEqual(
    [finished.code, finished.stderr.startsWith(`The old root key ${first} is removed from the file.`)],
    [0, true],
  );
  assert.equal(isRotationPending(deps.rootKeyPath), false);
});

test('an old root key file does not open a rotated database, and a file with an unknown line is refused', async (t) => {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  const { deps, keysOf } = await app(t, engine);
  const old = readFileSync(deps.rootKeyPath);
  await prepareRotation(deps);
  await rewrapAll(deps, () => undefined);
  await finishRotation(deps);
  writeFileSync(deps.rootKeyPath, old);
  await assert.rejects(keysOf(readRootKey(deps.rootKeyPath)), UnknownRootKey);
  writeFileSync(deps.rootKeyPath, `${old.toString()}kms arn:x\n`);
  assert.throws(() => readRootKey(deps.rootKeyPath), /does not know/);
});
