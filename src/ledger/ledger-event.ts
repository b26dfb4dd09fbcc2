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

/** Who used a citizen's data: a client of the API, the citizen, an operator at the command line, or the server itself. */
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

/** A use that the citizen is told of only after an instant (RFC 3339), with the reason, which is shown then too. */
export type Concealment = { readonly hiddenUntil?: string; readonly hiddenReason?: string };

type EventHead<T extends string> = Concealment & {
  readonly type: T;
  readonly id: EventId;
  readonly at: number;
  readonly actor: Actor;
  /**
   * False where the client that acted may not have the receipt, which opens what the entry says: it was not told whom this
   * concerns, and finds the id of the event in the published log. Not a part of what the entry says.
   */
  readonly receipt?: false;
  /** So many bytes of blanks behind what the entry says of a citizen, whose length tells less then. Not a part of what it says. */
  readonly blanks?: number;
};

/** An event about one citizen: its content is sealed under that citizen's key. */
export type CitizenEvent =
  | (EventHead<'identity.verified'> &
      ProcessingBasis & {
        readonly citizenId: string;
        readonly verification: VerificationId;
        readonly decision: 'match' | 'no_match' | 'not_determined';
        readonly policy: string;
        readonly claimsAsked: readonly string[];
      })
  /** Somebody tried so many wrong values that every further question of the day or month is answered no_match. */
  | (EventHead<'identity.guesses-spent'> & { readonly citizenId: string; readonly verification: VerificationId })
  /** The citizen wishes that claims fit nothing, or no longer so, and staff notes it. */
  | (EventHead<'identity.lock-changed'> & { readonly citizenId: string; readonly locked: boolean })
  /** The citizen's own lock; with the reason where staff lifted it. */
  | (EventHead<'own-lock.set'> & { readonly citizenId: string })
  | (EventHead<'own-lock.lifted'> & { readonly citizenId: string; readonly reason?: string | undefined })
  | (EventHead<'identity.verification-read'> & { readonly citizenId: string; readonly verification: VerificationId })
  | (EventHead<'identity.record-read'> & { readonly citizenId: string })
  | (EventHead<'notification.accepted'> &
      ProcessingBasis & {
        readonly citizenId: string;
        readonly notification: NotificationId;
        /** `sha-256:…` in hexadecimal, as its evidence states it: whoever has the content shows by the receipt that it is this one. */
        readonly contentDigest: string;
      })
  | (EventHead<'notification.rehearsed'> & { readonly citizenId: string })
  | (EventHead<'notification.status-read'> & { readonly citizenId: string; readonly notification: NotificationId })
  | (EventHead<'notification.opened'> & {
      readonly citizenId: string;
      readonly notification: NotificationId;
      /** By the link of this channel; absent: in the inbox. */
      readonly channel?: string | undefined;
    })
  | (EventHead<'inbox.listed'> & { readonly citizenId: string; readonly shown: number })
  /** How the citizen wishes to be reached, or which addresses were verified, was stated anew; or it was read. */
  | (EventHead<'contact-wishes.stated'> & { readonly citizenId: string })
  | (EventHead<'contact-wishes.read'> & { readonly citizenId: string })
  /** A code was sent to an address that the citizen wants to verify; it, or something else, was entered; or the address was taken away. */
  | (EventHead<'contact-address.asked'> & { readonly citizenId: string; readonly channel: 'email' | 'sms' })
  | (EventHead<'contact-address.confirmed'> & { readonly citizenId: string; readonly channel: 'email' | 'sms' })
  | (EventHead<'contact-address.code-wrong'> & { readonly citizenId: string; readonly channel: 'email' | 'sms' })
  /** It was sent, and its time ended before anybody entered it. */
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
        /** `sha-256=:…:` of the document as it came: whoever has it shows by the receipt that it is this one. */
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
   * A client asked for an id that no document has: whoever tries ids is on record. Its citizen is nobody, so that the entry
   * is for everybody else what the refusal of a document that is not theirs is.
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
      /** The name of what was found, or why it could not be scanned. */
      readonly finding?: string | undefined;
    })
  | (EventHead<'document.withdrawn'> & { readonly citizenId: string; readonly document: DocumentId })
  | (EventHead<'document.erased'> & {
      readonly citizenId: string;
      readonly document: DocumentId;
      /** What let it be erased: its issuer, its retention class, or the erasure of the citizen. */
      readonly rule: 'withdrawn' | 'retention-class' | 'citizen-erased';
      readonly retentionClass?: string | undefined;
      /** `sha-256=:…:` of the sealed bytes that were destroyed, where the record still opened. */
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
      /** Absent: everything of the citizen. */
      readonly document?: DocumentId | undefined;
      readonly reason: string;
    })
  | (EventHead<'document.hold-released'> & {
      readonly citizenId: string;
      readonly hold: HoldId;
      readonly document?: DocumentId | undefined;
    })
  | (EventHead<'access-log.read'> & { readonly citizenId: string; readonly after: number; readonly shown: number });

/** An event about no single citizen: its content is clear and holds no personal data. */
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
  /** How often names are in the register was counted, for the matcher. */
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
      /** What it may from now on, where that changed. */
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
      /** SHA-256 over the ids of the erased documents, sorted, a line each: their own events have the rest. */
      readonly list: string;
    })
  | (EventHead<'signing-key.replaced'> & {
      readonly use: 'access-token' | 'result' | 'evidence' | 'checkpoint';
      readonly kid: string;
      /** Whether the old key was withdrawn at once, as one that others may have. */
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
      /** The pseudonym, in hex, of the person whose key was destroyed, and how many entries it had; what waits for its number comes on top. */
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

/** The closed union of what the ledger can say. A new kind of use starts here. */
export type LedgerEvent = CitizenEvent | SystemEvent;

/** True for an event whose content is sealed under a citizen's key. */
export function isCitizenEvent(event: LedgerEvent): event is CitizenEvent {
  return 'citizenId' in event;
}
