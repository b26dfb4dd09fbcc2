import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { createDeliveryApp, createScriptedChannel, minuteMs } from '../../../test/support/delivery-app.ts';
import type { Statement } from '../../db/database.ts';
import { createStatementMerger } from '../../db/postgres/merge-statements.ts';
import { createIdGenerator } from '../../kernel/id.ts';
import { systemRandom } from '../../kernel/system-clock.ts';
import { defaultPolicyFor } from '../cascade/cascade.ts';
import { rescheduleDeliveries, rescheduledTimes } from './reschedule-deliveries.ts';

const [hour, day] = [60 * minuteMs, 24 * 60 * minuteMs];
const now = Date.UTC(2026, 10, 23);
const policy = { attempts: 4, firstDelayMs: minuteMs, longestDelayMs: hour };
const id = createIdGenerator({ now: () => now }, systemRandom)('delivery');

test('what was tried waits for its longest pause at most, whatever put it off', () => {
  const after = (attempts: number, ms: number) =>
    rescheduledTimes({ id, attempts, runAt: now + ms, since: undefined }, { now, aheadMs: day }, policy)?.runAt;
  assert.deepEqual([after(1, minuteMs), after(2, 2 * minuteMs), after(9, hour)], [undefined, undefined, undefined]);
  assert.deepEqual(
    [after(1, 365 * day), after(2, day), after(9, hour + 1)],
    [now + minuteMs, now + 2 * minuteMs, now + hour],
  );
});

test('a step keeps its distance to when its wait began, which was not in the future', () => {
  const step = (since: number | undefined, aheadMs: number) =>
    rescheduledTimes({ id, attempts: 0, runAt: (since ?? now) + 3 * day, since }, { now, aheadMs }, policy);
  assert.equal(step(undefined, day), undefined, 'its sender stated when it begins');
  assert.equal(step(now, day), undefined, 'it was planned by a clock that was right');
  assert.deepEqual(step(now + 9 * hour, 10 * hour), { runAt: now - hour + 3 * day, since: now - hour });
  assert.deepEqual(step(now + 9 * hour, hour), { runAt: now + 3 * day, since: now });
});

for (const engine of engines) {
  test(`${engine.name}: bringing back twice, by two at once, or behind one that was brought forward is bringing back once`, async (t) => {
    const db = await engine.open(t);
    const { time, app, start } = await createDeliveryApp(t, db, { cascade: defaultPolicyFor(new Set(['sms'])) });
    const worker = await start({ email: createScriptedChannel() });
    await Promise.all(Array.from({ length: 450 }, () => app.accept({ citizenId: 'cit-ada' })));
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
    await rescheduleDeliveries({ read: db.read, write: async (unit) => units.push(unit), policy }, right);
    // PostgreSQL is told of those of a batch in one statement.
    assert.equal(createStatementMerger()(units.slice(0, 64)).statements.length, 1);
    const parts = { read: db.read, write: db.write, policy };
    await Promise.all([rescheduleDeliveries(parts, right), rescheduleDeliveries(parts, right)]);
    await rescheduleDeliveries(parts, { now: right.now + minuteMs, aheadMs: 0 });
    assert.deepEqual(await later(), [`email ${-397 * day}`, `sms ${-395 * day}`]);
    assert.deepEqual(await db.read("select id from delivery where status = 'queued' and waits_since is null"), []);
  });
}
