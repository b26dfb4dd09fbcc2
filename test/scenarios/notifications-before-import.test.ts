import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { readEvidence } from '../../src/notifications/evidence/read-evidence.ts';
import { listInbox } from '../../src/notifications/inbox/citizen-inbox.ts';
import { createDeliveryHouse, minute } from '../delivery-house.ts';
import { engines } from '../engines.ts';

const week = 7 * 24 * 60 * minute;

for (const engine of engines) {
  test(`${engine.name}: what was sent to an id before the register had it is delivered, read and proved like any other`, async (t) => {
    const db = await engine.open(t);
    const { house, time, sink, start } = await createDeliveryHouse(t, db);
    let known = false;
    const contactOf = async () => (known ? { email: 'new@example.org' } : undefined);
    const worker = await start({ contactOf });
    const sendAt = new Date(time.clock.now() + week).toISOString();
    const id = await house.accept({ citizenId: 'cit-new', sendAt, message: 'Welcome.' });
    // The import makes the key, and the contact is known from now on.
    await db.write(house.citizenKeys.creations(['cit-new']));
    house.citizenKeys.forget('cit-new');
    known = true;
    await time.advance(week + minute, async () => worker.idle());
    await worker.idle();
    assert.equal(sink.mails.length, 1);
    assert.match(String(sink.mails[0]?.raw), /Welcome\./);
    const { messages: inbox } = await listInbox({ read: db.read, citizenKeys: house.citizenKeys }, 'cit-new', {
      limit: 10,
    });
    assert.deepEqual(
      inbox.map(({ content }) => content.message),
      ['Welcome.'],
    );
    const evidence = await house.serve(readEvidence)({ params: { id } });
    assert.ok('json' in evidence);
    assert.equal(verifyEvidence(JSON.stringify(evidence.json)).claims['content'], 'whole');
    await worker.stop(1_000);
  });
}
