import type {
  DeliveryId,
  DocumentId,
  EventId,
  HoldId,
  NotificationId,
  TemplateId,
  VerificationId,
  WebhookId,
} from '../kernel/id.ts';

/** The actor of an event: a client of the API, the citizen, an operator at the command line, or the server itself. */
export type Actor =
  | { readonly client: string }
  | { readonly citizen: true }
  | { readonly operator: string }
  | { readonly process: 'delivery' | 'start' | 'demo' | 'scan' | 'retention' };

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
};

/** An event about one citizen. Its content is encrypted under that citizen's key. */
export type CitizenEvent =
  | (EventHead<'identity.verified'> &
      ProcessingBasis & {
        readonly citizenId: string;
        readonly verification: VerificationId;
        readonly decision: 'match' | 'no_match' | 'not_determined';
        readonly policy: string;
        readonly claimsAsked: readonly string[];
      })
  /** The verification limit of this citizen is reached: each further verification of the day or month returns no_match. */
  | (EventHead<'identity.guesses-spent'> & { readonly citizenId: string; readonly verification: VerificationId })
  /** Staff locked or unlocked the record at the citizen's request. */
  | (EventHead<'identity.lock-changed'> & { readonly citizenId: string; readonly locked: boolean })
  /** The citizen lock; `reason` is set when staff lifted it. */
  | (EventHead<'own-lock.set'> & { readonly citizenId: string })
  | (EventHead<'own-lock.lifted'> & { readonly citizenId: string; readonly reason?: string | undefined })
  | (EventHead<'identity.verification-read'> & { readonly citizenId: string; readonly verification: VerificationId })
  | (EventHead<'identity.record-read'> & { readonly citizenId: string })
  | (EventHead<'notification.accepted'> &
      ProcessingBasis & {
        readonly citizenId: string;
        readonly notification: NotificationId;
        /**
         * `sha-256:…` in hex, as in the evidence: a holder of the content and the receipt can prove that they belong together.
         */
        readonly contentDigest: string;
      })
  | (EventHead<'notification.rehearsed'> & { readonly citizenId: string })
  | (EventHead<'notification.status-read'> & { readonly citizenId: string; readonly notification: NotificationId })
  | (EventHead<'notification.opened'> & {
      readonly citizenId: string;
      readonly notification: NotificationId;
      /** The channel of the opened link; absent if the message was opened in the inbox. */
      readonly channel?: string | undefined;
    })
  | (EventHead<'inbox.listed'> & { readonly citizenId: string; readonly shown: number })
  /** The contact preferences or verified addresses of the citizen were changed, or read. */
  | (EventHead<'contact-wishes.stated'> & { readonly citizenId: string })
  | (EventHead<'contact-wishes.read'> & { readonly citizenId: string })
  /** An address was to be verified by a code, the right or a wrong code was entered, or the address was removed. */
  | (EventHead<'contact-address.asked'> & { readonly citizenId: string; readonly channel: 'email' | 'sms' })
  | (EventHead<'contact-address.confirmed'> & { readonly citizenId: string; readonly channel: 'email' | 'sms' })
  | (EventHead<'contact-address.code-wrong'> & { readonly citizenId: string; readonly channel: 'email' | 'sms' })
  /** The code expired before it was entered. */
  | (EventHead<'contact-address.code-unused'> & { readonly citizenId: string; readonly channel: 'email' | 'sms' })
  | (EventHead<'contact-address.removed'> & { readonly citizenId: string; readonly channel: 'email' | 'sms' })
  | (EventHead<'notification.cancelled'> & { readonly citizenId: string; readonly notification: NotificationId })
  | (EventHead<'notification.undeliverable'> & {
      readonly citizenId: string;
      readonly notification: NotificationId;
      readonly reason: string;
    })
  | (EventHead<'notification.delivery-ended'> & {
      readonly citizenId: string;
      readonly notification: NotificationId;
      readonly delivery: DeliveryId;
      readonly channel: string;
      readonly outcome: 'sent' | 'delivered' | 'failed' | 'unknown' | 'skipped' | 'retry';
      readonly reason?: string | undefined;
    })
  | (EventHead<'document.deposited'> &
      ProcessingBasis & {
        readonly citizenId: string;
        readonly document: DocumentId;
        /**
         * `sha-256=:…:` of the document as it was received: a holder of the document and the receipt can prove that they belong
         * together.
         */
        readonly digest: string;
      })
  | (EventHead<'document.retrieved'> & ProcessingBasis & { readonly citizenId: string; readonly document: DocumentId })
  | (EventHead<'document.record-read'> &
      ProcessingBasis & { readonly citizenId: string; readonly document: DocumentId })
  | (EventHead<'document.listed'> &
      ProcessingBasis & { readonly citizenId: string; readonly documents: readonly DocumentId[] })
  | (EventHead<'document.refused'> & {
      readonly citizenId: string;
      readonly document: DocumentId;
      readonly reason: 'not-permitted' | 'not-available';
    })
  /**
   * A client requested an unknown document id: probing for ids is recorded. Its citizen is nobody, so that for others the entry
   * looks like the refusal of a document of somebody else.
   */
  | (EventHead<'document.unknown'> & {
      readonly citizenId: string;
      readonly document: DocumentId;
      readonly reason: 'not-permitted';
    })
  | (EventHead<'document.scanned'> & {
      readonly citizenId: string;
      readonly document: DocumentId;
      readonly verdict: 'clean' | 'infected' | 'unscannable';
      /** The scanner with the version of its signatures. */
      readonly engine: string;
      /** The name of the malware, or why the document could not be scanned. */
      readonly finding?: string | undefined;
    })
  | (EventHead<'document.withdrawn'> & { readonly citizenId: string; readonly document: DocumentId })
  | (EventHead<'document.erased'> & {
      readonly citizenId: string;
      readonly document: DocumentId;
      /** Why it was erased: by its issuer, its retention class, or the erasure of the citizen. */
      readonly rule: 'withdrawn' | 'retention-class' | 'citizen-erased';
      readonly retentionClass?: string | undefined;
      /** `sha-256=:…:` of the destroyed sealed bytes, if the record still opened. */
      readonly sealedDigest?: string | undefined;
    })
  | (EventHead<'document.granted'> & {
      readonly citizenId: string;
      readonly document: DocumentId;
      readonly to: string;
      readonly purpose: string;
      readonly endsAt?: string | undefined;
    })
  | (EventHead<'document.grant-ended'> & {
      readonly citizenId: string;
      readonly document: DocumentId;
      readonly to: string;
      readonly purpose: string;
    })
  | (EventHead<'document.hold-placed'> & {
      readonly citizenId: string;
      readonly hold: HoldId;
      /** Absent: all documents of the citizen. */
      readonly document?: DocumentId | undefined;
      readonly reason: string;
    })
  | (EventHead<'document.hold-released'> & {
      readonly citizenId: string;
      readonly hold: HoldId;
      readonly document?: DocumentId | undefined;
    })
  | (EventHead<'access-log.read'> & { readonly citizenId: string; readonly after: number; readonly shown: number });

/** An event about no single citizen. It holds no personal data, and is encrypted under the system key. */
export type SystemEvent =
  | (EventHead<'identity.searched'> & {
      readonly verification: VerificationId;
      readonly decision: 'match' | 'no_match' | 'not_determined';
      readonly policy: string;
      readonly claimsAsked: readonly string[];
    })
  | (EventHead<'identity.search-read'> & { readonly verification: VerificationId })
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
  | (EventHead<'notifications.listed'> & { readonly shown: number })
  | (EventHead<'client.created'> & { readonly clientId: string; readonly scopes: readonly string[] })
  | (EventHead<'client.changed'> & {
      readonly clientId: string;
      readonly changed: readonly (
        | 'name'
        | 'scopes'
        | 'purposes'
        | 'legalBases'
        | 'policy'
        | 'returnAddress'
        | 'quota'
        | 'credential'
      )[];
      /** The new scopes, if they changed. */
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
