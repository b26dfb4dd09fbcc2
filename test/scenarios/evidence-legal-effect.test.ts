import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, createScriptedChannel, minuteMs } from '../support/delivery-app.ts';

const day = 24 * 60 * minuteMs;

for (const engine of engines) {
  test(`${engine.name}: a legal effect in earlier evidence stays when the calendar changes`, async (t) => {
    const { app, time, start } = await createDeliveryApp(t, await engine.open(t));
    const worker = await start({ email: createScriptedChannel() });
    const effectOf = async (id: string) => {
      const answer = await app.serve(readEvidence)({ params: { id } });
      assert.ok('json' in answer);
      return verifyEvidence(JSON.stringify(answer.json)).claims['legalEffect'];
    };
    const setHolidays = (...holidays: string[]) =>
      Object.assign(app.ports, { calendar: { holidays: new Set(holidays) } });
    const dayIn = (days: number) => new Date(time.clock.now() + days * day).toISOString().slice(0, 10);
    const week = [1, 2, 3, 4, 5, 6, 7].map(dayIn);

    const [read, unread] = [
      await app.accept({ citizenId: 'cit-ada', legalEffect: 'after-2-working-days' }),
      await app.accept({ citizenId: 'cit-ada', legalEffect: 'after-2-working-days' }),
    ];
    // A legal effect that is not reached is not stored, and follows the calendar.
    assert.deepEqual(await effectOf(read), { rule: 'after-2-working-days', basis: 'not yet' });
    await time.advance(6 * day, worker.idle);
    setHolidays(...week);
    assert.deepEqual(await effectOf(read), { rule: 'after-2-working-days', basis: 'not yet' });
    setHolidays();
    const first = await effectOf(read);
    assert.ok(typeof first === 'object' && first !== null && 'effectiveAt' in first);
    setHolidays(...week);
    assert.deepEqual(await effectOf(read), first);
    await time.advance(6 * day, worker.idle);
    assert.deepEqual(await effectOf(read), first);
    assert.notDeepEqual(await effectOf(unread), first);
  });
}
