import type { RandomBytes } from '../kernel/clock.ts';
import type { DocumentId } from '../kernel/id.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import type { CascadePolicy } from './cascade/cascade.ts';
import type { InboxLink } from './inbox/inbox-link.ts';
import type { CheckLetter } from './letters/check-letter.ts';
import type { ContactOf } from './notification/contact.ts';
import type { SenderOf } from './notification/sending-service.ts';
import type { Template } from './templates/template.ts';

/** The template that a client named by this text; undefined where it has none of that id. */
export type TemplateOf = (text: string, clientId: string) => Promise<Template | undefined>;

/** The title of an available document of that citizen, if that client may read it now. */
export type AttachmentTitle = (
  id: DocumentId,
  ask: { readonly clientId: string; readonly citizenId: string; readonly now: number },
) => Promise<string | undefined>;

/** The dependencies of the notification operations from outside their folder. */
export type NotificationPorts = {
  readonly contactOf: ContactOf;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'decoyKeyOf'>;
  readonly random: RandomBytes;
  /** Under it is counted how many codes were asked for, by whom and for which address. */
  readonly codeCountKey: Uint8Array;
  /** The channels by which citizens are notified, and when. */
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
