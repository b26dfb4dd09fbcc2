import type {
  BatchId,
  DeliveryId,
  DocumentId,
  EventId,
  HoldId,
  NotificationId,
  PresentationId,
  ProposalId,
  TemplateId,
  VerificationId,
  WebhookId,
} from '../kernel/id.ts';

/**
 * The actor of an event: a client of the API, the citizen, an operator at the command line, a member of staff, or the server itself.
 * `service` is the client of the member of staff; `proposedBy` is set if a second person approved what that person proposed.
 */
export type Actor =
  | { readonly client: string }
  | { readonly citizen: true }
  | { readonly operator: string }
  | { readonly staff: string; readonly service: string | null; readonly proposedBy?: string }
  | { readonly process: 'delivery' | 'start' | 'demo' | 'scan' | 'retention' };

/** Why staff look up a citizen or act on a message. The citizen reads it in words. */
export const lookUpReasons = [
  'citizen-asked',
  'service-asked',
  'not-delivered',
  'complaint',
  'required-by-law',
] as const;
/** One of `lookUpReasons`. */
export type LookUpReason = (typeof lookUpReasons)[number];

/** Why a use was lawful, as the caller stated it. */
export type ProcessingBasis = {
  readonly purpose?: string | undefined;
  readonly legalBasis?: string | undefined;
  readonly consentReference?: string | undefined;
};

/** Conceals a use from the citizen until an instant (RFC 3339); the reason is shown from then on too. */
export type Concealment = { readonly hiddenUntil?: string; readonly hiddenReason?: string };

type EventHead<T extends string> = Concealment & {
  readonly type: T;
  readonly id: EventId;
  readonly at: number;
  readonly actor: Actor;
  /**
   * False if the acting client must not get the receipt, which opens the content: it does not know which citizen the event
   * concerns, and could find the event id in the published log. Not part of the content.
   */
  readonly receipt?: false;
  /**
   * Extra bytes of padding for an event about a citizen, so that the length of the entry reveals less. Not part of the content.
   */
  readonly blanks?: number;
  /** The new status of a notification, if the event changed it, for the metrics. Not part of the content. */
  readonly newStatus?: string | undefined;
};

type CitizenHead<T extends string> = EventHead<T> & { readonly citizenId: string };
type NotificationHead<T extends string> = CitizenHead<T> & { readonly notification: NotificationId };
type DocumentHead<T extends string> = CitizenHead<T> & { readonly document: DocumentId };
type VerificationOutcome = {
  readonly verification: VerificationId;
  readonly decision: 'match' | 'no_match' | 'not_determined';
  readonly policy: string;
  readonly claimsAsked: readonly string[];
};

type PresentationHead<T extends string> = EventHead<T> & {
  readonly presentation: PresentationId;
  readonly clientId: string;
};

