import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseId } from '../../src/kernel/id.ts';
import { defaultPolicyFor } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { applyLateReport } from '../../src/notifications/delivery/apply-late-report.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { confirmReceipt } from '../../src/notifications/inbox/confirm-receipt.ts';
import { unconfiguredChannels } from '../../src/notifications/notification/channel.ts';
import { openInboxMessage } from '../../src/notifications/open-inbox-message.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { engines } from '../support/database-engines.ts';
import {
  createDeliveryApp,
  createScriptedChannel,
  minuteMs,
  type NotificationView,
  startProviderWebhook,
  timelineLines,
} from '../support/delivery-app.ts';

const day = 24 * 60 * minuteMs;
const byMailAndLetter = [
  { channel: 'email', afterMs: 0 },
  { channel: 'letter', afterMs: day },
] as const;
const citizens = { 'cit-tel': { name: 'Tea', phone: '+4740000000', postalLines: ['Road', 'Oslo'] } };

for (const engine of engines) {
  test(`${engine.name}: a late delivery report completes a message once, and a late failure starts the letter`, async (t) => {
    const db = await engine.open(t);
    const cascade = defaultPolicyFor(new Set(['sms', 'letter']));
    const { app, time, start, faults } = await createDeliveryApp(t, db, { citizens, cascade });
    const sms = {
      ...createScriptedChannel({ outcome: 'sent' }, { outcome: 'sent' }),
      name: 'sms' as const,
      addressOf: () => 'x',
    };
    const letter = { ...createScriptedChannel({ outcome: 'sent' }), name: 'letter' as const, addressOf: () => 'x' };
    const worker = await start({ channels: { ...unconfiguredChannels, inbox: inboxChannel, sms, letter } });
    const onFault = (fault: unknown) => faults.push(fault);
    const receipt = await startProviderWebhook(t, { ...app, read: db.read, clock: time.clock, onFault });
    const ids = [
      await app.accept({ citizenId: 'cit-tel' }),
      await app.accept({ citizenId: 'cit-tel', channels: ['sms', 'letter'] }),
    ];
    worker.wake();
    await time.advance(day, worker.idle);
    assert.equal(sms.calls.length, 2);
    const statusOf = async (index: number) => ((await app.show(ids[index] ?? '')) as NotificationView).status;
    const byNotification = await db.read("select id, notification_id from delivery where channel = 'sms'");
    const attemptOf = (index: number) =>
      `${byNotification.find((row) => row['notification_id'] === ids[index])?.['id']}.1`;
    assert.equal(await receipt(attemptOf(0), 'delivered', 'guess'), 401);
    assert.equal(await statusOf(0), 'sending');
    assert.deepEqual([await receipt(attemptOf(0), 'delivered'), await receipt(attemptOf(0), 'delivered')], [200, 200]);
    assert.equal(await statusOf(0), 'delivered');
    assert.equal(await receipt(attemptOf(1), 'rejected'), 200);
    worker.wake();
    await worker.idle();
    const shown = (await app.show(ids[1] ?? '')) as NotificationView;
    assert.deepEqual(
      shown.deliveries.map(({ channel, status }) => `${channel} ${status}`),
      ['inbox sent', 'sms failed', 'letter sent'],
    );
    const late = (await app.events()).filter((type) => type === 'notification.delivery-ended').length;
    assert.equal(await receipt(attemptOf(1), 'rejected'), 200);
    assert.equal((await app.events()).filter((type) => type === 'notification.delivery-ended').length, late);
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: a mail that bounces after its delivery is reported once and starts the letter`, async (t) => {
    const db = await engine.open(t);
    const cascade = { ...defaultPolicyFor(new Set(['letter'])), steps: byMailAndLetter };
    const { app, time, start, faults } = await createDeliveryApp(t, db, { cascade });
    const accepting = () => createScriptedChannel({ outcome: 'sent' }, { outcome: 'sent' });
    const [email, letter] = [accepting(), { ...accepting(), name: 'letter' as const }];
    const worker = await start({ channels: { ...unconfiguredChannels, inbox: inboxChannel, email, letter } });
    const sent = async () => {
      const id = await app.accept({ citizenId: 'cit-ada' });
      worker.wake();
      await time.advance(minuteMs, worker.idle);
      return { id, delivery: parseId('delivery', email.calls.at(-1)?.split('.')[0] ?? '') ?? assert.fail() };
    };
    const report = async ({ id, delivery }: Awaited<ReturnType<typeof sent>>, ended: 'delivered' | 'failed') => {
      const outcome = ended === 'failed' ? { ended, reason: 'mailbox-full' as const } : { ended };
      const isNew = await applyLateReport(
        { ...app, read: db.read, clock: time.clock },
        { delivery, attempt: 1, ...outcome },
      );
      worker.wake();
      await time.advance(minuteMs, worker.idle);
      const { status, deliveries } = (await app.show(id)) as NotificationView;
      return [isNew, status, ...deliveries.map((one) => `${one['channel']} ${one['status']}`)];
    };
    const bounced = await sent();
    assert.deepEqual(await report(bounced, 'delivered'), [
      ...[true, 'delivered'],
      ...['inbox sent', 'email delivered', 'letter queued'],
    ]);
    const back = ['delivered', 'inbox sent', 'email failed', 'letter sent'];
    assert.deepEqual(await report(bounced, 'failed'), [true, ...back]);
    const reported = await db.read("select data from feed_event where data like '%mailbox-full%'");
    assert.equal(reported.length, 1);
    // Providers repeat their reports.
    for (const ended of ['delivered', 'failed', 'delivered'] as const)
      assert.deepEqual(await report(bounced, ended), [false, ...back]);
    const answer = await app.serve(readEvidence)({ params: { id: bounced.id } });
    assert.ok('json' in answer);
    const { evidence } = verifyEvidence(JSON.stringify(answer.json)).claims as { evidence: { id: string }[] };
    assert.deepEqual(
      evidence.map(({ id }) => id).filter((id) => id.startsWith(bounced.delivery)),
      ['sent', 'delivered', 'failed'].map((event) => `${bounced.delivery}.${event}`),
    );

    const read = await sent();
    await report(read, 'delivered');
    const spam = { delivery: read.delivery, ended: 'failed', reason: 'message-refused' } as const;
    assert.equal(await applyLateReport({ ...app, read: db.read, clock: time.clock }, spam), false);
    await app.serve(openInboxMessage)({ params: { id: read.id } }, { citizenId: 'cit-ada' });
    assert.deepEqual(await report(read, 'failed'), [
      ...[false, 'read'],
      ...['inbox delivered', 'email delivered', 'letter skipped'],
    ]);
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: a mail that failed, was delivered and bounced is delivered again when its receipt is confirmed`, async (t) => {
    const db = await engine.open(t);
    const { app, time, start, faults } = await createDeliveryApp(t, db);
    const email = createScriptedChannel({ outcome: 'sent' });
    const worker = await start({ channels: { ...unconfiguredChannels, inbox: inboxChannel, email } });
    const id = await app.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    const delivery = parseId('delivery', email.calls[0]?.split('.')[0] ?? '') ?? assert.fail();
    const parts = { ...app, read: db.read, clock: time.clock };
    for (const outcome of [
      { ended: 'failed', reason: 'mailbox-full' },
      { ended: 'delivered' },
      { ended: 'failed', reason: 'address-refused' },
    ] as const) {
      await time.advance(minuteMs, worker.idle);
      assert.equal(await applyLateReport(parts, { delivery, attempt: 1, ...outcome }), true);
    }
    const shown = async () => {
      const answer = await app.serve(readEvidence)({ params: { id } });
      assert.ok('json' in answer);
      const { evidence } = verifyEvidence(JSON.stringify(answer.json)).claims as { evidence: { id: string }[] };
      const lines = timelineLines((await app.show(id)) as NotificationView).filter((line) => line.startsWith('email'));
      return { lines, evidence: evidence.map((one) => one.id).filter((one) => one.startsWith(delivery)) };
    };
    const before = await shown();
    assert.deepEqual(before, {
      lines: [...sentOnce, 'email failed mailbox-full', 'email delivered', 'email failed address-refused'],
      evidence: ['sent', 'failed', 'delivered', 'failed-again'].map((event) => `${delivery}.${event}`),
    });
    await time.advance(minuteMs, worker.idle);
    assert.equal(await confirmReceipt(parts, delivery), true);
    assert.deepEqual(await shown(), {
      lines: [...before.lines, 'email confirmed'],
      evidence: [...before.evidence, `${delivery}.confirmed`],
    });
    assert.equal(((await app.show(id)) as NotificationView).status, 'delivered');
    // A bounce after the confirmation changes nothing.
    const bounce = { delivery, attempt: 1, ended: 'failed', reason: 'address-refused' } as const;
    assert.equal(await applyLateReport(parts, bounce), false);
    assert.deepEqual(faults, []);
  });
}

const sentOnce = ['email sending 1', 'email sent 1'];
