import type { TestContext } from 'node:test';
import { absentChannels, type Channel } from '../src/notifications/channels/channel.ts';
import { inboxChannel } from '../src/notifications/channels/inbox.ts';
import { askContactCode } from '../src/notifications/contact/ask-contact-code.ts';
import { confirmContactAddress } from '../src/notifications/contact/confirm-contact-address.ts';
import { findCodes } from '../src/notifications/contact/contact-code-store.ts';
import { withWishes } from '../src/notifications/contact/contact-wish-store.ts';
import { readPreferences } from '../src/notifications/contact/read-preferences.ts';
import { removeContactAddress } from '../src/notifications/contact/remove-contact-address.ts';
import { statePreferences } from '../src/notifications/contact/state-preferences.ts';
import { standardPolicyFor } from '../src/notifications/delivery/cascade.ts';
import { listInboxMessages } from '../src/notifications/inbox/list-inbox.ts';
import type { Contact, ContactOf } from '../src/notifications/ports.ts';
import { plainTextOf } from '../src/notifications/text/plain-text.ts';
import type { Db } from '../src/store/db.ts';
import { createDeliveryHouse, minute } from './delivery-house.ts';
import type { Json, NotificationHouse } from './notification-house.ts';

export const day = 24 * 60 * minute;
export const contactPolicy = standardPolicyFor(new Set(['sms']));

/** What a citizen's own program asks, each answer as its JSON or as the name of its problem. */
export function askingFor(house: NotificationHouse) {
  const served = {
    ask: house.serve(askContactCode),
    confirm: house.serve(confirmContactAddress),
    remove: house.serve(removeContactAddress),
    state: house.serve(statePreferences),
    read: house.serve(readPreferences),
    inbox: house.serve(listInboxMessages),
  };
  const asked = (name: keyof typeof served) => async (citizenId: string | undefined, parts: object) => {
    const answer = await served[name](parts, {
      clientId: 'my-pages',
      ...(citizenId === undefined ? {} : { citizenId }),
    });
    return 'refused' in answer ? answer.refused : answer.json;
  };
  return {
    ask: (citizenId: string | undefined, body: object) => asked('ask')(citizenId, { body }),
    confirm: (citizenId: string | undefined, body: object) => asked('confirm')(citizenId, { body }),
    remove: (citizenId: string | undefined, channel: string) =>
      asked('remove')(citizenId, { query: `channel=${channel}` }),
    state: (citizenId: string, body: object) => asked('state')(citizenId, { body }),
    preferences: (citizenId: string) => asked('read')(citizenId, {}),
    inbox: (citizenId: string) => asked('inbox')(citizenId, {}),
    /** The code that a citizen's row holds: what a mailbox would show. */
    code: async (citizenId: string, channel = 'email') => {
      const codes = await findCodes({ read: house.db.read, citizenKeys: house.citizenKeys }, citizenId);
      return codes.find((code) => code.channel === channel)?.code ?? 'none';
    },
  };
}

/** The name of a problem, or what was answered instead. */
export const slugOf = (answer: object): string => ('slug' in answer ? String(answer.slug) : JSON.stringify(answer));

/** Another code than that one. */
export const otherThan = (code: string, by = 1): string =>
  String((Number(code) + by) % 1_000_000).padStart(code.length, '0');

/** Citizens' operations and delivery by a real relay, and by a text message gateway that notes what it is given. */
export async function openContactHouse(t: TestContext, db: Db, citizens: Readonly<Record<string, Contact>>) {
  const opened = await createDeliveryHouse(t, db, { cascade: contactPolicy, citizens });
  const { house, time, start, sink } = opened;
  const contactOf: ContactOf = withWishes(house.contactOf, { read: db.read, citizenKeys: house.citizenKeys });
  // The operations of the house were given its ports by reference.
  Object.assign(house.ports, { contactOf });
  const texts: string[] = [];
  const sms: Channel = {
    ...absentChannels.sms,
    addressOf: (contact) => contact.phone,
    prepare: async ({ address, content }) => ({
      call: async () => {
        texts.push(`${address}: ${plainTextOf(content).trim()}`);
        return { outcome: 'sent' };
      },
      drop: () => undefined,
    }),
  };
  const channels = { ...absentChannels, inbox: inboxChannel, email: opened.smtp, sms };
  const timing = { pollMs: day, leaseMs: 60 * day, recoverMs: 60 * day };
  const worker = await start({ channels, contactOf, timing });
  return {
    ...opened,
    ...askingFor(house),
    contactOf,
    texts,
    run: async (ms = 0) => {
      worker.wake();
      await time.advance(ms, worker.idle);
    },
    /** The mails so far, to whom and what they say first. */
    mails: () => sink.mails.map(({ to, raw }) => `${to.join()}: ${textOfMail(raw)}`),
  };
}

/** The text of a mail, its lines joined as they were written. */
function textOfMail(raw: string): string {
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

export type { Json };
