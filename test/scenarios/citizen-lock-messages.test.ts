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
  test(`${engine.name}: the notice of a removed lock is sent by mail or text message, even if declined, and to the inbox`, async (t) => {
    const contactApp = await openContactApp(t, await engine.open(t), citizens);
    const { app } = contactApp;
    for (const citizenId of Object.keys(citizens)) {
      // An attacker with the citizen's sign-in would decline the channels first.
      await contactApp.state(citizenId, { declined: ['email', 'sms'] });
      const contact = await contactApp.contactOf(citizenId);
      const call = { now: contactApp.time.clock.now(), createId: app.createId, ports: app.ports };
      const notice = await notifyLockChange(call, { citizenId, contact, locked: false });
      await app.commit({ events: [notice.event], statements: notice.statements });
    }
    await contactApp.run();
    assert.match(contactApp.mails().join(), /^ida@example\.org: Ihre Angaben waren gesperrt\./);
    assert.match(contactApp.texts.join(), /^\+4740000001: Your details were locked\./);
    assert.deepEqual(
      [
        Object(await contactApp.inbox('cit-ida')).items.length,
        Object(await contactApp.inbox('cit-jon')).items.length,
        contactApp.faults,
      ],
      [1, 1, []],
    );
  });
}