/** An event about one citizen. Its content is encrypted under that citizen's key. */
export type CitizenEvent =
  | (CitizenHead<'identity.verified'> &
      ProcessingBasis &
      VerificationOutcome & {
        /**
         * The claims come from a wallet. `match`: the wallet of this citizen. `other`: not shown to be theirs. The values have the same
         * length, because the lengths of entries are public.
         */
        readonly wallet?: 'match' | 'other';
      })
  /** `guesses-spent`: the verification limit of this citizen is reached; further verifications return no_match. */
  | (CitizenHead<'identity.guesses-spent' | 'identity.verification-read'> & { readonly verification: VerificationId })
  /** Staff locked or unlocked the record at the citizen's request. */
  | (CitizenHead<'identity.lock-changed'> & { readonly locked: boolean })
  | CitizenHead<'own-lock.set'>
  /** A presentation linked the administrative number of a wallet to the citizen, or the citizen removed all such links. */
  | CitizenHead<'wallet-link.kept' | 'wallet-link.removed'>
  /** The citizen lock was removed; `reason` is set if staff removed it. */
  | (CitizenHead<'own-lock.lifted'> & { readonly reason?: string | undefined })
  | CitizenHead<'identity.record-read' | 'notification.rehearsed'>
  | (NotificationHead<'notification.accepted'> &
      ProcessingBasis & {
        /** `sha-256:…` in hex, as in the evidence: proves that the content and the receipt belong together. */
        readonly contentDigest: string;
      })
  | NotificationHead<'notification.status-read'>
  /** The citizen opened the message in the inbox, signed in. */
  | NotificationHead<'notification.opened'>
  /** Somebody who was not signed in confirmed the receipt by the link in a message of that channel. */
  | (NotificationHead<'notification.confirmed'> & { readonly channel: string })
  /** The citizen looked at the list of messages, searched it, or downloaded the messages. The words of a search are not kept. */
  | (CitizenHead<'inbox.listed' | 'inbox.searched' | 'inbox.exported'> & { readonly shown: number })
  /** The citizen moved a message to the archive or back, or marked it as unread. Neither changes its status. */
  | NotificationHead<'inbox.archived' | 'inbox.restored' | 'inbox.marked-unread'>
  /** The contact preferences or verified addresses of the citizen were changed, or read. */
  | CitizenHead<'contact-wishes.stated' | 'contact-wishes.read'>
  /** An address was to be verified by a code, the code was right, wrong or expired, or the address was removed. */
  | (CitizenHead<
      | 'contact-address.asked'
      | 'contact-address.confirmed'
      | 'contact-address.code-wrong'
      | 'contact-address.code-unused'
      | 'contact-address.removed'
    > & { readonly channel: 'email' | 'sms' })
  | NotificationHead<'notification.cancelled'>
  /** Staff asked to send the message by letter too. */
  | (NotificationHead<'notification.letter-requested'> & { readonly reason: LookUpReason })
  /** A caseworker read the text of a message that their service sent. */
  | (NotificationHead<'notification.content-read'> & { readonly reason: LookUpReason })
  /** Staff looked up the messages of the citizen. */
  | (CitizenHead<'staff.looked-up'> & { readonly reason: LookUpReason })
  /** `deliverBy` passed without a proof of delivery. */
  | (NotificationHead<'notification.sent' | 'notification.unknown' | 'notification.undeliverable'> & {
      readonly reason: string;
    })
  | (NotificationHead<'notification.delivery-ended'> & {
      readonly delivery: DeliveryId;
      readonly channel: string;
      readonly outcome: 'sent' | 'delivered' | 'failed' | 'unknown' | 'skipped' | 'retry';
      readonly reason?: string | undefined;
    })
  | (DocumentHead<'document.deposited'> &
      ProcessingBasis & {
        /** `sha-256=:…:` of the received document: proves that the document and the receipt belong together. */
        readonly digest: string;
      })
  | (DocumentHead<'document.retrieved' | 'document.record-read'> & ProcessingBasis)
  | (CitizenHead<'document.listed'> & ProcessingBasis & { readonly documents: readonly DocumentId[] })
  | (DocumentHead<'document.refused'> & { readonly reason: 'not-permitted' | 'not-available' })
  /**
   * A client requested an unknown document id: probing for ids is recorded. Its citizen does not exist, so that for others the
   * entry looks like the refusal of a document of another client.
   */
  | (DocumentHead<'document.unknown'> & { readonly reason: 'not-permitted' })
  | (DocumentHead<'document.scanned'> & {
      readonly verdict: 'clean' | 'infected' | 'unscannable';
      readonly engine: string;
      /** The name of the malware, or why the document could not be scanned. */
      readonly finding?: string | undefined;
    })
  | DocumentHead<'document.withdrawn'>
  | (DocumentHead<'document.erased'> & {
      /** Why it was erased: by its issuer, or at the end of its retention class. */
      readonly rule: 'withdrawn' | 'retention-class';
      readonly retentionClass?: string | undefined;
      /** `sha-256=:…:` of the destroyed sealed bytes, if the record still opened. */
      readonly sealedDigest?: string | undefined;
    })
  | (DocumentHead<'document.granted'> & {
      readonly to: string;
      readonly purpose: string;
      readonly endsAt?: string | undefined;
    })
  | (DocumentHead<'document.grant-ended'> & { readonly to: string; readonly purpose: string })
  /** Without `document`: all documents of the citizen. */
  | (CitizenHead<'document.hold-placed'> & {
      readonly hold: HoldId;
      readonly document?: DocumentId | undefined;
      readonly reason: string;
    })
  | (CitizenHead<'document.hold-released'> & { readonly hold: HoldId; readonly document?: DocumentId | undefined })
  | (CitizenHead<'access-log.read'> & {
      readonly after: number;
      readonly shown: number;
      /** The session of the citizen, whose further looks are not recorded. */
      readonly session?: string | undefined;
    });

