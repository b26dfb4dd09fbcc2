import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standardPolicyFor } from '../../src/notifications/cascade.ts';
import { absentChannels } from '../../src/notifications/channels/channel.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox.ts';
import { createDeliveryHouse, minute, type Shown, scripted } from '../delivery-house.ts';
import { engines } from '../engines.ts';
import { startReceipts } from '../receipt-callback.ts';

const day = 24 * 60 * minute;
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
}
