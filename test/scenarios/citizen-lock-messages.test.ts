import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notifyLockChange } from '../../src/notifications/system-messages/notify-lock-change.ts';
import { openContactApp } from '../support/contact-app.ts';
import { engines } from '../support/database-engines.ts';

const citizens = {
  'cit-ida': { name: 'Ida', language: 'de', email: 'ida@example.org', phone: '+4740000000' },
  'cit-jon': { name: 'Jon', phone: '+4740000001' },
};

for (const engine of engines) {
  test(`${engine.name}: that a lock was lifted is told by mail or text message, declined or not, and in the inbox`, async (t) => {
    const of = await openContactApp(t, await engine.open(t), citizens);
    const { app } = of;
    for (const citizenId of Object.keys(citizens)) {
      // Who has taken over a sign-in would begin with that.
      await of.state(citizenId, { declined: ['email', 'sms'] });
      const contact = await of.contactOf(citizenId);
      const call = { now: of.time.clock.now(), mint: app.mint, ports: app.ports };
      const told = await notifyLockChange(call, { citizenId, contact, locked: false });
      await app.commit({ events: [told.event], statements: told.statements });
    }
    await of.run();
    assert.match(of.mails().join(), /^ida@example\.org: Sie hatten Ihre Angaben gesperrt\./);
    assert.match(of.texts.join(), /^\+4740000001: You had locked your details\./);
    assert.deepEqual(
      [Object(await of.inbox('cit-ida')).items.length, Object(await of.inbox('cit-jon')).items.length, of.faults],
      [1, 1, []],
    );
  });
}
