import type { ClientMessages } from '../../auth/client-messages.ts';
import type { DeliveryId, NotificationId } from '../../kernel/id.ts';
import type { LegalNotice } from '../notification/legal-notice.ts';
import type { CitizenContact } from './contact.ts';
import type { MessageContent } from './message-content.ts';
import type { Category, ChannelName, externalChannelNames } from './notification.ts';
import type { ReasonCode } from './reason.ts';

/** One message for one address. A provider can recognise a repetition by `delivery` and `attempt`. */
export type OutgoingMessage = {
  readonly notification: NotificationId;
  readonly delivery: DeliveryId;
  /** Counts the calls of the provider from 1. */
  readonly attempt: number;
  readonly address: string;
  /** The client that sent the message. */
  readonly clientId?: string;
  /** The name of the sending service, as shown to the citizen. */
  readonly sender: string;
  /** The lines of the service's own return address for letters; undefined when it has none. */
  readonly returnAddress?: readonly string[] | undefined;
  /** How the service writes to citizens. */
  readonly senderSettings?: ClientMessages | undefined;
  /** The reference of the service. */
  readonly reference?: string | null;
  /** Whether a mail or text message only says that there is a message. */
  readonly noticeOnly?: boolean;
  /** When the message counts as served; undefined when its sender named no rule. */
  readonly legalNotice?: LegalNotice | undefined;
  readonly subject: string | undefined;
  readonly content: MessageContent;
  /** True when this message repeats an unread one. */
  readonly reminder: boolean;
  /** For a reminder: the attempt that sent the first message. */
  readonly originalAttempt?: Pick<OutgoingMessage, 'delivery' | 'attempt'> | undefined;
  readonly category: Category;
  /** Whether the citizen wishes letters in large print. */
  readonly largePrint?: boolean | undefined;
  readonly language: string | undefined;
  readonly at: number;
};

/**
 * The outcome of a provider call. `sent`: the provider accepted the message. `delivered`: it proved that the citizen has it.
 * `temporary`: it certainly did not accept it, and may later. `permanent`: it never will. `unknown`: it was called and did not answer.
 */
export type ProviderOutcome =
  | { readonly outcome: 'sent' | 'delivered'; readonly providerRef?: string }
  | { readonly outcome: 'temporary'; readonly reason: ReasonCode; readonly retryAfterMs?: number }
  | { readonly outcome: 'permanent'; readonly reason: ReasonCode }
  | { readonly outcome: 'unknown' };

/** Receives the reason why a provider cannot be used, for the log of the operator. It must not contain personal data. */
export type OnProviderFailure = (why: string) => void;

/** A message that is ready to be sent. Exactly one of the two functions must be called, once. */
export type PreparedMessage = {
  /** Calls the provider at most once. It must settle within its own deadline; the worker gives up after 15 minutes. */
  call(): Promise<ProviderOutcome>;
  /** Discards the message without calling the provider. */
  drop(): void;
};

/**
 * The port of a channel. It has two steps, because the worker stores the start of the attempt between them. `prepare` checks the
 * address, writes the message and opens the connection, and can end with `temporary` or `permanent`. A crash between the stored start
 * and the outcome leaves `unknown`, so do as much as possible in `prepare`. If a channel cannot know whether the provider accepted the
 * message, it reports `unknown`, never `temporary`. Outcomes and errors contain no personal data.
 */
export type Channel = {
  readonly name: ChannelName;
  /** The limit of messages that are prepared or sent at the same time. */
  readonly concurrency: number;
  /** The citizen's address on this channel; undefined when there is none. */
  addressOf(contact: CitizenContact): string | undefined;
  prepare(message: OutgoingMessage): Promise<PreparedMessage | ProviderOutcome>;
  /**
   * Asks the provider for the outcome of an attempt whose process was lost; undefined when it does not know. A channel whose provider
   * has no such query omits it: the attempt is then `unknown`.
   */
  queryOutcome?(attempt: Pick<OutgoingMessage, 'delivery' | 'attempt'>): Promise<ProviderOutcome | undefined>;
  /** Closes all connections. Nothing is sent afterwards. */
  close(): Promise<void>;
};

/** The channel that replaces a provider that is not configured: every delivery fails with `channel-not-configured`. */
export function unconfiguredChannel(name: ChannelName): Channel {
  return {
    name,
    concurrency: 16,
    addressOf: () => 'none',
    prepare: async () => ({ outcome: 'permanent', reason: 'channel-not-configured' }),
    close: async () => undefined,
  };
}

/** The channels that send outside this server. */
export type ExternalChannels = Readonly<Record<(typeof externalChannelNames)[number], Channel>>;

/** All external channels without a provider. */
export const unconfiguredChannels: ExternalChannels = {
  email: unconfiguredChannel('email'),
  sms: unconfiguredChannel('sms'),
  letter: unconfiguredChannel('letter'),
};
