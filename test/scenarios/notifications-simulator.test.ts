import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CascadePolicy, inboxAndEmailPolicy } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { simulateProvider, simulatorIds, withSimulatedContacts } from '../../src/notifications/delivery/simulator.ts';
import { unconfiguredChannels } from '../../src/notifications/notification/channel.ts';
import { engines } from '../support/database-engines.ts';
import {
  advanceUntil,
  createDeliveryApp,
  minuteMs,
  type NotificationView,
  timelineLines,
} from '../support/delivery-app.ts';

// Their addresses count as verified.
const cascade: CascadePolicy = { ...inboxAndEmailPolicy, verifiedOnly: ['email'] };

for (const engine of engines) {
  test(`${engine.name}: a message to each simulator citizen gets the outcome that its id names, through the production code`, async (t) => {
    const db = await engine.open(t);
    const { app, time, sink, start, smtp, faults } = await createDeliveryApp(t, db, {
      citizens: Object.fromEntries(
        await Promise.all(
          simulatorIds.map(async (id) => [id, (await withSimulatedContacts(async () => undefined)(id)) ?? {}]),
        ),
      ),
      cascade,
    });
    const worker = await start({
      cascade,
      channels: { ...unconfiguredChannels, inbox: inboxChannel, email: simulateProvider(smtp, time.timer) },
    });
    const ids = await Promise.all(simulatorIds.map((citizenId) => app.accept({ citizenId })));
    worker.wake();
    const open = () => db.read("select id from delivery where status in ('queued', 'sending')");
    await advanceUntil({ time, db, stepMs: minuteMs / 2 }, async () => (await open()).length === 0);
    const shown = (await Promise.all(ids.map((id) => app.show(id)))) as NotificationView[];
    assert.deepEqual(
      shown.map((one, index) => [simulatorIds[index], one.status, one.reason?.code ?? timelineLines(one).at(-1)]),
      [
        ['sim-delivered', 'delivered', 'email delivered 1'],
        ['sim-temp-fail', 'delivered', 'email delivered 3'],
        ['sim-perm-fail', 'undeliverable', 'address-refused'],
        ['sim-no-contact', 'undeliverable', 'no-contact'],
        ['sim-unread', 'sending', 'email sent 1'],
        ['sim-unknown', 'unknown', 'outcome-unknown'],
        ['sim-slow', 'delivered', 'email delivered 1'],
        ['sim-deceased', 'undeliverable', 'citizen-deceased'],
      ],
    );
    const events = await db.read('select id from feed_event');
    assert.equal(events.length, 11, 'each outcome has an event');
    assert.deepEqual([sink.mails.length, faults], [0, []]);
  });
}
