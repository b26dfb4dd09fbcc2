import type { TestContext } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { askContactCode } from '../../src/notifications/ask-contact-code.ts';
import { defaultPolicyFor } from '../../src/notifications/cascade/cascade.ts';
import { inboxChannel } from '../../src/notifications/channels/inbox-channel.ts';
import { confirmContactAddress } from '../../src/notifications/confirm-contact-address.ts';
import { findContactCodes } from '../../src/notifications/contact/contact-code-store.ts';
import { noPreferences } from '../../src/notifications/contact/contact-preferences.ts';
import { withPreferences } from '../../src/notifications/contact/contact-preferences-store.ts';
import { listInboxMessages } from '../../src/notifications/list-inbox-messages.ts';
import { type Channel, unconfiguredChannels } from '../../src/notifications/notification/channel.ts';
import type { CitizenContact, ContactOf } from '../../src/notifications/notification/contact.ts';
import { readPreferences } from '../../src/notifications/read-preferences.ts';
import { removeContactAddress } from '../../src/notifications/remove-contact-address.ts';
import { renderPlainText } from '../../src/notifications/rendering/plain-text.ts';
import { statePreferences } from '../../src/notifications/state-preferences.ts';
import { createDeliveryApp, minuteMs } from './delivery-app.ts';
import { fetchOnce } from './http-client.ts';
import type { JsonBody, NotificationApp } from './notification-app.ts';
import { waitUntil } from './wait-until.ts';

export const oneDayMs = 24 * 60 * minuteMs;
export const contactCascade = defaultPolicyFor(new Set(['sms']));

/** The calls of a citizen's own program. Each returns the JSON of the answer or the refusal. */
export function createCitizenCalls(app: NotificationApp) {
  const operations = {
    ask: app.serve(askContactCode),
    confirm: app.serve(confirmContactAddress),
    remove: app.serve(removeContactAddress),
    state: app.serve(statePreferences),
    read: app.serve(readPreferences),
    inbox: app.serve(listInboxMessages),
  };
  const callOperation = (name: keyof typeof operations) => async (citizenId: string | undefined, parts: object) => {
    const answer = await operations[name](parts, {
      clientId: 'my-pages',
      ...(citizenId === undefined ? {} : { citizenId }),
    });
    return 'refused' in answer ? answer.refused : answer.json;
  };
  return {
    ask: (citizenId: string | undefined, body: object) => callOperation('ask')(citizenId, { body }),
    confirm: (citizenId: string | undefined, body: object) => callOperation('confirm')(citizenId, { body }),
    remove: (citizenId: string | undefined, channel: string) =>
      callOperation('remove')(citizenId, { query: `channel=${channel}` }),
    state: (citizenId: string, body: object) =>
      callOperation('state')(citizenId, { body: { ...noPreferences, ...body } }),
    preferences: (citizenId: string) => callOperation('read')(citizenId, {}),
    inbox: (citizenId: string) => callOperation('inbox')(citizenId, {}),
    /** The stored code of a citizen, which the mail contains. */
    code: async (citizenId: string, channel = 'email') => {
      const codes = await findContactCodes({ read: app.db.read, citizenKeys: app.citizenKeys }, citizenId);
      return codes.find((code) => code.channel === channel)?.code ?? 'none';
    },
  };
}

/** The slug of a refusal, or the JSON of an answer that was not refused. */
export const problemNameOf = (answer: object): string =>
  'slug' in answer ? String(answer.slug) : JSON.stringify(answer);

/** A code that differs from `code`. */
export const differentCode = (code: string, by = 1): string =>
  String((Number(code) + by) % 1_000_000).padStart(code.length, '0');

/** The app with the operations of citizens, delivery by a real SMTP relay, and a text message channel that records its messages. */
export async function openContactApp(t: TestContext, db: Database, citizens: Readonly<Record<string, CitizenContact>>) {
  const opened = await createDeliveryApp(t, db, { cascade: contactCascade, citizens });
  const { app, time, start, sink: smtpServer } = opened;
  const contactOf: ContactOf = withPreferences(app.contactOf, { read: db.read, citizenKeys: app.citizenKeys });
  // The operations hold a reference to these ports.
  Object.assign(app.ports, { contactOf });
  const sentTexts: string[] = [];
  const sms: Channel = {
    ...unconfiguredChannels.sms,
    addressOf: (contact) => contact.phone,
    prepare: async ({ address, content }) => ({
      call: async () => {
        sentTexts.push(`${address}: ${renderPlainText(content).trim()}`);
        return { outcome: 'sent' };
      },
      drop: () => undefined,
    }),
  };
  const channels = { ...unconfiguredChannels, inbox: inboxChannel, email: opened.smtp, sms };
  const timing = { pollMs: oneDayMs, leaseMs: 60 * oneDayMs, recoverMs: 60 * oneDayMs };
  const worker = await start({ channels, contactOf, timing });
  return {
    ...opened,
    ...createCitizenCalls(app),
    contactOf,
    texts: sentTexts,
    run: async (ms = 0) => {
      worker.wake();
      await time.advance(ms, worker.idle);
    },
    /** The mails so far: the recipients and the text. */
    mails: () => smtpServer.mails.map(({ to, raw }) => `${to.join()}: ${decodeMailText(raw)}`),
  };
}

/** The decoded text of a mail. */
function decodeMailText(raw: string): string {
  const [head = '', ...body] = raw.split('\r\n\r\n');
  const text = body.join('\n\n');
  return /quoted-printable/i.test(head)
    ? Buffer.from(
        text
          .replaceAll(/=\r\n/g, '')
          .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      ).toString('utf8')
    : /base64/i.test(head)
      ? Buffer.from(text, 'base64').toString('utf8')
      : text;
}

export type { JsonBody };

/** Waits for a mail with a code to that address in the outbox of a demo, and returns the code of the newest one. */
export async function readCodeFromOutbox(home: { readonly url: string }, address: string): Promise<string> {
  let code: string | undefined;
  await waitUntil(async () => {
    const outbox = await (await fetchOnce(`${home.url}/outbox`)).text();
    const mails = outbox.split('<article>').filter((mail) => mail.includes(`<bdi>${address}</bdi>`));
    const texts = mails.map((mail) => /<p class="mail"[^>]*>([\s\S]*?)<\/p>/.exec(mail)?.[1] ?? '');
    code = texts.flatMap((text) => /\b\d{6}\b/.exec(text)?.[0] ?? [])[0];
    return code !== undefined;
  });
  return code ?? '';
}
