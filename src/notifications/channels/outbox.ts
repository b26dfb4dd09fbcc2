import type { Channel, Message, Outcome } from './channel.ts';
import { type Mail, mailOf, type Sender } from './mail.ts';

/** A mail as the page of the outbox shows it. */
type CapturedMail = Mail & { readonly id: string; readonly capturedAt: number };

/** The demo's mailbox: an email channel, and the mails it took, newest first. */
export type Outbox = Channel & { mails(): readonly CapturedMail[] };

const keptMails = 200;

/**
 * Takes the place of a mail relay in the demo. It is the mailbox itself, so what it takes is `delivered`. The latest 200
 * mails are kept in memory only and are gone after a restart: message texts stay out of files.
 */
export function createOutbox(sender: Sender): Outbox {
  const kept: CapturedMail[] = [];
  return {
    name: 'email',
    concurrency: 64,
    addressOf: (contact) => contact.email,
    prepare: async (message: Message) => {
      const mail = mailOf(message, sender);
      if (mail === undefined) return { outcome: 'permanent', reason: 'address-invalid' };
      const call = async (): Promise<Outcome> => {
        kept.unshift({ ...mail, id: `${message.delivery}.${message.attempt}`, capturedAt: message.at });
        kept.length = Math.min(kept.length, keptMails);
        return { outcome: 'delivered' };
      };
      return { call, drop: () => undefined };
    },
    close: async () => {
      kept.length = 0;
    },
    mails: () => [...kept],
  };
}
