import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Engine, engines } from '../../test/support/database-engines.ts';
import { createReplayDetector } from './used-proof-store.ts';

const minute = 60_000;

/** A replay detector with a clock that can be set, and a stopwatch that only advances. */
async function proofsOver(t: TestContext, engine: Engine) {
  const db = await engine.open(t);
  let [now, passed] = [Date.UTC(2026, 10, 23), 0];
  const isFirst = createReplayDetector({ db, clock: { now: () => now }, stopwatch: () => passed }, 'DPoP');
  return {
    db,
    isFirst,
    endOf: () => now + 91_000,
    set: (ms: number) => {
      now += ms;
    },
    pass: (ms: number) => {
      now += ms;
      passed += ms;
    },
  };
}

for (const engine of engines) {
  test(`${engine.name}: one use deletes at most a hundred expired proofs, and later uses delete the others`, async (t) => {
    const db = await engine.open(t);
    const ended = Array.from({ length: 250 }, (_, at) => ({
      sql: "insert into oauth_record (model, id, payload, expires_at) values ('DPoP', $1, '{}', $2)",
      args: [`ended-${at}`, 1_000 + at],
    }));
    await db.write(ended);
    let now = 2_000;
    const isFirst = createReplayDetector({ db, clock: { now: () => now }, stopwatch: () => now }, 'DPoP');
    const left: number[] = [];
    const use = async (...jtis: readonly string[]) => {
      assert.ok((await Promise.all(jtis.map((jti) => isFirst('owner', jti, now + 600_000)))).every(Boolean));
      const [row] = await db.read("select count(*) as left_over from oauth_record where id like 'ended-%'");
      left.push(Number(row?.['left_over']));
    };
    await use('early');
    now += 6 * minute;
    await use('one', 'another');
    assert.equal(await isFirst('owner', 'one', now), false);
    for (const jti of ['two', 'three']) await use(jti);
    await db.write(ended.slice(0, 1));
    await use('four');
    assert.deepEqual(left, [250, 150, 50, 0, 1]);
  });

  for (const [span, ahead] of [
    ['an hour', 60 * minute],
    ['a year', 525_600 * minute],
  ] as const) {
    test(`${engine.name}: a valid proof stays stored while the clock is ${span} ahead for some minutes`, async (t) => {
      const { isFirst, pass, set, endOf } = await proofsOver(t, engine);
      pass(minute);
      assert.equal(await isFirst('thief', 'captured', endOf()), true);
      set(ahead);
      for (let seconds = 0; seconds < 80; seconds += 20) {
        pass(20_000);
        assert.equal(await isFirst('owner', `ahead-${seconds}`, endOf()), true);
      }
      set(-ahead);
      assert.equal(await isFirst('thief', 'captured', endOf()), false);
    });

    test(`${engine.name}: expired proofs are deleted as usual after the clock was ${span} ahead`, async (t) => {
      const { db, isFirst, pass, set, endOf } = await proofsOver(t, engine);
      pass(10 * minute);
      set(ahead);
      await isFirst('owner', 'ahead', endOf());
      pass(minute);
      set(-ahead);
      await isFirst('owner', 'old', endOf());
      for (let minutes = 0; minutes < 20; minutes += 1) {
        pass(minute);
        await isFirst('owner', `later-${minutes}`, endOf());
      }
      const [row] = await db.read('select count(*) as kept from oauth_record');
      assert.ok(Number(row?.['kept']) <= 16, `${row?.['kept']} are kept of 22`);
    });

    test(`${engine.name}: a used proof is refused when the clock goes ${span} back and returns`, async (t) => {
      const { isFirst, pass, set, endOf } = await proofsOver(t, engine);
      const end = endOf();
      assert.equal(await isFirst('thief', 'captured', end), true);
      set(-ahead);
      for (let minutes = 0; minutes < 20; minutes += 1) {
        pass(minute);
        await isFirst('owner', `back-${minutes}`, endOf());
      }
      set(ahead - 20 * minute);
      assert.equal(await isFirst('thief', 'captured', end), false);
    });
  }
}
