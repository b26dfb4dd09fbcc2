import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellOfLockChange } from '../../src/notifications/lock-changed.ts';
import { openContactHouse } from '../contact-house.ts';
import { engines } from '../engines.ts';

const citizens = {
  'cit-ida': { name: 'Ida', language: 'de', email: 'ida@example.org', phone: '+4740000000' },
  'cit-jon': { name: 'Jon', phone: '+4740000001' },
};

for (const engine of engines) {
  test(`${engine.name}: that a lock was lifted is told by mail or text message, declined or not, and in the inbox`, async (t) => {
    const of = await openContactHouse(t, await engine.open(t), citizens);
    const { house } = of;
    for (const citizenId of Object.keys(citizens)) {
      // Who has taken over a sign-in would begin with that.
      await of.state(citizenId, { declined: ['email', 'sms'] });
      const contact = await of.contactOf(citizenId);
      const call = { now: of.time.clock.now(), mint: house.mint, ports: house.ports };
      const told = await tellOfLockChange(call, { citizenId, contact, locked: false });
      await house.commit({ events: [told.event], statements: told.statements });
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
