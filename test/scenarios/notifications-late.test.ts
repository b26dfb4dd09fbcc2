import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseId } from '../../src/kernel/id.ts';
import { learnLate } from '../../src/notifications/callbacks/learn-late.ts';
import { absentChannels } from '../../src/notifications/channels/channel.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox.ts';
import { standardPolicyFor } from '../../src/notifications/delivery/cascade.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { readEvidence } from '../../src/notifications/evidence/read-evidence.ts';
import { confirmReceipt } from '../../src/notifications/inbox/confirm-receipt.ts';
import { openInboxMessage } from '../../src/notifications/inbox/open-inbox-message.ts';
import { createDeliveryHouse, linesOf, minute, type Shown, scripted } from '../delivery-house.ts';
import { engines } from '../engines.ts';
import { startReceipts } from '../receipt-callback.ts';

const day = 24 * 60 * minute;
const byMailAndLetter = [
  { channel: 'email', afterMs: 0 },
  { channel: 'letter', afterMs: day },
] as const;
const citizens = { 'cit-tel': { name: 'Tea', phone: '+4740000000', postalLines: ['Road', 'Oslo'] } };

for (const engine of engines) {
  test(`${engine.name}: a receipt proves or fails a message late, once, and a late failure goes on to the letter`, async (t) => {
    const db = await engine.open(t);
    const cascade = standardPolicyFor(new Set(['sms', 'letter']));
    const { house, time, start, faults } = await createDeliveryHouse(t, db, { citizens, cascade });
    const sms = { ...scripted({ outcome: 'sent' }, { outcome: 'sent' }), name: 'sms' as const, addressOf: () => 'x' };
    const letter = { ...scripted({ outcome: 'sent' }), name: 'letter' as const, addressOf: () => 'x' };
    const worker = await start({ channels: { ...absentChannels, inbox: inboxChannel, sms, letter } });
    const onFault = (fault: unknown) => faults.push(fault);
    const receipt = await startReceipts(t, { ...house, read: db.read, clock: time.clock, onFault });
    const ids = [
      await house.accept({ citizenId: 'cit-tel' }),
      await house.accept({ citizenId: 'cit-tel', channels: ['sms', 'letter'] }),
    ];
    worker.wake();
    await time.advance(day, worker.idle);
    assert.equal(sms.calls.length, 2);
    const statusOf = async (index: number) => ((await house.show(ids[index] ?? '')) as Shown).status;
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
    const shown = (await house.show(ids[1] ?? '')) as Shown;
    assert.deepEqual(
      shown.deliveries.map(({ channel, status }) => `${channel} ${status}`),
      ['inbox sent', 'sms failed', 'letter sent'],
    );
    const late = (await house.events()).filter((type) => type === 'notification.delivery-ended').length;
    assert.equal(await receipt(attemptOf(1), 'rejected'), 200);
    assert.equal((await house.events()).filter((type) => type === 'notification.delivery-ended').length, late);
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: a mail that comes back behind its delivery is told, once, and goes on to the letter`, async (t) => {
    const db = await engine.open(t);
    const cascade = { ...standardPolicyFor(new Set(['letter'])), steps: byMailAndLetter };
    const { house, time, start, faults } = await createDeliveryHouse(t, db, { cascade });
    const taken = () => scripted({ outcome: 'sent' }, { outcome: 'sent' });
    const [email, letter] = [taken(), { ...taken(), name: 'letter' as const }];
    const worker = await start({ channels: { ...absentChannels, inbox: inboxChannel, email, letter } });
    const sent = async () => {
      const id = await house.accept({ citizenId: 'cit-ada' });
      worker.wake();
      await time.advance(minute, worker.idle);
      return { id, delivery: parseId('delivery', email.calls.at(-1)?.split('.')[0] ?? '') ?? assert.fail() };
    };
    const says = async ({ id, delivery }: Awaited<ReturnType<typeof sent>>, ended: 'delivered' | 'failed') => {
      const word = ended === 'failed' ? { ended, reason: 'mailbox-full' as const } : { ended };
      const isNew = await learnLate({ ...house, read: db.read, clock: time.clock }, { delivery, attempt: 1, ...word });
      worker.wake();
      await time.advance(minute, worker.idle);
      const { status, deliveries } = (await house.show(id)) as Shown;
      return [isNew, status, ...deliveries.map((one) => `${one['channel']} ${one['status']}`)];
    };
    const bounced = await sent();
    assert.deepEqual(await says(bounced, 'delivered'), [
      ...[true, 'delivered'],
      ...['inbox sent', 'email delivered', 'letter queued'],
    ]);
    const back = ['delivered', 'inbox sent', 'email failed', 'letter sent'];
    assert.deepEqual(await says(bounced, 'failed'), [true, ...back]);
    const told = await db.read("select data from feed_event where data like '%mailbox-full%'");
    assert.equal(told.length, 1);
    // Providers repeat what they said.
    for (const word of ['delivered', 'failed', 'delivered'] as const)
      assert.deepEqual(await says(bounced, word), [false, ...back]);
    const answer = await house.serve(readEvidence)({ params: { id: bounced.id } });
    assert.ok('json' in answer);
    const { evidence } = verifyEvidence(JSON.stringify(answer.json)).claims as { evidence: { id: string }[] };
    assert.deepEqual(
      evidence.map(({ id }) => id).filter((id) => id.startsWith(bounced.delivery)),
      ['sent', 'delivered', 'failed'].map((event) => `${bounced.delivery}.${event}`),
    );

    const read = await sent();
    await says(read, 'delivered');
    const spam = { delivery: read.delivery, ended: 'failed', reason: 'message-refused' } as const;
    assert.equal(await learnLate({ ...house, read: db.read, clock: time.clock }, spam), false);
    await house.serve(openInboxMessage)({ params: { id: read.id } }, { citizenId: 'cit-ada' });
    assert.deepEqual(await says(read, 'failed'), [
      ...[false, 'read'],
      ...['inbox delivered', 'email delivered', 'letter skipped'],
    ]);
    assert.deepEqual(faults, []);
  });

  test(`${engine.name}: whoever presses the button in a mail that failed, was delivered and came back has it`, async (t) => {
    const db = await engine.open(t);
    const { house, time, start, faults } = await createDeliveryHouse(t, db);
    const email = scripted({ outcome: 'sent' });
    const worker = await start({ channels: { ...absentChannels, inbox: inboxChannel, email } });
    const id = await house.accept({ citizenId: 'cit-ada' });
    worker.wake();
    await worker.idle();
    const delivery = parseId('delivery', email.calls[0]?.split('.')[0] ?? '') ?? assert.fail();
    const parts = { ...house, read: db.read, clock: time.clock };
    for (const word of [
      { ended: 'failed', reason: 'mailbox-full' },
      { ended: 'delivered' },
      { ended: 'failed', reason: 'address-refused' },
    ] as const) {
      await time.advance(minute, worker.idle);
      assert.equal(await learnLate(parts, { delivery, attempt: 1, ...word }), true);
    }
    const shown = async () => {
      const answer = await house.serve(readEvidence)({ params: { id } });
      assert.ok('json' in answer);
      const { evidence } = verifyEvidence(JSON.stringify(answer.json)).claims as { evidence: { id: string }[] };
      const lines = linesOf((await house.show(id)) as Shown).filter((line) => line.startsWith('email'));
      return { lines, evidence: evidence.map((one) => one.id).filter((one) => one.startsWith(delivery)) };
    };
    const before = await shown();
    assert.deepEqual(before, {
      lines: [...sentOnce, 'email failed mailbox-full', 'email delivered', 'email failed address-refused'],
      evidence: ['sent', 'failed', 'delivered', 'failed-again'].map((event) => `${delivery}.${event}`),
    });
    await time.advance(minute, worker.idle);
    assert.equal(await confirmReceipt(parts, delivery), true);
    assert.deepEqual(await shown(), before);
    assert.equal(((await house.show(id)) as Shown).status, 'read');
    assert.deepEqual(faults, []);
  });
}

const sentOnce = ['email sending 1', 'email sent 1'];
