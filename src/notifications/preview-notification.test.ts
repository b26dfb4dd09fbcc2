import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../test/support/database-engines.ts';
import { createNotificationApp } from '../../test/support/notification-app.ts';
import { createInboxLink } from './inbox/inbox-link.ts';

const clock = { now: () => Date.UTC(2026, 0, 15, 9) };
const reachable = { email: 'ada@example.org', phone: '+4740000000', name: 'Ada', postalLines: ['Road 1', '0150 Oslo'] };
const played = { ...reachable, email: 'sim-delivered@simulator.invalid' };
const citizens = { 'cit-ada': reachable, 'sim-delivered': played };

for (const engine of engines) {
  test(`${engine.name}: a preview reports the channels without a provider`, async (t) => {
    const app = await createNotificationApp(await engine.open(t), clock, citizens);
    const shown = async (citizenId: string, clientId: string) => {
      const body = { citizenId, message: 'Hello.', channels: ['email', 'sms', 'letter'] };
      const answer = await app.preview(body, { clientId });
      assert.ok('json' in answer);
      const channels = answer.json['channels'] as { channel: string; reachable: boolean; reason?: { code: string } }[];
      return channels.map(({ channel, reachable: may, reason }) => [channel, may, reason?.code]);
    };
    for (const clientId of ['tax-office', 'knowing office']) {
      assert.deepEqual(await shown('cit-ada', clientId), [
        ['inbox', true, undefined],
        ['email', true, undefined],
        ['sms', false, 'channel-not-configured'],
        ['letter', false, 'channel-not-configured'],
      ]);
    }
    // Sandbox citizens have simulated providers for the configured channels.
    for (const clientId of ['tax-office', 'knowing office']) {
      assert.ok((await shown('sim-delivered', clientId)).every(([, may]) => may));
    }
    assert.deepEqual(await shown('sim-unread', 'tax-office'), await shown('nobody', 'tax-office'));
  });

  test(`${engine.name}: a preview counts the link to the inbox in the segments of an announcement`, async (t) => {
    const inboxLink = createInboxLink(`https://gov.example/${'i'.repeat(100)}/{id}`);
    const app = await createNotificationApp(await engine.open(t), clock, citizens, { inboxLink });
    const message = 'word '.repeat(1_000);
    const body = { citizenId: 'cit-ada', subject: 'Your tax', message, channels: ['sms'] };
    const answer = await app.preview(body);
    assert.ok('json' in answer);
    const channels = answer.json['channels'] as { channel: string; text: string; segments?: number }[];
    const { text, segments } = channels.find(({ channel }) => channel === 'sms') ?? assert.fail();
    assert.match(
      text,
      /^Tax Office: you have a new message about "Your tax"\. Read it at https:\/\/gov\.example\/i{100}\/ntf_0{26}$/,
    );
    assert.equal(segments, 2);
  });

  test(`${engine.name}: a preview stores nothing except its event, also with an idempotency key`, async (t) => {
    const db = await engine.open(t);
    const app = await createNotificationApp(db, clock, citizens);
    const body = { citizenId: 'cit-ada', message: 'SECRET-TEXT', subject: 'SECRET-SUBJECT' };
    const preview = await app.preview(body, { key: 'k1' });
    assert.ok('json' in preview && preview.status === 200);
    for (const table of ['notification', 'delivery', 'delivery_attempt', 'idempotency', 'feed_event']) {
      assert.deepEqual(await db.read(`select * from ${table}`), [], table);
    }
    const [event] = await db.read('select content from ledger_event');
    assert.ok(event?.['content'] instanceof Uint8Array);
    assert.doesNotMatch(Buffer.from(event['content']).toString('latin1'), /SECRET/);
    const sent = await app.send(body, { key: 'k1' });
    assert.equal('json' in sent && sent.status, 202);
    const later = await app.preview({ ...body, message: 'Another one.' }, { key: 'k1' });
    assert.ok('json' in later && later.status === 200);
    assert.deepEqual(await app.events(), ['notification.rehearsed', 'notification.accepted', 'notification.rehearsed']);
  });

  test(`${engine.name}: a caller with citizens:known learns from a preview whether the citizen exists`, async (t) => {
    const app = await createNotificationApp(await engine.open(t), clock, citizens);
    const shown = async (citizenId: string) => {
      const answer = await app.preview({ citizenId, message: 'Hello.' }, { clientId: 'knowing office' });
      assert.ok('json' in answer);
      const [, mail] = answer.json['channels'] as { reachable: boolean }[];
      return [answer.json['citizenKnown'], mail?.reachable];
    };
    assert.deepEqual(
      [await shown('cit-nobody'), await shown('cit-ada')],
      [
        [false, false],
        [true, true],
      ],
    );
  });

  test(`${engine.name}: a preview without citizens:known has the same answer for a known and an unknown citizen`, async (t) => {
    const app = await createNotificationApp(await engine.open(t), clock, citizens);
    const answerFor = async (citizenId: string) => {
      const answer = await app.preview({ citizenId, message: '# Hello' });
      assert.ok('json' in answer);
      return [answer.status, answer.headers, answer.json];
    };
    assert.deepEqual(await answerFor('cit-ada'), await answerFor('cit-nobody'));
  });

  test(`${engine.name}: sending refuses the member dryRun, and stores nothing`, async (t) => {
    const app = await createNotificationApp(await engine.open(t), clock, citizens);
    const answer = await app.send({ citizenId: 'cit-ada', message: 'Hello.', dryRun: true });
    assert.ok('refused' in answer);
    assert.deepEqual(
      answer.refused.issues?.map(({ pointer, code }) => `${pointer} ${code}`),
      ['/dryRun unknown-input'],
    );
    assert.deepEqual(await app.events(), []);
  });
}
