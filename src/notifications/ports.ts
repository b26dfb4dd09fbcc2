import type { RandomBytes } from '../kernel/clock.ts';
import type { DocumentId } from '../kernel/id.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import type { CascadePolicy } from './cascade/cascade.ts';
import type { InboxLink } from './inbox/inbox-link.ts';
import type { MessageContent } from './notification/message-content.ts';
import type { ChannelName } from './notification/notification.ts';
import type { QuietHours } from './notification/quiet-hours.ts';
import type { ReasonCode } from './notification/reason.ts';
import type { Template } from './templates/template.ts';

/** How a citizen can be reached, as the register has it. */
export type CitizenContact = {
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly name?: string | undefined;
  readonly language?: string | undefined;
  /** The register says that the citizen has died. */
  readonly deceased?: boolean | undefined;
  /** The lines of the postal address as they stand on an envelope, without the name; the country last where it is known. */
  readonly postalLines?: readonly string[] | undefined;
  /** The channels that the citizen does not wish; the inbox and letters cannot be declined. */
  readonly declined?: readonly ChannelName[] | undefined;
  /** The channels in the order that the citizen wishes. */
  readonly order?: readonly ChannelName[] | undefined;
  /** The hours that the citizen wishes for some channels. */
  readonly hours?: QuietHours | undefined;
  /** The channels whose address somebody has verified to be the citizen's. */
  readonly verified?: readonly ChannelName[] | undefined;
};

/** The service behind a client, as citizens shall read it now. */
export type SendingService = {
  readonly name: string;
  /** Where its letters come back to that cannot be delivered, line by line; undefined: where those of all others do. */
  readonly returnAddress?: readonly string[] | undefined;
};

export type SenderOf = (clientId: string) => Promise<SendingService>;

/** The contact of a citizen now; undefined for an id that the register does not know. */
export type ContactOf = (citizenId: string) => Promise<CitizenContact | undefined>;

/** The template that a client named by this text; undefined where it has none of that id. */
export type TemplateOf = (text: string, clientId: string) => Promise<Template | undefined>;

/** The title of an available document of that citizen, if that client may read it now. */
export type AttachmentTitle = (
  id: DocumentId,
  ask: { readonly clientId: string; readonly citizenId: string; readonly now: number },
) => Promise<string | undefined>;

/**
 * Why a letter could not be printed, or undefined where nothing speaks against it. Without a contact only what the sender
 * wrote is looked at.
 */
export type CheckLetter = (letter: {
  readonly contact: CitizenContact | undefined;
  readonly content: MessageContent;
  readonly sender: string;
  readonly returnAddress?: readonly string[] | undefined;
  readonly language: string | undefined;
  readonly reminder: boolean;
  readonly at: number;
}) => Promise<ReasonCode | undefined>;

/** What the operations on notifications need from outside their folder. */
export type NotificationPorts = {
  readonly contactOf: ContactOf;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'decoyKeyOf'>;
  readonly random: RandomBytes;
  /** Under it is counted how many codes were asked for, by whom and for which address. */
  readonly codeCountKey: Uint8Array;
  /** By which channels citizens are told, and when. */
  readonly cascade: CascadePolicy;
  readonly senderOf: SenderOf;
  /** The title of a document that this client may read and that belongs to this citizen; else undefined. */
  readonly attachmentTitle: AttachmentTitle;
  /** The template of this client with that id; else undefined. */
  readonly templateOf: TemplateOf;
  /** Left out where this server prints no letters. */
  readonly checkLetter?: CheckLetter | undefined;
  /** Left out where messages do not lead to the inbox. */
  readonly inboxLink?: InboxLink | undefined;
};
