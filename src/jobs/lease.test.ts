import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/engines.ts';
import { createVirtualTime } from '../../test/virtual-time.ts';
import type { Claim } from './claim.ts';
import { endWorkerLeases, forgetWorkerLeases, giveBackLease, keepLease, takeLease } from './lease.ts';

const leaseMs = 8_000;

for (const engine of engines) {
  const setUp = async (t: Parameters<typeof engine.open>[0]) => {
    const db = await engine.open(t);
    const claim: Claim = async (statement) => (await db.write([statement]))[0] ?? [];
    const take = async (holder: string, now: number) =>
      (await claim(takeLease({ name: 'sequencer', holder, now, leaseMs })))[0]?.['fence'];
    return { db, claim, take };
  };

  test(`${engine.name}: of ten that ask at once, one holds the lease`, async (t) => {
    const { take } = await setUp(t);
    const fences = await Promise.all(Array.from({ length: 10 }, (_, index) => take(`p${index}`, 1_000)));
    assert.deepEqual(
      fences.filter((fence) => fence !== undefined),
      [1],
    );
  });

  test(`${engine.name}: the fence stays while one renews and grows with each change of holder`, async (t) => {
    const { take, claim } = await setUp(t);
    const seen = [
      await take('a', 0),
      await take('a', 5_000),
      await take('b', 12_999),
      await take('b', 13_000),
      await take('a', 14_000),
    ];
    await claim(giveBackLease('sequencer', 'b'));
    seen.push(await take('a', 14_001));
    assert.deepEqual(seen, [1, 1, undefined, 2, undefined, 3]);
  });

  test(`${engine.name}: a lease of a clock that was set back since is not waited for`, async (t) => {
    const { take } = await setUp(t);
    const hourMs = 3_600_000;
    const seen = [
      await take('a', hourMs),
      await take('b', hourMs - 60_000),
      await take('b', 0),
      await take('a', 7_999),
    ];
    assert.deepEqual(seen, [1, undefined, 2, undefined]);
  });

  test(`${engine.name}: only the holder gives a lease back`, async (t) => {
    const { take, claim } = await setUp(t);
    await take('a', 0);
    await claim(giveBackLease('sequencer', 'b'));
    assert.equal(await take('b', 1), undefined);
  });

  test(`${engine.name}: a start that is alone ends the leases of workers and no others`, async (t) => {
    const { take, claim, db } = await setUp(t);
    await take('a', 0);
    const others = ['sequencer', 'worker', 'worker.', 'worker0', 'yearly'];
    for (const name of ['worker/1', 'worker/2', ...others.slice(1)]) {
      await claim(takeLease({ name, holder: name, now: name === 'worker/2' ? 1 : 0, leaseMs }));
    }
    const names = async () => (await db.read('select name from lease order by name')).map(({ name }) => name);
    await claim(forgetWorkerLeases(leaseMs));
    assert.deepEqual(await names(), ['sequencer', 'worker', 'worker.', 'worker/2', 'worker0', 'yearly']);
    await claim(endWorkerLeases);
    assert.deepEqual(await names(), others);
  });

  test(`${engine.name}: who waits for a lease has it when it is given back, and who gave it back takes it no more`, async (t) => {
    const { claim } = await setUp(t);
    const time = createVirtualTime(0);
    const keep = (holder: string) =>
      keepLease({ ...time, name: 'sequencer', holder, leaseMs, claim, onFault: assert.fail });
    const [first, second] = [await keep('a'), await keep('b')];
    const both = () => Promise.all([first.idle(), second.idle()]);
    await time.advance(3 * leaseMs, both);
    assert.deepEqual([first.fence(), second.fence()], [1, undefined]);
    await first.end({ giveBack: true });
    assert.equal(first.fence(), undefined);
    await time.advance(leaseMs / 4, both);
    assert.deepEqual([first.fence(), second.fence()], [undefined, 2]);
    // One that is not given back is waited for.
    await second.end({ giveBack: false });
    assert.equal((await keep('c')).fence(), undefined);
    assert.equal(time.timers(), 1);
  });

  test(`${engine.name}: a kept lease is held past its length, and not known as held once it ran out`, async (t) => {
    const { claim } = await setUp(t);
    const time = createVirtualTime(0);
    let down = false;
    const lease = await keepLease({
      ...time,
      name: 'sequencer',
      holder: 'a',
      leaseMs,
      claim: (statement) => (down ? Promise.reject(new Error('no database')) : claim(statement)),
      onFault: () => undefined,
    });
    await time.advance(2 * leaseMs, lease.idle);
    assert.deepEqual([time.clock.now(), lease.fence()], [2 * leaseMs, 1]);
    down = true;
    await time.advance(leaseMs, lease.idle);
    assert.equal(lease.fence(), undefined);
    down = false;
    await lease.end({ giveBack: true });
    const other = await claim(takeLease({ name: 'sequencer', holder: 'b', now: 1, leaseMs }));
    assert.equal(other.length, 1);
  });

  test(`${engine.name}: who is new judges nobody for half a lease, and whose own ran out for a whole one`, async (t) => {
    const { claim } = await setUp(t);
    const time = createVirtualTime(0);
    let forward = 0;
    const lease = await keepLease({
      ...{ ...time, name: 'worker/a', holder: 'worker/a', leaseMs, claim },
      clock: { now: () => time.clock.now() + forward },
      onFault: assert.fail,
    });
    const seen = [await lease.mayJudge()];
    await time.advance(leaseMs / 2 - 1, lease.idle);
    seen.push(await lease.mayJudge());
    await time.advance(1, lease.idle);
    seen.push(await lease.mayJudge());
    await time.advance(3 * leaseMs, lease.idle);
    seen.push(await lease.mayJudge());
    forward = 10 * leaseMs;
    seen.push(await lease.mayJudge());
    await time.advance(leaseMs - 1, lease.idle);
    seen.push(await lease.mayJudge());
    await time.advance(1, lease.idle);
    seen.push(await lease.mayJudge());
    assert.deepEqual(seen, [false, false, true, true, false, false, true]);
    await lease.end({ giveBack: true });
  });
}
