import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeliveryHouse, minute, scripted } from '../../../test/delivery-house.ts';
import { engines } from '../../../test/engines.ts';
import { createMint } from '../../kernel/id.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import type { Statement } from '../../store/db.ts';
import { createJoins } from '../../store/postgres-joins.ts';
import { bringBackWaits, broughtBack } from './bring-back-waits.ts';
import { standardPolicyFor } from './cascade.ts';

const [hour, day] = [60 * minute, 24 * 60 * minute];
const now = Date.UTC(2026, 10, 23);
const policy = { attempts: 4, firstDelayMs: minute, longestDelayMs: hour };
const id = createMint({ now: () => now }, systemRandom)('delivery');

test('what was tried waits for its longest pause at most, whatever put it off', () => {
  const after = (attempts: number, ms: number) =>
    broughtBack({ id, attempts, runAt: now + ms, since: undefined }, { now, aheadMs: day }, policy)?.runAt;
  assert.deepEqual([after(1, minute), after(2, 2 * minute), after(9, hour)], [undefined, undefined, undefined]);
  assert.deepEqual(
    [after(1, 365 * day), after(2, day), after(9, hour + 1)],
    [now + minute, now + 2 * minute, now + hour],
  );
});

test('a step keeps its distance to when its wait began, which was not in the future', () => {
  const step = (since: number | undefined, aheadMs: number) =>
    broughtBack({ id, attempts: 0, runAt: (since ?? now) + 3 * day, since }, { now, aheadMs }, policy);
  assert.equal(step(undefined, day), undefined, 'its sender stated when it begins');
  assert.equal(step(now, day), undefined, 'it was planned by a clock that was right');
  assert.deepEqual(step(now + 9 * hour, 10 * hour), { runAt: now - hour + 3 * day, since: now - hour });
  assert.deepEqual(step(now + 9 * hour, hour), { runAt: now + 3 * day, since: now });
});

for (const engine of engines) {
  test(`${engine.name}: bringing back twice, by two at once, or behind one that was brought forward is bringing back once`, async (t) => {
    const db = await engine.open(t);
    const { time, house, start } = await createDeliveryHouse(t, db, { cascade: standardPolicyFor(new Set(['sms'])) });
    const worker = await start({ email: scripted() });
    await Promise.all(Array.from({ length: 450 }, () => house.accept({ citizenId: 'cit-ada' })));
    worker.wake();
    await worker.idle();
    const later = async () =>
      (await db.read("select distinct channel, run_at from delivery where status = 'queued' order by run_at")).map(
        (row) => `${row['channel']} ${Number(row['run_at']) - time.clock.now()}`,
      );
    const planned = await later();
    assert.deepEqual(planned, [`email ${3 * day}`, `sms ${5 * day}`]);
    const right = { now: time.clock.now() - 400 * day, aheadMs: 400 * day };
    const units: (readonly Statement[])[] = [];
    await bringBackWaits({ read: db.read, write: async (unit) => units.push(unit), policy }, right);
    // PostgreSQL is told of those of a batch in one statement.
    assert.equal(createJoins()(units.slice(0, 64)).statements.length, 1);
    const parts = { read: db.read, write: db.write, policy };
    await Promise.all([bringBackWaits(parts, right), bringBackWaits(parts, right)]);
    await bringBackWaits(parts, { now: right.now + minute, aheadMs: 0 });
    assert.deepEqual(await later(), [`email ${-397 * day}`, `sms ${-395 * day}`]);
    assert.deepEqual(await db.read("select id from delivery where status = 'queued' and waits_since is null"), []);
  });
}
