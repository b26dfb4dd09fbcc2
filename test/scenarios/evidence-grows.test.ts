import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parseId } from '../../src/kernel/id.ts';
import { learnLate } from '../../src/notifications/callbacks/learn-late.ts';
import type { Outcome } from '../../src/notifications/channels/channel.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { readEvidence } from '../../src/notifications/evidence/read-evidence.ts';
import { openMessage } from '../../src/notifications/inbox/citizen-inbox.ts';
import { confirmReceipt } from '../../src/notifications/inbox/confirm-receipt.ts';
import type { Db } from '../../src/store/db.ts';
import { createDeliveryHouse, linesOf, minute, type Shown, scripted } from '../delivery-house.ts';
import { engines } from '../engines.ts';

// Two bundles of one notification must never contradict each other: what a sender has in hand stays true.

const day = 24 * 60 * minute;

type Stated = { readonly id: string; readonly event: string };

async function open(t: TestContext, db: Db, ...answers: Array<Outcome>) {
  const { house, time, start, faults } = await createDeliveryHouse(t, db);
  const worker = await start({ email: scripted(...answers) });
  const run = async (ms: number) => {
    worker.wake();
    await time.advance(ms, worker.idle);
  };
  let before: readonly Stated[] = [];
  const parts = { ...house, read: db.read, clock: time.clock };
  return {
    ...{ house, run, faults },
    shown: async (id: string) => (await house.show(id)) as Shown,
    /** The events of a bundle of now, which has all events of the bundle before it. */
    stated: async (id: string): Promise<string[]> => {
      const answer = await house.serve(readEvidence)({ params: { id } });
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
      const opened = await openMessage(parts, citizenId, { id, now: time.clock.now() });
      assert.ok(opened !== undefined);
      await house.commit(opened.effect);
    },
    deliveryOf: async (id: string, channel: string) => {
      const [row] = await db.read('select id from delivery where notification_id = $1 and channel = $2', [id, channel]);
      const delivery = parseId('delivery', String(row?.['id']));
      assert.ok(delivery !== undefined);
      return delivery;
    },
    learn: async (word: Parameters<typeof learnLate>[1]) => assert.equal(await learnLate(parts, word), true),
    confirm: async (delivery: Parameters<typeof confirmReceipt>[1]) =>
      assert.equal(await confirmReceipt(parts, delivery), true),
  };
}

