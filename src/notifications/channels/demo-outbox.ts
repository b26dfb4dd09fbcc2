import { createPhoneParser } from '../../kernel/phone-number.ts';
import { letterAddressOf } from '../contact/postal-address.ts';
import type { InboxLink } from '../inbox/inbox-link.ts';
import { letterTemplateData } from '../letters/letter-data.ts';
import { type LetterDeps, renderLetterPdf } from '../letters/render-letter.ts';
import type { Channel, OutgoingMessage, ProviderOutcome } from '../notification/channel.ts';
import type { ReasonCode } from '../notification/reason.ts';
import { renderSmsText } from '../rendering/sms-text.ts';
import { type Mail, type MailSender, mailFor } from './mail.ts';
import { smsSenderOf } from './sms-sender.ts';

type Captured = { readonly id: string; readonly capturedAt: number };

/** A mail with the data that the outbox page shows. */
type CapturedMail = Mail & Captured;

type CapturedText = Captured & { readonly from: string; readonly to: string; readonly text: string };

type CapturedLetter = Captured & { readonly letter: OutgoingMessage };

/** The email channel of the demo, with the mails that it captured, newest first. */
export type Outbox = Channel & { mails(): readonly CapturedMail[] };

/** The channel for text messages of the demo, with those that it captured, newest first. */
export type SmsOutbox = Channel & { texts(): readonly CapturedText[] };

/** The channel for letters of the demo, with those that it captured, newest first. */
export type LetterOutbox = Channel & {
  letters(): readonly CapturedLetter[];
  /** The PDF of a captured letter, or why it cannot be printed; undefined for an unknown id. */
  pdfOf(id: string): Promise<Uint8Array | ReasonCode | undefined>;
};

const maxMessages = 200;

/** The latest 200 messages of a channel, newest first. They are in memory only, so that no message text is written to a file. */
function createCapture<T>() {
  const captured: (T & Captured)[] = [];
  return {
    add: (message: OutgoingMessage, content: T) => {
      captured.unshift({ ...content, id: `${message.delivery}.${message.attempt}`, capturedAt: message.at });
      captured.length = Math.min(captured.length, maxMessages);
    },
    all: () => [...captured],
    clear: () => {
      captured.length = 0;
    },
  };
}

const drop = () => undefined;
const invalidAddress = { outcome: 'permanent', reason: 'address-invalid' } as const;

/**
 * Creates the email channel that the demo uses instead of a relay. It is the mailbox itself, so a captured mail is
 * `delivered`.
 */
export function createOutbox(sender: MailSender): Outbox {
  const mails = createCapture<Mail>();
  return {
    name: 'email',
    concurrency: 64,
    addressOf: (contact) => contact.email,
    prepare: async (message: OutgoingMessage) => {
      const mail = mailFor(message, sender);
      if (mail === undefined) return invalidAddress;
      const call = async (): Promise<ProviderOutcome> => {
        mails.add(message, mail);
        return { outcome: 'delivered' };
      };
      return { call, drop };
    },
    close: async () => mails.clear(),
    mails: mails.all,
  };
}

/** Creates the channel that the demo uses instead of an SMS gateway. A captured text message is `delivered`. */
export function createSmsOutbox(inboxLink: InboxLink | undefined): SmsOutbox {
  const texts = createCapture<Pick<CapturedText, 'from' | 'to' | 'text'>>();
  const parsePhone = createPhoneParser(undefined);
  return {
    name: 'sms',
    concurrency: 64,
    addressOf: (contact) => contact.phone,
    prepare: async (message: OutgoingMessage) => {
      const to = await parsePhone(message.address);
      if (to === undefined) return invalidAddress;
      const { text } = renderSmsText({ ...message, inbox: inboxLink?.(message.notification) });
      const call = async (): Promise<ProviderOutcome> => {
        texts.add(message, { from: smsSenderOf(message), to, text });
        return { outcome: 'delivered' };
      };
      return { call, drop };
    },
    close: async () => texts.clear(),
    texts: texts.all,
  };
}

/**
 * Creates the channel that the demo uses instead of a printer. A captured letter is `sent`. It is typeset when somebody opens
 * it, so that a demo whose letters nobody opens does not start the typesetter.
 */
export function createLetterOutbox(load: () => Promise<LetterDeps>): LetterOutbox {
  const letters = createCapture<Pick<CapturedLetter, 'letter'>>();
  let loading: Promise<LetterDeps> | undefined;
  const parts = () => {
    loading ??= load();
    return loading;
  };
  return {
    name: 'letter',
    concurrency: 64,
    addressOf: letterAddressOf,
    prepare: async (letter: OutgoingMessage) => {
      const { renderer, ...layout } = await parts();
      if (letterTemplateData(letter, layout) === undefined) return invalidAddress;
      const call = async (): Promise<ProviderOutcome> => {
        letters.add(letter, { letter });
        return { outcome: 'sent' };
      };
      return { call, drop };
    },
    close: async () => {
      letters.clear();
      await (await loading)?.renderer.close();
    },
    letters: letters.all,
    pdfOf: async (id) => {
      const found = letters.all().find((one) => one.id === id);
      return found && (await renderLetterPdf(await parts(), found.letter));
    },
  };
}
