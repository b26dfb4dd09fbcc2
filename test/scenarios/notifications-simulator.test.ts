import assert from 'node:assert/strict';
import { test } from 'node:test';
import { absentChannels } from '../../src/notifications/channels/channel.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox.ts';
import { type CascadePolicy, inboxAndEmail } from '../../src/notifications/delivery/cascade.ts';
import { simulating, simulatorIds, withSimulators } from '../../src/notifications/simulator.ts';
import { createDeliveryHouse, linesOf, minute, type Shown, untilLater } from '../delivery-house.ts';
import { engines } from '../engines.ts';

// Their addresses count as verified.
const cascade: CascadePolicy = { ...inboxAndEmail, verifiedOnly: ['email'] };

for (const engine of engines) {
  test(`${engine.name}: each simulator citizen comes to the end of its name, through the same code`, async (t) => {
    const db = await engine.open(t);
    const { house, time, sink, start, smtp, faults } = await createDeliveryHouse(t, db, {
      citizens: Object.fromEntries(
        await Promise.all(
          simulatorIds.map(async (id) => [id, (await withSimulators(async () => undefined)(id)) ?? {}]),
        ),
      ),
      cascade,
    });
    const worker = await start({
      cascade,
      channels: { ...absentChannels, inbox: inboxChannel, email: simulating(smtp, time.timer) },
    });
    const ids = await Promise.all(simulatorIds.map((citizenId) => house.accept({ citizenId })));
    worker.wake();
    const open = () => db.read("select id from delivery where status in ('queued', 'sending')");
    await untilLater({ time, db, stepMs: minute / 2 }, async () => (await open()).length === 0);
    const shown = (await Promise.all(ids.map((id) => house.show(id)))) as Shown[];
    assert.deepEqual(
      shown.map((one, index) => [simulatorIds[index], one.status, one.reason?.code ?? linesOf(one).at(-1)]),
      [
        ['sim-delivered', 'delivered', 'email delivered 1'],
        ['sim-temp-fail', 'delivered', 'email delivered 3'],
        ['sim-perm-fail', 'undeliverable', 'address-refused'],
        ['sim-no-contact', 'undeliverable', 'no-contact'],
        ['sim-unread', 'sending', 'email sent 1'],
        ['sim-slow', 'delivered', 'email delivered 1'],
        ['sim-deceased', 'undeliverable', 'citizen-deceased'],
      ],
    );
    const told = await db.read('select id from feed_event');
    assert.equal(told.length, 10, 'each outcome is told');
    assert.deepEqual([sink.mails.length, faults], [0, []]);
  });
}
