import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { seededRandom } from '../../test/support/test-data.ts';
import type { Statement } from '../db/database.ts';
import type { Quota } from './caller.ts';
import type { QuotaResult } from './quota.ts';
import { createSharedQuotaLimiter } from './shared-quota.ts';

const noJitter = () => Uint8Array.of(0);
const succeeded = (all: readonly QuotaResult[]) => all.filter(({ refusal }) => refusal === undefined).length;

for (const engine of engines) {
  test(`[R61] ${engine.name}: exactly the burst of a quota succeeds over three processes, concurrently or one by one`, async (t) => {
    const db = await engine.open(t);
    const clock = { at: 1_800_000_000_000, now: () => clock.at };
    const processes = [1, 2, 3].map(() => createSharedQuotaLimiter(clock, noJitter, db));
    const draw = seededRandom(20261120);
    const quotas: readonly Quota[] = [
      { perSecond: 1, burst: 7 },
      { perSecond: 10, burst: 100 },
      { perSecond: 1_000, burst: 400 },
    ];
    for (const [index, quota] of quotas.entries()) {
      const caller = { clientId: `client-${index}`, quota };
      const take = () => processes[Math.floor(draw() * 3)]?.take(caller, 'documents:read');
      const results: QuotaResult[] = [];
      for (let round = 0; round < 3 * quota.burst; ) {
        const together = 1 + Math.floor(draw() * 9);
        const taken = await Promise.all(Array.from({ length: together }, take));
        results.push(...taken.filter((one) => one !== undefined));
        round += together;
      }
      assert.equal(succeeded(results), quota.burst, JSON.stringify(quota));
      // The refill of two seconds is granted, and no more.
      clock.at += 2_000;
      const later = await Promise.all(Array.from({ length: 3 * quota.burst }, take));
      const flowed = Math.min(quota.burst, 2 * quota.perSecond);
      assert.equal(succeeded(later.filter((one) => one !== undefined)), flowed, JSON.stringify(quota));
    }
  });

  test(`${engine.name}: a charge in one process takes requests from all processes until the quota refills`, async (t) => {
    const db = await engine.open(t);
    const clock = { at: 1_800_000_000_000, now: () => clock.at };
    const [one, other] = [createSharedQuotaLimiter(clock, noJitter, db), createSharedQuotaLimiter(clock, noJitter, db)];
    const caller = { clientId: 'a', quota: { perSecond: 10, burst: 20 } };
    const takeAll = async () => {
      let taken = 0;
      while (succeeded([await one.take(caller, 's')]) === 1) taken += 1;
      while (succeeded([await other.take(caller, 's')]) === 1) taken += 1;
      return taken;
    };
    assert.equal(succeeded([await one.take(caller, 's')]), 1);
    one.charge(caller, 's', 9);
    // The reservation of the charge is stored before that of the next request of this process.
    assert.equal(succeeded([await one.take(caller, 's')]), 1);
    assert.equal(await takeAll(), 20 - 11);
    one.charge(caller, 's', 15);
    assert.equal(await takeAll(), 0);
    clock.at += 1_000;
    assert.equal(await takeAll(), 0);
    clock.at += 1_000;
    assert.equal(await takeAll(), 5);
  });

  test(`[R61] ${engine.name}: exactly the reported remaining requests succeed, also in another process`, async (t) => {
    const db = await engine.open(t);
    const clock = { at: 1_800_000_000_000, now: () => clock.at };
    const [one, other] = [createSharedQuotaLimiter(clock, noJitter, db), createSharedQuotaLimiter(clock, noJitter, db)];
    const caller = { clientId: 'a', quota: { perSecond: 5, burst: 10 } };
    await one.take(caller, 's');
    const reported = await other.take(caller, 's');
    assert.deepEqual(reported, {
      headers: {
        'ratelimit-policy': '"s";q=10;w=2',
        ratelimit: '"s";r=8;t=1',
        'x-ratelimit-limit': '10',
        'x-ratelimit-remaining': '8',
        'x-ratelimit-reset': '1',
      },
    });
    for (let left = 8; left > 0; left -= 1) assert.equal((await one.take(caller, 's')).refusal, undefined);
    const refused = await other.take(caller, 's');
    assert.equal(refused.refusal?.slug, 'quota-exceeded');
    assert.equal(refused.headers['x-ratelimit-remaining'], '0');
    clock.at += Number(refused.headers['x-ratelimit-reset']) * 1_000;
    assert.equal((await other.take(caller, 's')).refusal, undefined);
  });

  for (const [span, offsetMs] of [
    ['hours', 3_600_000],
    ['years', 365 * 86_400_000],
  ] as const) {
    test(`${engine.name}: processes whose clocks are ${span} apart share one quota`, async (t) => {
      const db = await engine.open(t);
      const time = { at: 1_800_000_000_000 };
      const processes = [0, -offsetMs, 2 * offsetMs, -120_000].map((apart) =>
        createSharedQuotaLimiter({ now: () => time.at + apart }, noJitter, db),
      );
      const caller = { clientId: 'a', quota: { perSecond: 10, burst: 5 } };
      const takeFromEach = async (from = processes) => {
        let taken = 0;
        for (const process of [...from, ...from]) {
          for (let sent = 0; sent < 5; sent += 1) {
            if ((await process.take(caller, 's')).refusal === undefined) taken += 1;
          }
        }
        return taken;
      };
      // The first reservation of the process that is furthest ahead may add a refill.
      assert.ok((await takeFromEach()) <= 10);
      const seen = [];
      for (const pauseMs of [200, 0, 300, 0, 10_000]) {
        time.at += pauseMs;
        seen.push(await takeFromEach());
      }
      assert.deepEqual(seen, [2, 0, 3, 0, 5]);
      // Slow clocks get the refill without a reservation by another process.
      time.at += 300;
      assert.equal(await takeFromEach(processes.slice(0, 2)), 3);
    });
  }

  test(`${engine.name}: a reservation that returns late adds no refill for its delay`, async (t) => {
    const db = await engine.open(t);
    const clock = { at: 1_800_000_000_000, now: () => clock.at };
    const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const write: typeof db.write = async (unit) => {
      started.resolve();
      await released.promise;
      return await db.write(unit);
    };
    const [slow, quick] = [
      createSharedQuotaLimiter(clock, noJitter, { write }),
      createSharedQuotaLimiter(clock, noJitter, db),
    ];
    const caller = { clientId: 'a', quota: { perSecond: 1, burst: 5 } };
    const waiting = slow.take(caller, 's');
    await started.promise;
    clock.at += 3_000;
    const taken = [await quick.take(caller, 's')];
    released.resolve();
    taken.push(await waiting);
    for (let more = 0; more < 10; more += 1) taken.push(await slow.take(caller, 's'), await quick.take(caller, 's'));
    assert.equal(succeeded(taken), 5);
    clock.at += 2_000;
    for (let more = 0; more < 10; more += 1) taken.push(await slow.take(caller, 's'), await quick.take(caller, 's'));
    assert.equal(succeeded(taken), 7);
  });

  test(`${engine.name}: an unused reservation does not add to a full burst, and a new quota takes effect at once`, async (t) => {
    const db = await engine.open(t);
    const clock = { at: 1_800_000_000_000, now: () => clock.at };
    const [one, other] = [createSharedQuotaLimiter(clock, noJitter, db), createSharedQuotaLimiter(clock, noJitter, db)];
    const takeAll = async (quota: Quota) => {
      const taken: QuotaResult[] = [];
      for (const process of [one, other, one, other])
        taken.push(
          ...(await Promise.all(Array.from({ length: 300 }, () => process.take({ clientId: 'a', quota }, 's')))),
        );
      return succeeded(taken);
    };
    const quota = { perSecond: 1_000, burst: 400 };
    for (let sent = 0; sent < 40; sent += 1) await one.take({ clientId: 'a', quota }, 's');
    clock.at += 10_000;
    assert.equal(await takeAll(quota), quota.burst);
    clock.at += 1_000;
    assert.equal(await takeAll({ perSecond: 100, burst: 200 }), 100);
  });
}

