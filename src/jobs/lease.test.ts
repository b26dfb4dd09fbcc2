import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { createVirtualTime } from '../../test/support/virtual-time.ts';
import { acquireLease, deleteFreeWorkerLeases, holdLease, releaseAllLeases, releaseLease } from './lease.ts';
import type { WriteWithoutEvent } from './write-without-event.ts';

const leaseMs = 8_000;
const name = 'sequencer';

for (const engine of engines) {
  const setUp = async (t: Parameters<typeof engine.open>[0]) => {
    const db = await engine.open(t);
    const claim: WriteWithoutEvent = async (statement) => (await db.write([statement]))[0] ?? [];
    const take = async (holder: string, of = name) => (await claim(acquireLease(of, holder)))[0]?.['fence'];
    const time = createVirtualTime(0);
    const keep = (holder: string, more: Partial<Parameters<typeof holdLease>[0]> = {}) =>
      holdLease({
        name,
        watchedPattern: name,
        holder,
        leaseMs,
        claim,
        timer: time.timer,
        stopwatch: time.clock.now,
        onFault: assert.fail,
        ...more,
      });
    const held = async () => (await db.read("select name from lease where holder <> '' order by name")).map(nameIn);
    return { db, claim, take, time, keep, held };
  };
  const nameIn = (row: Record<string, unknown>) => row['name'];

  test(`${engine.name}: one of ten concurrent holders gets the lease`, async (t) => {
    const { take } = await setUp(t);
    const fences = await Promise.all(Array.from({ length: 10 }, (_, index) => take(`p${index}`)));
    assert.deepEqual(
      fences.filter((fence) => fence !== undefined),
      [1],
    );
  });

  test(`${engine.name}: the fencing token stays the same during renewals and grows with each change of holder`, async (t) => {
    const { take, claim } = await setUp(t);
    const seen = [await take('a'), await take('a'), await take('b')];
    await claim(releaseLease(name, 'b'));
    seen.push(await take('b'));
    await claim(releaseLease(name, 'a'));
    seen.push(await take('b'), await take('a'));
    assert.deepEqual(seen, [1, 1, undefined, undefined, 2, undefined]);
  });

  test(`${engine.name}: a process that starts alone frees all leases and deletes those of workers`, async (t) => {
    const { take, claim, db, held } = await setUp(t);
    const others = ['sequencer', 'worker', 'worker.', 'worker0', 'yearly'];
    for (const each of [...others, 'worker/1', 'worker/2']) await take(each, each);
    const names = async () => (await db.read('select name from lease order by name')).map(nameIn);
    await claim(releaseLease('worker/1', 'worker/1'));
    await claim(deleteFreeWorkerLeases);
    assert.deepEqual(await names(), ['sequencer', 'worker', 'worker.', 'worker/2', 'worker0', 'yearly']);
    await claim(releaseAllLeases);
    assert.deepEqual(await held(), []);
    await claim(deleteFreeWorkerLeases);
    assert.deepEqual(await names(), others);
    assert.equal(await take('b'), 2);
  });

  test(`${engine.name}: a waiting process gets a released lease, and the process that released it does not take it again`, async (t) => {
    const { time, keep } = await setUp(t);
    const [first, second] = [await keep('a'), await keep('b')];
    const both = () => Promise.all([first.idle(), second.idle()]);
    await time.advance(3 * leaseMs, both);
    assert.deepEqual([first.fence(), second.fence()], [1, undefined]);
    await first.stop({ release: true });
    assert.equal(first.fence(), undefined);
    await time.advance(leaseMs / 4, both);
    assert.deepEqual([first.fence(), second.fence()], [undefined, 2]);
    // A lease that was not released expires its length after the first observation.
    await second.stop({ release: false });
    const third = await keep('c');
    await time.advance(leaseMs - 1, third.idle);
    assert.equal(third.fence(), undefined);
    await time.advance(1, third.idle);
    assert.equal(third.fence(), 3);
    assert.equal(time.pendingTimers(), 1);
  });

  test(`${engine.name}: a renewed lease lasts past its length, and is not reported as held after it expired`, async (t) => {
    const { claim, take, time, keep } = await setUp(t);
    let down = false;
    const lease = await keep('a', {
      claim: (statement) => (down ? Promise.reject(new Error('no database')) : claim(statement)),
      onFault: () => undefined,
    });
    await time.advance(2 * leaseMs, lease.idle);
    assert.deepEqual([time.clock.now(), lease.fence()], [2 * leaseMs, 1]);
    down = true;
    await time.advance(leaseMs - 1, lease.idle);
    assert.equal(lease.fence(), 1);
    await time.advance(1, lease.idle);
    assert.equal(lease.fence(), undefined);
    down = false;
    await lease.stop({ release: true });
    assert.equal(await take('b'), 2);
  });

  test(`${engine.name}: leases that are not renewed expire, and those of live workers and of other kinds do not`, async (t) => {
    const { take, time, keep, held } = await setUp(t);
    const worker = (each: string) => keep(each, { name: each, watchedPattern: 'worker/%' });
    const living = await worker('worker/living');
    await take('worker/dead', 'worker/dead');
    await take('a');
    const looking = await worker('worker/looking');
    const both = () => Promise.all([living.idle(), looking.idle()]);
    await time.advance(leaseMs - 1, both);
    assert.equal((await held()).length, 4);
    await time.advance(leaseMs / 4, both);
    assert.deepEqual(await held(), ['sequencer', 'worker/living', 'worker/looking']);
  });

  test(`${engine.name}: a holder that cannot renew its lease, or is suspended, expires no other lease`, async (t) => {
    const { claim, take, time, keep, held } = await setUp(t);
    let down = false;
    const lease = await keep('worker/a', {
      name: 'worker/a',
      watchedPattern: 'worker/%',
      onFault: () => undefined,
      claim: (statement) => (down ? Promise.reject(new Error('read only')) : claim(statement)),
    });
    await take('worker/b', 'worker/b');
    await time.advance((leaseMs / 4) * 3, lease.idle);
    down = true;
    await time.advance(10 * leaseMs, lease.idle);
    down = false;
    await time.advance(leaseMs, lease.idle);
    assert.deepEqual(await held(), ['worker/a', 'worker/b']);
    // The renewal comes late, after an observation that found no change.
    await take('worker/b', 'worker/b');
    await time.advance(leaseMs, lease.idle);
    assert.deepEqual(await held(), ['worker/a', 'worker/b']);
    await time.advance(leaseMs / 4, lease.idle);
    assert.deepEqual(await held(), ['worker/a']);
  });
}
