import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../../test/support/database-engines.ts';
import { createDeliveryApp } from '../../../test/support/delivery-app.ts';
import { findDeliveries } from '../notification/delivery-store.ts';
import { findNotification } from '../notification/notification-store.ts';
import { systemClient } from '../notification/sending-service.ts';
import { notifyLimitReached } from './notify-limit-reached.ts';

const dayMs = 86_400_000;

for (const engine of engines) {
  test(`${engine.name}: the notice of a reached limit is sent by the whole cascade, at once or at its given instant`, async (t) => {
    const { app, time } = await createDeliveryApp(t, await engine.open(t));
    const now = time.clock.now();
    const call = { now, createId: app.createId, ports: app.ports };
    const notify = async (notBefore?: number) => {
      const contact = await app.contactOf('cit-ada');
      const { id, event, statements } = await notifyLimitReached(call, { citizenId: 'cit-ada', contact, notBefore });
      assert.deepEqual([event.type, event.actor], ['notification.accepted', { client: systemClient }]);
      await app.commit({ events: [event], statements });
      const found = await findNotification(app.db.read, id);
      const deliveries = await findDeliveries(app.db.read, id);
      return {
        category: found?.category,
        status: found?.status,
        sendAt: found?.sendAt,
        deliverBy: found?.deliverBy,
        deliveries: deliveries.map(({ channel, state }) => `${channel} ${state.status}`).toSorted(),
      };
    };
    assert.deepEqual(await notify(), {
      category: 'information',
      status: 'accepted',
      sendAt: null,
      deliverBy: now + 14 * dayMs,
      deliveries: ['email queued', 'inbox sent'],
    });
    // Access can be concealed for longer than the year that clients may schedule ahead.
    const later = now + 500 * dayMs;
    assert.deepEqual(await notify(later), {
      category: 'information',
      status: 'scheduled',
      sendAt: later,
      deliverBy: later + 14 * dayMs,
      deliveries: ['email queued', 'inbox queued'],
    });
  });
}
