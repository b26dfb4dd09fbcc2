import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { parseId } from '../../src/kernel/id.ts';
import { applyLateReport } from '../../src/notifications/delivery/apply-late-report.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { openMessageOfCitizen } from '../../src/notifications/inbox/citizen-inbox.ts';
import { confirmReceipt } from '../../src/notifications/inbox/confirm-receipt.ts';
import type { ProviderOutcome } from '../../src/notifications/notification/channel.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { engines } from '../support/database-engines.ts';
import {
  createDeliveryApp,
  createScriptedChannel,
  minuteMs,
  type NotificationView,
  timelineLines,
} from '../support/delivery-app.ts';

// Two bundles of one notification must never contradict each other, so an older bundle stays true.

const day = 24 * 60 * minuteMs;

type Stated = { readonly id: string; readonly event: string };

async function open(t: TestContext, db: Database, ...answers: Array<ProviderOutcome>) {
  const { app, time, start, faults } = await createDeliveryApp(t, db);
  const worker = await start({ email: createScriptedChannel(...answers) });
  const run = async (ms: number) => {
    worker.wake();
    await time.advance(ms, worker.idle);
  };
  let before: readonly Stated[] = [];
  const parts = { ...app, read: db.read, clock: time.clock };
  return {
    app,
    run,
    faults,
    shown: async (id: string) => (await app.show(id)) as NotificationView,
    /** The events of a new bundle. Asserts that it contains all events of the previous bundle. */
    stated: async (id: string): Promise<string[]> => {
      const answer = await app.serve(readEvidence)({ params: { id } });
      assert.ok('json' in answer);
      const { claims } = verifyEvidence(JSON.stringify(answer.json));
      const now = claims['evidence'] as readonly Stated[];
      assert.equal(new Set(now.map((one) => one.id)).size, now.length, 'ids are unique');
      for (const earlier of before) {
        assert.deepEqual(
          now.find((one) => one.id === earlier.id),
          earlier,
        );
      }
      before = now;
      return now.map((one) => [one.event.split('/').at(-1), 'channel' in one ? one.channel : '-'].join(' '));
    },
    readIt: async (citizenId: string, text: string) => {
      const id = parseId('notification', text);
      assert.ok(id !== undefined);
      const opened = await openMessageOfCitizen(parts, citizenId, { id, now: time.clock.now() });
      assert.ok(opened !== undefined);
      await app.commit(opened.effect);
    },
    deliveryOf: async (id: string, channel: string) => {
      const [row] = await db.read('select id from delivery where notification_id = $1 and channel = $2', [id, channel]);
      const delivery = parseId('delivery', String(row?.['id']));
      assert.ok(delivery !== undefined);
      return delivery;
    },
    learn: async (word: Parameters<typeof applyLateReport>[1]) =>
      assert.equal(await applyLateReport(parts, word), true),
    confirm: async (delivery: Parameters<typeof confirmReceipt>[1]) =>
      assert.equal(await confirmReceipt(parts, delivery), true),
  };
}

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Database) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  check('evidence after the citizen reads a message contains all earlier evidence', async (t, db) => {
    const { app, run, stated, readIt, shown } = await open(t, db, { outcome: 'sent' });
    const id = await app.accept({ citizenId: 'cit-ada', legalEffect: 'after-5-working-days' });
    assert.deepEqual(await stated(id), ['SubmissionAcceptance -', 'ContentConsignment inbox']);
    await run(minuteMs);
    const sent = ['SubmissionAcceptance -', 'ContentConsignment inbox', 'RelayToNonERDS email'];
    assert.deepEqual(await stated(id), sent);
    await readIt('cit-ada', id);
    assert.deepEqual(await stated(id), [...sent, 'ContentAccessTracking -']);
    assert.deepEqual(timelineLines(await shown(id)), [
      'accepted',
      'inbox sent',
      'email sending 1',
      'email sent 1',
      'inbox delivered',
      'read',
    ]);
    const rows = await db.read('select subject_id from notification_history', []);
    assert.equal(rows.length, 0);
  });

  check('an inbox copy that was placed at sendAt stays in the evidence when it is opened', async (t, db) => {
    const { app, run, stated, readIt } = await open(t, db, { outcome: 'sent' });
    const sendAt = new Date(Date.UTC(2026, 0, 20)).toISOString();
    const id = await app.accept({ citizenId: 'cit-ada', sendAt });
    await run(7 * day);
    const before = await stated(id);
    assert.ok(before.includes('ContentConsignment inbox'));
    await readIt('cit-ada', id);
    assert.deepEqual(await stated(id), [...before, 'ContentAccessTracking -']);
  });

  check('an undeliverable notification that is read later keeps both states in the evidence', async (t, db) => {
    const { app, run, stated, readIt, shown } = await open(t, db);
    const id = await app.accept({ citizenId: 'cit-no-mail' });
    await run(minuteMs);
    const before = await stated(id);
    assert.deepEqual(before.slice(-2), ['RelayToNonERDSFailure email', 'ContentHandoverFailure -']);
    await readIt('cit-no-mail', id);
    assert.deepEqual(await stated(id), [...before, 'ContentAccessTracking -']);
    const after = await shown(id);
    assert.deepEqual(
      [after.status, after.reason, timelineLines(after).filter((line) => line === 'undeliverable').length],
      ['read', undefined, 1],
    );
  });

  check('the evidence of a mail has its bounce and its confirmation by the link', async (t, db) => {
    const { app, run, stated, deliveryOf, learn, confirm } = await open(t, db, { outcome: 'sent' });
    const id = await app.accept({ citizenId: 'cit-ada' });
    await run(minuteMs);
    const delivery = await deliveryOf(id, 'email');
    await stated(id);
    await learn({ delivery, ended: 'failed', reason: 'mailbox-full' });
    const bounced = await stated(id);
    assert.deepEqual(bounced.slice(-3), [
      'RelayToNonERDS email',
      'RelayToNonERDSFailure email',
      'ContentHandoverFailure -',
    ]);
    await run(minuteMs);
    await confirm(delivery);
    assert.deepEqual(await stated(id), [...bounced, 'RelayToNonERDS email', 'NotificationAccessTracking email']);
  });

  check(
    'the evidence of a mail has the failed last attempt and the delivery that its provider reported',
    async (t, db) => {
      const lost = [1, 2, 3, 4].map((): ProviderOutcome => ({ outcome: 'temporary', reason: 'provider-unreachable' }));
      const { app, run, stated, deliveryOf, learn } = await open(t, db, ...lost);
      const deliverBy = new Date(Date.UTC(2027, 0, 1)).toISOString();
      const id = await app.accept({ citizenId: 'cit-ada', deliverBy });
      await run(day);
      const failed = await stated(id);
      assert.ok(failed.includes('ContentHandoverFailure -'), failed.join());
      await learn({ delivery: await deliveryOf(id, 'email'), ended: 'delivered' });
      assert.deepEqual(await stated(id), [...failed, 'RelayToNonERDS email']);
    },
  );

  check('the source of a proof stays in the evidence when the citizen reads at the same instant', async (t, db) => {
    const { app, run, stated, deliveryOf, learn, readIt } = await open(t, db, { outcome: 'sent' });
    const id = await app.accept({ citizenId: 'cit-ada' });
    await run(minuteMs);
    await learn({ delivery: await deliveryOf(id, 'email'), ended: 'delivered' });
    await stated(id);
    await readIt('cit-ada', id);
    assert.equal((await stated(id)).at(-1), 'ContentAccessTracking -');
  });

  check('the failure of a delivery without an attempt stays in the evidence after a proof', async (t, db) => {
    const { app, run, stated, deliveryOf, learn } = await open(t, db);
    const id = await app.accept({ citizenId: 'cit-gone' });
    await run(minuteMs);
    const failed = await stated(id);
    await learn({ delivery: await deliveryOf(id, 'email'), ended: 'delivered' });
    assert.deepEqual(await stated(id), [...failed, 'RelayToNonERDS email']);
    const stored = await db.read('select status, reason from notification_history order by status', []);
    assert.deepEqual(stored, [
      { status: 'failed', reason: 'citizen-unknown' },
      { status: 'undeliverable', reason: null },
    ]);
  });
}
