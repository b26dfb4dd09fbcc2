import type { Row, Statement } from '../db/database.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import type { DocumentId } from '../kernel/id.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import type { Commit } from '../ledger/commit.ts';
import type { CascadePolicy } from './cascade/cascade.ts';
import type { UrgentPriority } from './delivery/urgent-priority.ts';
import type { InboxLink } from './inbox/inbox-link.ts';
import type { Calendar } from './legal-effect/legal-effect.ts';
import type { CheckLetter } from './letters/check-letter.ts';
import type { ContactOf } from './notification/contact.ts';
import type { SenderOf } from './notification/sending-service.ts';
import type { Template } from './templates/template.ts';

/** The title of an available document of this citizen that this client may read now; undefined for all others. */
export type AttachmentTitle = (
  id: DocumentId,
  ask: { readonly clientId: string; readonly citizenId: string; readonly now: number },
) => Promise<string | undefined>;

/** The dependencies of the notification operations from outside their folder. */
export type NotificationPorts = {
  readonly contactOf: ContactOf;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf' | 'earlierKeyOf'>;
  readonly random: RandomBytes;
  /** The HMAC key of the counts of requested codes, by citizen and by address. */
  readonly codeCountKey: Uint8Array;
  /** The channels by which citizens are notified, and when. */
  readonly cascade: CascadePolicy;
  readonly senderOf: SenderOf;
  /** The country of phone numbers that citizens enter without a country code. */
  readonly phoneCountry?: string | undefined;
  readonly attachmentTitle: AttachmentTitle;
  /** The template of this client with this id; undefined when there is none. */
  readonly templateOf: (text: string, clientId: string) => Promise<Template | undefined>;
  /** Undefined when this server prints no letters. */
  readonly checkLetter?: CheckLetter | undefined;
  /** Undefined when messages have no link to the inbox. */
  readonly inboxLink?: InboxLink | undefined;
  /** The days that do not count as working days, for legal effect. */
  readonly calendar: Calendar;
  /** Urgent messages interrupt the rows of batches in the same process. */
  readonly urgentPriority: UrgentPriority;
};

/** The dependencies of the operations on batches, besides those of all notifications. */
export type BatchPorts = {
  /** Wraps the keys of uploads. */
  readonly batchKey: Uint8Array;
  /** Stores an upload that has no effect yet. */
  readonly write: (unit: readonly Statement[]) => Promise<Row[][]>;
  /** Stores the events of rows before the results show them. */
  readonly commit: Commit;
};
