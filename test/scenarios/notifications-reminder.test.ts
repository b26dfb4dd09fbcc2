import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultPolicyFor } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { createSmtpEmail } from '../../src/notifications/channels/smtp-email.ts';
import { unconfiguredChannels } from '../../src/notifications/notification/channel.ts';
import { engines } from '../support/database-engines.ts';
import { createDeliveryApp, minuteMs } from '../support/delivery-app.ts';

const day = 24 * 60 * minuteMs;

/** The unfolded value of a header; undefined if the mail does not have it. */
function headerOf(raw: string, name: string): string | undefined {
  const head = raw.split('\r\n\r\n', 1)[0]?.replaceAll(/\r\n(?=[ \t])/g, '') ?? '';
  return new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1]?.trim();
}

for (const engine of engines) {
  test(`${engine.name}: a reminder replies to the mail of the attempt that was delivered`, async (t) => {
    const db = await engine.open(t);
    const parts = { cascade: defaultPolicyFor(new Set(['letter'])) };
    const { app, time, sink, start } = await createDeliveryApp(t, db, parts);
    const email = createSmtpEmail({
      url: sink.url,
      sender: { address: 'no-reply@tax.example', messageIdHost: 'tax.example' },
    });
    t.after(() => email.close());
    const worker = await start({ channels: { ...unconfiguredChannels, inbox: inboxChannel, email } });
    const run = async (ms: number) => {
      worker.wake();
      await time.advance(ms, worker.idle);
    };
    // The relay receives the whole first attempt and refuses it.
    sink.setBehaviour((_to, before) => (before === 0 ? { refuse: 'message', code: 451, text: 'later' } : 'accept'));
    await app.accept({ citizenId: 'cit-ada', subject: 'Your permit' });
    await run(6 * day);
    const ids = sink.mails.map(({ raw }) => headerOf(raw, 'Message-ID'));
    assert.deepEqual(
      sink.mails.map(({ raw }) => [headerOf(raw, 'Subject'), headerOf(raw, 'References')]),
      [
        ['Your permit', undefined],
        ['Your permit', undefined],
        ['Reminder: Your permit', ids[1]],
      ],
    );
    assert.match(ids[1] ?? '', /^<dlv_\w+\.2@tax\.example>$/);
  });
}
