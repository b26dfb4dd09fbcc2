import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEmbeddedRegister } from '../../src/identity/register-adapters/embedded-register.ts';
import { verifyEvidence } from '../../src/notifications/evidence/evidence-bundle.ts';
import type { CitizenContact } from '../../src/notifications/notification/contact.ts';
import { readEvidence } from '../../src/notifications/read-evidence.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, minuteMs, type NotificationView } from '../support/delivery-app.ts';

const knowing = { clientId: 'knowing office' };
const died: CitizenContact = { name: 'Dora', email: 'dora@example.org', deceased: true };

for (const engine of engines) {
  test(`${engine.name}: nothing is sent to a deceased citizen, and the sender receives the reason at once`, async (t) => {
    const citizens = { 'cit-dora': died };
    const { app, start, sink, time, faults } = await createDeliveryApp(t, await engine.open(t), { citizens });
    const worker = await start();
    const body = { citizenId: 'cit-dora', legalEffect: 'after-3-working-days' };
    const preview = await app.preview({ ...body, message: 'Hello.' }, knowing);
    assert.ok('json' in preview);
    const planned = preview.json['channels'] as readonly {
      readonly channel: string;
      readonly reason?: { code: string };
    }[];
    assert.deepEqual(
      planned.map(({ channel, reason }) => [channel, reason?.code]),
      [
        ['inbox', 'citizen-deceased'],
        ['email', 'citizen-deceased'],
      ],
    );
    const id = await app.accept(body);
    worker.wake();
    await time.advance(minuteMs, worker.idle);
    const { status, reason, deliveries } = (await app.show(id)) as NotificationView;
    assert.deepEqual(
      [status, deliveries.map((one) => [one['channel'], one['status']])],
      [
        'undeliverable',
        [
          ['inbox', 'failed'],
          ['email', 'failed'],
        ],
      ],
    );
    assert.partialDeepStrictEqual(reason, { code: 'citizen-deceased', retryable: false, whoActs: 'sender' });
    assert.deepEqual([sink.mails.length, faults], [0, []]);
    await time.advance(30 * 24 * 60 * minuteMs, worker.idle);
    const answer = await app.serve(readEvidence)({ params: { id } });
    assert.ok('json' in answer);
    assert.deepEqual(verifyEvidence(JSON.stringify(answer.json)).claims['legalEffect'], {
      rule: 'after-3-working-days',
      basis: 'not yet',
    });
  });

  test(`${engine.name}: a waiting message is not sent when the citizen dies`, async (t) => {
    const people: Record<string, CitizenContact> = { 'cit-dora': { ...died, deceased: false } };
    const { app, start, sink, time } = await createDeliveryApp(t, await engine.open(t), { citizens: people });
    const worker = await start({ contactOf: async (id) => people[id] });
    const sendAt = new Date(time.clock.now() + 60 * minuteMs).toISOString();
    const id = await app.accept({ citizenId: 'cit-dora', sendAt });
    people['cit-dora'] = died;
    await time.advance(120 * minuteMs, worker.idle);
    const { status } = await app.show(id);
    assert.deepEqual([status, sink.mails.length], ['undeliverable', 0]);
  });

  test(`${engine.name}: a citizen whom the register marks as deceased counts as deceased`, async (t) => {
    const db = await engine.open(t);
    const insert = 'insert into citizen (citizen_id, deceased, family_key, imported_by) values ($1, $2, $3, $4)';
    await db.write([
      { sql: insert, args: ['cit-dora', true, '', ''] },
      { sql: insert, args: ['cit-ada', false, '', ''] },
    ]);
    const { contactOf } = createEmbeddedRegister(db.read);
    assert.deepEqual([(await contactOf('cit-dora'))?.deceased, (await contactOf('cit-ada'))?.deceased], [true, false]);
  });
}
