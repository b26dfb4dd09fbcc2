import type { Channel, OutgoingMessage, ProviderOutcome } from '../notification/channel.ts';
import { type Mail, type MailSender, mailFor } from './mail.ts';

/** A mail as the page of the outbox shows it. */
type CapturedMail = Mail & { readonly id: string; readonly capturedAt: number };

/** The demo's mailbox: an email channel, and the mails it took, newest first. */
export type Outbox = Channel & { mails(): readonly CapturedMail[] };

const maxMails = 200;

/**
 * Takes the place of a mail relay in the demo. It is the mailbox itself, so what it takes is `delivered`. The latest 200
 * mails are kept in memory only and are gone after a restart: message texts stay out of files.
 */
export function createOutbox(sender: MailSender): Outbox {
  const captured: CapturedMail[] = [];
  return {
    name: 'email',
    concurrency: 64,
    addressOf: (contact) => contact.email,
    prepare: async (message: OutgoingMessage) => {
      const mail = mailFor(message, sender);
      if (mail === undefined) return { outcome: 'permanent', reason: 'address-invalid' };
      const call = async (): Promise<ProviderOutcome> => {
        captured.unshift({ ...mail, id: `${message.delivery}.${message.attempt}`, capturedAt: message.at });
        captured.length = Math.min(captured.length, maxMails);
        return { outcome: 'delivered' };
      };
      return { call, drop: () => undefined };
    },
    close: async () => {
      captured.length = 0;
    },
    mails: () => [...captured],
  };
}