/** An event about no single citizen. It holds no personal data of citizens, and is encrypted under the system key. */
export type SystemEvent =
  | (EventHead<'identity.searched'> & VerificationOutcome)
  | (EventHead<'identity.search-read'> & { readonly verification: VerificationId })
  /** A client asked the wallet of a citizen for a credential. The server learns who the citizen is from the wallet. */
  | (PresentationHead<'identity.presentation-asked'> & ProcessingBasis & { readonly claimsAsked: readonly string[] })
  /** `answered`: the wallet has answered, and the result waits for the code of the session. */
  | PresentationHead<
      | 'identity.presentation-fetched'
      | 'identity.presentation-answered'
      | 'identity.presentation-completed'
      | 'identity.presentation-expired'
      | 'identity.presentation-cancelled'
    >
  /** The wallet sent this error, for example because the citizen declined. */
  | (PresentationHead<'identity.presentation-refused'> & { readonly error: string })
  | (PresentationHead<'identity.presentation-failed'> & { readonly reason: string })
  | (EventHead<'register.imported'> & {
      readonly import: string;
      readonly rows: number;
      readonly refused: number;
      readonly finished: boolean;
    })
  /** The frequencies of names in the register were counted, for matching. */
  | (EventHead<'register.counted'> & { readonly persons: number })
  | (EventHead<'policy.added'> & {
      readonly name: string;
      /** SHA-256 of its document, in hex. */
      readonly digest: string;
    })
  | (EventHead<'notifications.listed' | 'documents.listed'> & { readonly shown: number })
  | (EventHead<'client.created'> & { readonly clientId: string; readonly scopes: readonly string[] })
  | (EventHead<'client.changed'> & {
      readonly clientId: string;
      readonly changed: readonly (
        | 'name'
        | 'scopes'
        | 'purposes'
        | 'registrationCertificates'
        | 'legalBases'
        | 'policy'
        | 'returnAddress'
        | 'replyTo'
        | 'contactPhone'
        | 'contactEmail'
        | 'contactUrl'
        | 'smsSender'
        | 'noticeOnly'
        | 'quota'
        | 'credential'
      )[];
      readonly scopes?: readonly string[] | undefined;
    })
  | (EventHead<'client.bound'> & { readonly clientId: string; readonly binding: 'none' | 'dpop' | 'mtls' })
  | (EventHead<'client.disabled'> & { readonly clientId: string })
  | (EventHead<'client.webhook-hosts-set'> & { readonly clientId: string; readonly hosts: readonly string[] })
  | (EventHead<'retention-class.set'> & {
      readonly name: string;
      readonly keepDays: number;
      readonly eraseAfterDays?: number | undefined;
      readonly legalBasis: string;
    })
  | (EventHead<'documents.deletion-run'> & {
      readonly erased: number;
      /** Due, but under a legal hold. */
      readonly held: number;
      readonly failed: number;
      /** SHA-256 over the sorted ids of the erased documents, one on a line; each has an event of its own. */
      readonly list: string;
    })
  | (EventHead<'signing-key.replaced'> & {
      readonly use: 'access-token' | 'result' | 'evidence' | 'checkpoint';
      readonly kid: string;
      /** Whether the old key was withdrawn at once, because it may be compromised. */
      readonly atOnce: boolean;
    })
  | (EventHead<'root-key.rotated'> & {
      readonly from: string;
      readonly to: string;
      readonly stage: 'begun' | 'wrapped' | 'finished';
      readonly citizenKeys: number;
      readonly signingKeys: number;
    })
  | (EventHead<'citizen.erased'> & {
      /**
       * The pseudonym (hex) of the citizen whose key was destroyed, and the number of entries of the chain. Events that waited
       * for their number are not counted.
       */
      readonly chain: string;
      readonly entries: number;
    })
  | (EventHead<'webhook.changed'> & {
      readonly webhook: WebhookId;
      readonly change: 'created' | 'removed' | 'secret-rotated' | 'redelivery-asked';
    })
  | (EventHead<'template.changed'> & { readonly template: TemplateId; readonly change: 'created' | 'removed' })
  | (EventHead<'notification-batch.changed'> & {
      readonly batch: BatchId;
      /** The new state of the batch, or that its upload was deleted. */
      readonly change: 'checking' | 'ready' | 'sending' | 'done' | 'refused' | 'cancelled' | 'upload-deleted';
    })
  /** Staff paused a delivery channel, or ended the pause. */
  | (EventHead<'channel.changed'> & { readonly channel: string; readonly change: 'paused' | 'resumed' })
  /** Staff searched for a citizen and found nobody, or read the staff log. */
  | (EventHead<'staff.searched'> & { readonly reason: LookUpReason })
  | (EventHead<'staff.log-read'> & { readonly shown: number })
  /** `proposal` is null if the server refused the proposal, because the operation was not possible. */
  | (EventHead<'staff.proposed'> & { readonly proposal: ProposalId | null; readonly operation: string })
  /** Another person decided; that person is the actor. */
  | (EventHead<'staff.decided'> & {
      readonly proposal: ProposalId;
      readonly operation: string;
      readonly decision: 'approved' | 'refused';
      readonly proposedBy: string;
    })
  | (EventHead<'endpoint.registered'> & {
      readonly endpoint: string;
      readonly since: string;
      readonly schemaHash: string;
    });

/** The closed union of all ledger events. A new kind of use starts here. */
export type LedgerEvent = CitizenEvent | SystemEvent;

/** Whether the content of an event is encrypted under a citizen's key. */
export function isCitizenEvent(event: LedgerEvent): event is CitizenEvent {
  return 'citizenId' in event;
}
