import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import { findInboxPage } from '../../src/notifications/inbox/citizen-inbox.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, minuteMs } from '../support/delivery-app.ts';

const week = 7 * 24 * 60 * minuteMs;

for (const engine of engines) {
  test(`${engine.name}: a notification to an id that is imported later is delivered, read and proved like any other`, async (t) => {
    const db = await engine.open(t);
    const { app, time, sink, start } = await createDeliveryApp(t, db);
    let known = false;
    const contactOf = async () => (known ? { email: 'new@example.org' } : undefined);
    const worker = await start({ contactOf });
    const sendAt = new Date(time.clock.now() + week).toISOString();
    const id = await app.accept({ citizenId: 'cit-new', sendAt, message: 'Welcome.' });
    // The import creates the key, and the contact is known from now on.
    await db.write(app.citizenKeys.creationStatements(['cit-new']));
    app.citizenKeys.evict('cit-new');
    known = true;
    await time.advance(week + minuteMs, async () => worker.idle());
    await worker.idle();
    assert.equal(sink.mails.length, 1);
    assert.match(String(sink.mails[0]?.raw), /Welcome\./);
    const { messages: inbox } = await findInboxPage({ read: db.read, citizenKeys: app.citizenKeys }, 'cit-new', {
      limit: 10,
    });
    assert.deepEqual(
      inbox.map(({ content }) => content.message),
      ['Welcome.'],
    );
    const evidence = await app.serve(readEvidence)({ params: { id } });
    assert.ok('json' in evidence);
    assert.equal(verifyEvidence(JSON.stringify(evidence.json)).claims['content'], 'whole');
    await worker.stop(1_000);
  });
}
