import type { Channel, OutgoingMessage, ProviderOutcome } from '../notification/channel.ts';
import { type Mail, type MailSender, mailFor } from './mail.ts';

/** A mail with the data that the outbox page shows. */
type CapturedMail = Mail & { readonly id: string; readonly capturedAt: number };

/** The email channel of the demo, with the mails that it captured, newest first. */
export type Outbox = Channel & { mails(): readonly CapturedMail[] };

const maxMails = 200;

/**
 * Creates the email channel that the demo uses instead of a relay. It is the mailbox itself, so a captured mail is
 * `delivered`. It keeps the latest 200 mails in memory only, so that no message text is written to a file.
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
