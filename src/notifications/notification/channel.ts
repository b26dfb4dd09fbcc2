import type { DeliveryId, NotificationId } from '../../kernel/id.ts';
import type { CitizenContact } from './contact.ts';
import type { MessageContent } from './message-content.ts';
import type { Category, ChannelName, externalChannelNames } from './notification.ts';
import type { ReasonCode } from './reason.ts';

/** One message on its way to one address. With `delivery` and `attempt` the provider can tell a repetition. */
export type OutgoingMessage = {
  readonly notification: NotificationId;
  readonly delivery: DeliveryId;
  /** Counts from 1; a second attempt is another call of the provider. */
  readonly attempt: number;
  readonly address: string;
  /** The name of the service that sends, as the citizen shall read it. */
  readonly sender: string;
  /** Where its letters come back to that cannot be delivered, line by line, where it has an address of its own. */
  readonly returnAddress?: readonly string[] | undefined;
  readonly subject: string | undefined;
  readonly content: MessageContent;
  /** It tells again of a message that is unread. */
  readonly reminder: boolean;
  /** Of a reminder: the attempt that brought it the first time. */
  readonly originalAttempt?: Pick<OutgoingMessage, 'delivery' | 'attempt'> | undefined;
  readonly category: Category;
  readonly language: string | undefined;
  readonly at: number;
};

/**
 * What a provider said. `sent`: it took the message. `delivered`: it proved that the citizen has it. `temporary`: it has
 * certainly not taken it, and may later. `permanent`: it never will. `unknown`: it was called and did not answer.
 */
export type ProviderOutcome =
  | { readonly outcome: 'sent' | 'delivered'; readonly providerRef?: string }
  | { readonly outcome: 'temporary'; readonly reason: ReasonCode; readonly retryAfterMs?: number }
  | { readonly outcome: 'permanent'; readonly reason: ReasonCode }
  | { readonly outcome: 'unknown' };

/**
 * Told why a provider cannot be used, in words for the operator: what the system or the provider said, where that can hold
 * nothing of a citizen.
 */
export type OnProviderFailure = (why: string) => void;

/** A message whose provider has only to be called. Exactly one of the two is done with it, once. */
export type PreparedMessage = {
  /** Calls the provider, at most once, and settles within a deadline of its own; else it is given up after a quarter of an hour. */
  call(): Promise<ProviderOutcome>;
  /** Lets it be: the provider is not called. */
  drop(): void;
};

/**
 * The port of a channel, in two steps, because between them the worker stores the mark of the attempt. `prepare` does
 * what no provider can act on: it looks at the address, writes the message, opens the connection; it may end there, with
 * `temporary` or `permanent`. The time between mark and outcome is the time in which a crash leaves `unknown`, so as
 * much as possible belongs into `prepare`. When a channel cannot know whether the provider took the message it says
 * `unknown`, never `temporary`. What it says and throws holds no personal data.
 */
export type Channel = {
  readonly name: ChannelName;
  /** How many messages may be prepared or called at once. */
  readonly concurrency: number;
  /** The citizen's address on this channel, or undefined where the register has none. */
  addressOf(contact: CitizenContact): string | undefined;
  prepare(message: OutgoingMessage): Promise<PreparedMessage | ProviderOutcome>;
  /**
   * What the provider knows of an attempt whose outcome was lost with its process; undefined where it cannot say. Left
   * out by channels whose provider cannot be asked: the attempt is then `unknown`.
   */
  queryOutcome?(attempt: Pick<OutgoingMessage, 'delivery' | 'attempt'>): Promise<ProviderOutcome | undefined>;
  /** Ends what is open; nothing is sent afterwards. */
  close(): Promise<void>;
};

/** Stands in for a channel that has no provider on this server: every delivery fails and says so. */
export function unconfiguredChannel(name: ChannelName): Channel {
  return {
    name,
    concurrency: 16,
    addressOf: () => 'none',
    prepare: async () => ({ outcome: 'permanent', reason: 'channel-not-configured' }),
    close: async () => undefined,
  };
}

/** The channels that leave the house. */
export type ExternalChannels = Readonly<Record<(typeof externalChannelNames)[number], Channel>>;

/** Each of them without a provider. */
export const unconfiguredChannels: ExternalChannels = {
  email: unconfiguredChannel('email'),
  sms: unconfiguredChannel('sms'),
  letter: unconfiguredChannel('letter'),
};