for (const engine of engines) {
  const check = (claim: string, body: (t: TestContext, db: Db) => Promise<void>) =>
    test(`${engine.name}: ${claim}`, async (t) => body(t, await engine.open(t)));

  check('the evidence from before the citizen reads is all in the evidence after', async (t, db) => {
    const { house, run, stated, readIt, shown } = await open(t, db, { outcome: 'sent' });
    const id = await house.accept({ citizenId: 'cit-ada', legalEffect: 'after-5-working-days' });
    assert.deepEqual(await stated(id), ['SubmissionAcceptance -', 'ContentConsignment inbox']);
    await run(minute);
    const sent = ['SubmissionAcceptance -', 'ContentConsignment inbox', 'RelayToNonERDS email'];
    assert.deepEqual(await stated(id), sent);
    await readIt('cit-ada', id);
    assert.deepEqual(await stated(id), [...sent, 'ContentAccessTracking -']);
    assert.deepEqual(linesOf(await shown(id)), [
      ...['accepted', 'inbox sent', 'email sending 1', 'email sent 1', 'inbox delivered', 'read'],
    ]);
    const rows = await db.read('select subject_id from notification_history', []);
    assert.equal(rows.length, 0);
  });

  check('a copy that was placed at sendAt stays in the evidence once it is opened', async (t, db) => {
    const { house, run, stated, readIt } = await open(t, db, { outcome: 'sent' });
    const sendAt = new Date(Date.UTC(2026, 0, 20)).toISOString();
    const id = await house.accept({ citizenId: 'cit-ada', sendAt });
    await run(7 * day);
    const before = await stated(id);
    assert.ok(before.includes('ContentConsignment inbox'));
    await readIt('cit-ada', id);
    assert.deepEqual(await stated(id), [...before, 'ContentAccessTracking -']);
  });

  check('that a notification was undeliverable stays in the evidence once it is read', async (t, db) => {
    const { house, run, stated, readIt, shown } = await open(t, db);
    const id = await house.accept({ citizenId: 'cit-no-mail' });
    await run(minute);
    const before = await stated(id);
    assert.deepEqual(before.slice(-2), ['RelayToNonERDSFailure email', 'ContentHandoverFailure -']);
    await readIt('cit-no-mail', id);
    assert.deepEqual(await stated(id), [...before, 'ContentAccessTracking -']);
    const after = await shown(id);
    assert.deepEqual(
      [after.status, after.reason, linesOf(after).filter((line) => line === 'undeliverable').length],
      ['read', undefined, 1],
    );
  });

  check('a mail that bounced, and was proved by its link after all, leaves both in the evidence', async (t, db) => {
    const { house, run, stated, deliveryOf, learn, confirm } = await open(t, db, { outcome: 'sent' });
    const id = await house.accept({ citizenId: 'cit-ada' });
    await run(minute);
    const delivery = await deliveryOf(id, 'email');
    await stated(id);
    await learn({ delivery, ended: 'failed', reason: 'mailbox-full' });
    const bounced = await stated(id);
    assert.deepEqual(bounced.slice(-3), [
      ...['RelayToNonERDS email', 'RelayToNonERDSFailure email', 'ContentHandoverFailure -'],
    ]);
    await run(minute);
    await confirm(delivery);
    assert.deepEqual(await stated(id), [...bounced, 'RelayToNonERDS email', 'ContentAccessTracking -']);
  });

  check('a mail whose last try failed, and that its provider proved, leaves both in the evidence', async (t, db) => {
    const lost = [1, 2, 3, 4].map((): Outcome => ({ outcome: 'temporary', reason: 'provider-unreachable' }));
    const { house, run, stated, deliveryOf, learn } = await open(t, db, ...lost);
    const deliverBy = new Date(Date.UTC(2027, 0, 1)).toISOString();
    const id = await house.accept({ citizenId: 'cit-ada', deliverBy });
    await run(day);
    const failed = await stated(id);
    assert.ok(failed.includes('ContentHandoverFailure -'), failed.join());
    await learn({ delivery: await deliveryOf(id, 'email'), ended: 'delivered' });
    assert.deepEqual(await stated(id), [...failed, 'RelayToNonERDS email']);
  });

  check('whose proof it was stays, also when the citizen reads at the same instant', async (t, db) => {
    const { house, run, stated, deliveryOf, learn, readIt } = await open(t, db, { outcome: 'sent' });
    const id = await house.accept({ citizenId: 'cit-ada' });
    await run(minute);
    await learn({ delivery: await deliveryOf(id, 'email'), ended: 'delivered' });
    await stated(id);
    await readIt('cit-ada', id);
    assert.equal((await stated(id)).at(-1), 'ContentAccessTracking -');
  });

  check('the failure of a delivery that never reached its provider stays once it is proved', async (t, db) => {
    const { house, run, stated, deliveryOf, learn } = await open(t, db);
    const id = await house.accept({ citizenId: 'cit-gone' });
    await run(minute);
    const failed = await stated(id);
    await learn({ delivery: await deliveryOf(id, 'email'), ended: 'delivered' });
    assert.deepEqual(await stated(id), [...failed, 'RelayToNonERDS email']);
    const kept = await db.read('select status, reason from notification_history order by status', []);
    assert.deepEqual(kept, [
      { status: 'failed', reason: 'citizen-unknown' },
      { status: 'undeliverable', reason: null },
    ]);
  });
}