test('a busy client causes at most ninety reservations a second, also at ten times its quota', async () => {
  const clock = { at: 1_800_000_000_000, now: () => clock.at };
  let reservations = 0;
  const bucket = { units: 2_000_000, at: clock.at };
  // The arithmetic of the statements, with a count of the write units.
  const write = async (unit: readonly Statement[]) => {
    reservations += 1;
    const [, refill, grant] = unit;
    const [, , now, back, perSecond, full] = (refill?.args ?? []).map(Number);
    const [, , waiting, ahead] = (grant?.args ?? []).map(Number);
    const flowed = bucket.units + (back ?? 0) + Math.max(0, (now ?? 0) - bucket.at) * (perSecond ?? 0);
    const available = Math.floor(Math.min(full ?? 0, flowed) / 1_000);
    const granted = Math.min(available, Math.max(waiting ?? 0, ahead ?? 0));
    bucket.units = Math.min(full ?? 0, flowed) - granted * 1_000;
    bucket.at = now ?? 0;
    return unit.map((_, index) => (index === 3 ? [{ granted, units: bucket.units, at: bucket.at }] : []));
  };
  const quotas = createSharedQuotaLimiter(clock, noJitter, { write });
  const caller = { clientId: 'a', quota: { perSecond: 1_000, burst: 2_000 } };
  const count = async (perMs: number, forMs: number) => {
    reservations = 0;
    let allowed = 0;
    for (let ms = 0; ms < forMs; ms += 1) {
      for (let sent = 0; sent < perMs; sent += 1) {
        if ((await quotas.take(caller, 's')).refusal === undefined) allowed += 1;
      }
      clock.at += 1;
    }
    return { allowed, reservations };
  };
  const every = async (pauseMs: number, times: number) => {
    reservations = 0;
    for (let sent = 0; sent < times; sent += 1) {
      await quotas.take(caller, 's');
      clock.at += pauseMs;
    }
    return reservations;
  };
  const within = await count(1, 5_000);
  assert.equal(within.allowed, 5_000);
  assert.ok(within.reservations <= 5 * 90, `${within.reservations} reservations in 5 s`);
  clock.at += 10_000;
  const rare = await every(100, 50);
  assert.ok(rare <= 3 * 5, `${rare} reservations for ten requests a second, in 5 s`);
  const over = await count(10, 5_000);
  assert.ok(over.allowed >= 6_800 && over.allowed <= 7_100, `${over.allowed} allowed in 5 s`);
  assert.ok(over.reservations <= 5 * 90, `${over.reservations} reservations in 5 s at ten times the quota`);
});
