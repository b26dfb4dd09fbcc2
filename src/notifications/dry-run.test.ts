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
  test(`${engine.name}: a dry run reports the channels without a provider`, async (t) => {
    const app = await createNotificationApp(await engine.open(t), clock, citizens);
    const shown = async (citizenId: string, clientId: string) => {
      const body = { citizenId, message: 'Hello.', channels: ['email', 'sms', 'letter'], dryRun: true };
      const answer = await app.send(body, { clientId });
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

  test(`${engine.name}: a dry run counts the link to the inbox in the segments of an announcement`, async (t) => {
    const inboxLink = createInboxLink(`https://gov.example/${'i'.repeat(100)}/{id}`);
    const app = await createNotificationApp(await engine.open(t), clock, citizens, { inboxLink });
    const message = 'word '.repeat(1_000);
    const body = { citizenId: 'cit-ada', subject: 'Your tax', message, channels: ['sms'], dryRun: true };
    const answer = await app.send(body);
    assert.ok('json' in answer);
    const channels = answer.json['channels'] as { channel: string; text: string; segments?: number }[];
    const { text, segments } = channels.find(({ channel }) => channel === 'sms') ?? assert.fail();
    assert.match(
      text,
      /^Tax Office: a message for you "Your tax" lies in your inbox\.\nhttps:\/\/gov\.example\/i{100}\/ntf_0{26}$/,
    );
    assert.equal(segments, 2);
  });
}
