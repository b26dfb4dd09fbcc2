// Made by `npm run generate` from the OpenAPI document. Change the server, not this file.

/** The known values. Later versions of the server may send others, so a client must accept unknown values. */
export type Open<Word extends string> = Word | (string & Record<never, never>);

/** The bytes of a document. A stream can be sent only once. A retry can send the other types again. */
export type Bytes = Uint8Array | Blob | ReadableStream<Uint8Array>;

/** RFC 9457. The page at `type` says cause and fix; texts are for people, branch on `type`. */
export type Problem = {
  /** What kind of problem it is; a page with its cause and fix. */
  type: string;
  /** The kind in a few words; it does not change. */
  title: string;
  /** The status of the answer. */
  status: number;
  /** What is the matter this time. */
  detail: string;
  /** What to do about this kind of problem. */
  fix: string;
  /** Whether the same request can succeed later. */
  retryable: boolean;
  /** Also the Request-Id header, and in the log. */
  instance: string;
  /** Every fault of the input, all at once; values are never echoed. */
  issues?: Array<{
    /** Where it is. */
    in: 'query' | 'path' | 'header' | 'body';
    /** In a body: a JSON pointer to it. */
    pointer?: string;
    /** Elsewhere: the name of the parameter or header. */
    name?: string;
    /** What is wrong, for programs. */
    code: string;
    /** What was expected, for people. */
    detail: string;
  }>;
  /** Where something was too large: how many bytes it may have. */
  limit?: number;
  /** Where a token or its proof was not of this time: the clock of this server. */
  serverTime?: string;
  /** Where a scope is missing: which. */
  requiredScopes?: string[];
  /** Where a quota is used up: its name in RateLimit-Policy. */
  'violated-policies'?: string[];
  /** Of an erased document: the receipt of its erasure. */
  proof?: string;
};

/** The last part of the type of each problem of today. */
export type ProblemSlug =
  | 'bad-request'
  | 'malformed-json'
  | 'malformed-http'
  | 'idempotency-key-invalid'
  | 'no-access-token'
  | 'invalid-access-token'
  | 'invalid-dpop-proof'
  | 'dpop-nonce-needed'
  | 'expired-access-token'
  | 'missing-scope'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'request-timeout'
  | 'idempotency-key-in-progress'
  | 'payload-too-large'
  | 'uri-too-long'
  | 'unsupported-media-type'
  | 'expectation-failed'
  | 'idempotency-key-reused'
  | 'quota-exceeded'
  | 'too-many-failed-requests'
  | 'headers-too-large'
  | 'internal-error'
  | 'outcome-unknown'
  | 'capacity-reduced'
  | 'insufficient-claims'
  | 'claims-in-url-refused'
  | 'purpose-not-permitted'
  | 'legal-basis-not-permitted'
  | 'claim-not-permitted'
  | 'hiding-not-permitted'
  | 'citizen-token-needed'
  | 'citizen-not-found'
  | 'document-not-found'
  | 'notification-not-found'
  | 'webhook-not-found'
  | 'template-not-found'
  | 'verification-not-found'
  | 'contact-address-not-found'
  | 'contact-code-wrong'
  | 'contact-code-needed'
  | 'too-many-contact-codes'
  | 'too-many-unlocks'
  | 'lock-not-kept-here'
  | 'receipt-not-found'
  | 'conflict'
  | 'changed-meanwhile'
  | 'document-not-ready'
  | 'document-quarantined'
  | 'cursor-expired'
  | 'document-withdrawn'
  | 'document-erased'
  | 'precondition-failed'
  | 'range-not-satisfiable'
  | 'content-mismatch'
  | 'register-unavailable'
  | 'document-unreadable';

/** Answer of: Verify citizen identity claims. */
export type VerifyIdentityByQueryAnswer = {
  /** The id of this answer. */
  verificationId: string;
  /** Whether decision is match. */
  verified: boolean;
  /**
   * not_determined: the record is under review, several people fit, or the register is unavailable. An unknown id is
   * no_match.
   */
  decision: Open<'match' | 'no_match' | 'not_determined'>;
  /** Per submitted claim, on a match, with the scope identity:verify:claims. */
  claims?: {
    /** The id of the citizen in the register. */
    citizenId?: Open<'match' | 'no_match' | 'not_available'>;
    givenName?: Open<'match' | 'no_match' | 'not_available'>;
    familyName?: Open<'match' | 'no_match' | 'not_available'>;
    birthFamilyName?: Open<'match' | 'no_match' | 'not_available'>;
    birthDate?: Open<'match' | 'no_match' | 'not_available'>;
    birthPlace?: Open<'match' | 'no_match' | 'not_available'>;
    streetAddress?: Open<'match' | 'no_match' | 'not_available'>;
    postalCode?: Open<'match' | 'no_match' | 'not_available'>;
    locality?: Open<'match' | 'no_match' | 'not_available'>;
    country?: Open<'match' | 'no_match' | 'not_available'>;
    documentNumber?: Open<'match' | 'no_match' | 'not_available'>;
    nationality?: Open<'match' | 'no_match' | 'not_available'>;
  };
  /** What was done: data was compared with the register. */
  assurance: {
    /** The framework of the level. */
    framework: string;
    /** The check proves that such a person exists, not that the user of the client is this person. */
    level: string;
  };
  /** The named, versioned rules of the decision. */
  policy: string;
  /** When the register was asked. */
  checkedAt: string;
  /** The end of the validity of the result and its token. */
  expiresAt: string;
  /** For what the data is used. */
  purpose: string | null;
  /** The law that allows the use. */
  legalBasis: string | null;
  /** Where the citizen’s consent is on record. */
  consentReference: string | null;
  /** sha-256: and base64url of SHA-256 over the canonical JSON (RFC 8785) of all members as sent, in camelCase. */
  requestHash: string;
  /** Path of the ledger receipt of this access. */
  receipt: string;
  /**
   * The signed result, a JWS of type identity-verification+jwt. verified_claims (OpenID Connect for Identity Assurance)
   * is in it on a match only.
   */
  token: string;
};

/** Body of: Verify citizen identity claims. */
export type VerifyIdentityBody = {
  /** The id of the citizen in the register. */
  citizenId?: string;
  /** Given names, as on the papers. */
  givenName?: string;
  /** Family name. */
  familyName?: string;
  /** Family name at birth. */
  birthFamilyName?: string;
  /** YYYY-MM-DD; YYYY-MM or YYYY where no more is known. */
  birthDate?: string;
  /** Place of birth. */
  birthPlace?: string;
  /** Street and house number. */
  streetAddress?: string;
  /** Postal code. */
  postalCode?: string;
  /** Town. */
  locality?: string;
  /** Country, written as in the register. */
  country?: string;
  /** Number of an identity document. */
  documentNumber?: string;
  /** Nationality, written as in the register, as ISO 3166-1 code; several with commas between. */
  nationality?: string;
  /** One of the purposes that were agreed for the client. */
  purpose?: string;
  /** The legal basis of the question. */
  legalBasis?: string;
  /** Where the consent of the citizen is on record. */
  consentReference?: string;
  /** Comes back in the signed result. */
  nonce?: string;
  /** The same as citizenId. */
  citizen_id?: string;
  /** The same as givenName. */
  given_name?: string;
  /** The same as familyName. */
  family_name?: string;
  /** The same as birthFamilyName. */
  birth_family_name?: string;
  /** The same as birthDate. */
  birthdate?: string;
  /** The same as birthPlace. */
  birth_place?: string;
  /** The same as streetAddress. */
  street_address?: string;
  /** The same as postalCode. */
  postal_code?: string;
  /** The same as documentNumber. */
  document_number?: string;
  /** The same as birthDate. */
  birth_date?: string;
  /** The same as legalBasis. */
  legal_basis?: string;
  /** The same as consentReference. */
  consent_reference?: string;
};

/** Body of: Send an official notification to a citizen. */
export type SendNotificationBody = {
  /** The id of the citizen in the register. */
  citizenId: string;
  /**
   * The text of the message, plain or in restricted Markdown; required without templateId. The whole body is at most 64
   * KiB.
   */
  message?: string;
  /**
   * A template of yours, in place of message and subject: its text in language, else in that of the citizen, else in
   * its default one.
   */
  templateId?: string;
  /** One line; without it the sender is named. */
  subject?: string;
  /** Your own reference, to find the notification by. It need not be unique; put no personal data in it. */
  reference?: string;
  /** What kind of message it is (default information); urgent ones go before all others. */
  category?: 'information' | 'decision' | 'reminder' | 'urgent';
  /** The language of the message (BCP 47); without it the citizen’s own is assumed. Of a template one that it has. */
  language?: string;
  /** Not sent before this; in the future, at most a year ahead. */
  sendAt?: string;
  /** Undeliverable if not delivered by then; after sendAt, default two weeks after it. */
  deliverBy?: string;
  /**
   * The channels in the order wanted: the first begins at once, the next after the waits that the policy of the server
   * has between them; the inbox is used always. Default: all of the policy.
   */
  channels?: Array<'inbox' | 'email' | 'sms' | 'letter'>;
  /**
   * Makes subject and message a template: a value for each placeholder ((name)), all of them required. Values are text;
   * Markdown in them does not count. The limits of both hold for the filled texts too.
   */
  personalisation?: Record<string, string>;
  /**
   * Ids of documents of this citizen that you may read; the citizen finds them in the message and may read them too.
   */
  attachments?: string[];
  /**
   * The rule by which it counts as served: opened, after-N-working-days, after-N-days or as-letter; see its evidence.
   */
  legalEffect?: string;
  /** true checks everything and shows what each channel would send, and sends nothing. */
  dryRun?: boolean;
};

/** Answer of: Send an official notification to a citizen. */
export type SendNotificationAnswer200 = {
  dryRun: true;
  /** false: no such citizen, all channels would fail. Always true without the scope citizens:known. */
  citizenKnown: boolean;
  /**
   * The language of the message: as you named it, or of the text that was chosen from the template. Without it, and
   * without the scope citizens:known, that of the citizen is not told: of a template the default one is shown.
   */
  language?: string;
  /** What each channel would send. */
  channels: Array<{
    /** The channel. */
    channel: Open<'inbox' | 'email' | 'sms' | 'letter'>;
    reminder?: boolean;
    /** When this step would begin, if still unread. */
    notBefore: string;
    /**
     * false: the channel would end without a message, for the reason given. Without the scope citizens:known only what
     * does not depend on the citizen.
     */
    reachable: boolean;
    /** Why it is so, and who has to act. */
    reason?: {
      /** For programs; a code never changes its meaning. */
      code: Open<
        | 'citizen-unknown'
        | 'citizen-deceased'
        | 'no-contact'
        | 'address-invalid'
        | 'address-refused'
        | 'mailbox-full'
        | 'destination-unreachable'
        | 'message-refused'
        | 'letter-unprintable'
        | 'letter-returned'
        | 'provider-busy'
        | 'provider-unreachable'
        | 'provider-refuses-us'
        | 'channel-not-configured'
        | 'outcome-unknown'
        | 'deadline-passed'
        | 'no-proof'
        | 'unopened'
        | 'content-erased'
        | 'already-read'
        | 'declined'
        | 'nothing-to-remind'
        | 'withdrawn'
        | 'internal-fault'>;
      /** Whether sending the same again later can succeed. */
      retryable: boolean;
      /** Who has to do something first. */
      whoActs: Open<'citizen' | 'sender' | 'operator' | 'nobody'>;
      /** For people. */
      detail: string;
    };
    /** Email and inbox: the subject. */
    subject?: string;
    /**
     * The text that this channel would carry; of a mail all but the id and its links. The link of a text message has an
     * id of zeros.
     */
    text: string;
    /** Inbox: the same as a page. Email: the same, where the message has headings, lists, links or strong words. */
    html?: string;
    /** Text messages: how many segments it takes. */
    segments?: number;
  }>;
};

/** Answer of: Send an official notification to a citizen. */
export type SendNotificationAnswer202 = {
  /** The id; opaque. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The reference that the sender gave. */
  reference: string | null;
  /** Where it stands. */
  status: 'accepted';
  /** When it was made. */
  createdAt: string;
  /** Not sent before this. */
  sendAt?: string;
  /** Undeliverable if not delivered by then. */
  deliverBy: string;
  /** The ledger receipt of the acceptance. */
  receipt: string;
};

/** Answer of: The status and timeline of a notification. */
export type ReadNotificationAnswer = {
  /** The id; opaque. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The reference that the sender gave. */
  reference: string | null;
  /** What kind of message it is. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /** Where it stands. */
  status: Open<'accepted' | 'scheduled' | 'sending' | 'delivered' | 'read' | 'undeliverable' | 'cancelled'>;
  /** When it came into that status. */
  statusAt: string;
  /** When it was accepted. */
  createdAt: string;
  /** Not sent before this. */
  sendAt?: string;
  /** The rule by which it counts as served. */
  legalEffect?: string;
  /** Undeliverable if not delivered by then. */
  deliverBy: string;
  /** The ledger receipt of its acceptance. */
  receipt: string;
  /** The language of the message, as its sender named it. */
  language: string | null;
  /** Why it is so, and who has to act. */
  reason?: {
    /** For programs; a code never changes its meaning. */
    code: Open<
      | 'citizen-unknown'
      | 'citizen-deceased'
      | 'no-contact'
      | 'address-invalid'
      | 'address-refused'
      | 'mailbox-full'
      | 'destination-unreachable'
      | 'message-refused'
      | 'letter-unprintable'
      | 'letter-returned'
      | 'provider-busy'
      | 'provider-unreachable'
      | 'provider-refuses-us'
      | 'channel-not-configured'
      | 'outcome-unknown'
      | 'deadline-passed'
      | 'no-proof'
      | 'unopened'
      | 'content-erased'
      | 'already-read'
      | 'declined'
      | 'nothing-to-remind'
      | 'withdrawn'
      | 'internal-fault'>;
    /** Whether sending the same again later can succeed. */
    retryable: boolean;
    /** Who has to do something first. */
    whoActs: Open<'citizen' | 'sender' | 'operator' | 'nobody'>;
    /** For people. */
    detail: string;
  };
  /** One for each channel. */
  deliveries: Array<{
    /** The id; opaque. */
    id: string;
    /** The channel. */
    channel: Open<'inbox' | 'email' | 'sms' | 'letter'>;
    /** It tells again of an unread message. */
    reminder?: boolean;
    /** sent: the provider took it; delivered: proved to be in the hands of the citizen. */
    status: Open<'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'unknown' | 'skipped'>;
    /** Calls of the provider so far. */
    attempts: number;
    /** While queued: not before this. Before the first attempt with the scope citizens:known only. */
    nextAttemptAt?: string;
    /** When it came into its last status. */
    endedAt?: string;
    /** Why it is so, and who has to act. */
    reason?: {
      /** For programs; a code never changes its meaning. */
      code: Open<
        | 'citizen-unknown'
        | 'citizen-deceased'
        | 'no-contact'
        | 'address-invalid'
        | 'address-refused'
        | 'mailbox-full'
        | 'destination-unreachable'
        | 'message-refused'
        | 'letter-unprintable'
        | 'letter-returned'
        | 'provider-busy'
        | 'provider-unreachable'
        | 'provider-refuses-us'
        | 'channel-not-configured'
        | 'outcome-unknown'
        | 'deadline-passed'
        | 'no-proof'
        | 'unopened'
        | 'content-erased'
        | 'already-read'
        | 'declined'
        | 'nothing-to-remind'
        | 'withdrawn'
        | 'internal-fault'>;
      /** Whether sending the same again later can succeed. */
      retryable: boolean;
      /** Who has to do something first. */
      whoActs: Open<'citizen' | 'sender' | 'operator' | 'nobody'>;
      /** For people. */
      detail: string;
    };
  }>;
  /** What happened, in order. */
  timeline: Array<{
    /** When it happened. */
    at: string;
    /** What happened. */
    event: Open<
      | 'accepted'
      | 'scheduled'
      | 'sending'
      | 'retry'
      | 'sent'
      | 'delivered'
      | 'failed'
      | 'unknown'
      | 'skipped'
      | 'read'
      | 'undeliverable'
      | 'cancelled'>;
    /** The channel, where it is about one. */
    channel?: Open<'inbox' | 'email' | 'sms' | 'letter'>;
    /** The number of the attempt; part of the Message-ID of mail. */
    attempt?: number;
    /** Why it is so, and who has to act. */
    reason?: {
      /** For programs; a code never changes its meaning. */
      code: Open<
        | 'citizen-unknown'
        | 'citizen-deceased'
        | 'no-contact'
        | 'address-invalid'
        | 'address-refused'
        | 'mailbox-full'
        | 'destination-unreachable'
        | 'message-refused'
        | 'letter-unprintable'
        | 'letter-returned'
        | 'provider-busy'
        | 'provider-unreachable'
        | 'provider-refuses-us'
        | 'channel-not-configured'
        | 'outcome-unknown'
        | 'deadline-passed'
        | 'no-proof'
        | 'unopened'
        | 'content-erased'
        | 'already-read'
        | 'declined'
        | 'nothing-to-remind'
        | 'withdrawn'
        | 'internal-fault'>;
      /** Whether sending the same again later can succeed. */
      retryable: boolean;
      /** Who has to do something first. */
      whoActs: Open<'citizen' | 'sender' | 'operator' | 'nobody'>;
      /** For people. */
      detail: string;
    };
  }>;
};

/** Answer of: The notifications that this client sent. */
export type ListNotificationsAnswer = {
  /** The things on this page. */
  items: Array<{
    /** The id; opaque. */
    id: string;
    /** The id of the citizen in the register. */
    citizenId: string;
    /** The reference that the sender gave. */
    reference: string | null;
    /** What kind of message it is. */
    category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
    /** Where it stands. */
    status: Open<'accepted' | 'scheduled' | 'sending' | 'delivered' | 'read' | 'undeliverable' | 'cancelled'>;
    /** When it came into that status. */
    statusAt: string;
    /** When it was accepted. */
    createdAt: string;
    /** Not sent before this. */
    sendAt?: string;
    /** The rule by which it counts as served. */
    legalEffect?: string;
    /** Undeliverable if not delivered by then. */
    deliverBy: string;
    /** The ledger receipt of its acceptance. */
    receipt: string;
  }>;
  /** The cursor of the next page; absent on the last one. */
  next?: string;
};

/** Answer of: Deposit a document for a citizen. */
export type DepositDocumentAnswer = {
  /** The id; opaque. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The title of the document. */
  title: string;
  /** The kind of document, as its issuer names it. */
  kind: string | null;
  /** The media type of the document. */
  mediaType: string;
  /** Bytes of the document. */
  size: number;
  /** As in Repr-Digest (RFC 9530): sha-256=:BASE64: */
  digest: string;
  /** The client that deposited it. */
  issuer: string;
  /** When the document was issued. */
  issuedAt: string;
  /** Where it stands. */
  status: Open<'scanning' | 'available' | 'quarantined' | 'withdrawn'>;
  /** Until when it is not erased. */
  retainUntil: string | null;
  /** The class of retention. */
  retentionClass: string | null;
  /** When it is erased by itself; null: never. */
  eraseAt: string | null;
  /** Malware scan. not-scanned: this installation gives documents out without a scanner. */
  scan: {
    /** What the scan came to. */
    verdict: Open<'clean' | 'infected' | 'unscannable' | 'not-scanned' | 'waiting'>;
    /** Of the last scan. */
    at: string | null;
    /** The scanner and the version of its signatures. */
    engine: string | null;
    /** What was found. */
    finding: string | null;
  };
  /** Who else may read it now: all grants for its issuer and its citizen, its own for a client with a grant. */
  access: Array<{
    /** The client. */
    clientId: string;
    /** For what the data is used. */
    purpose: string;
    /** Null: no end. */
    endsAt: string | null;
  }>;
  /** The receipt of this deposit. */
  receipt: string;
};

/** Answer of: List the records of a citizen’s documents. */
export type ListDocumentsAnswer = {
  /** The records on this page. */
  documents: Array<{
    /** The id; opaque. */
    id: string;
    /** The id of the citizen in the register. */
    citizenId: string;
    /** The title of the document. */
    title: string;
    /** The kind of document, as its issuer names it. */
    kind: string | null;
    /** The media type of the document. */
    mediaType: string;
    /** Bytes of the document. */
    size: number;
    /** As in Repr-Digest (RFC 9530): sha-256=:BASE64: */
    digest: string;
    /** The client that deposited it. */
    issuer: string;
    /** When the document was issued. */
    issuedAt: string;
    /** Where it stands. */
    status: Open<'scanning' | 'available' | 'quarantined' | 'withdrawn'>;
    /** Until when it is not erased. */
    retainUntil: string | null;
    /** The class of retention. */
    retentionClass: string | null;
    /** When it is erased by itself; null: never. */
    eraseAt: string | null;
    /** Malware scan. not-scanned: this installation gives documents out without a scanner. */
    scan: {
      /** What the scan came to. */
      verdict: Open<'clean' | 'infected' | 'unscannable' | 'not-scanned' | 'waiting'>;
      /** Of the last scan. */
      at: string | null;
      /** The scanner and the version of its signatures. */
      engine: string | null;
      /** What was found. */
      finding: string | null;
    };
    /** Who else may read it now: all grants for its issuer and its citizen, its own for a client with a grant. */
    access: Array<{
      /** The client. */
      clientId: string;
      /** For what the data is used. */
      purpose: string;
      /** Null: no end. */
      endsAt: string | null;
    }>;
  }>;
  /** Ids of documents on this page whose record is damaged; the operator was told. */
  unreadable: string[];
  /** For `after`; null on the last page. */
  next: string | null;
};

/** Answer of: Retrieve a secure document. */
export type RetrieveDocumentAnswer = {
  /** The id; opaque. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The title of the document. */
  title: string;
  /** The kind of document, as its issuer names it. */
  kind: string | null;
  /** The media type of the document. */
  mediaType: string;
  /** Bytes of the document. */
  size: number;
  /** As in Repr-Digest (RFC 9530): sha-256=:BASE64: */
  digest: string;
  /** The client that deposited it. */
  issuer: string;
  /** When the document was issued. */
  issuedAt: string;
  /** Where it stands. */
  status: Open<'scanning' | 'available' | 'quarantined' | 'withdrawn'>;
  /** Until when it is not erased. */
  retainUntil: string | null;
  /** The class of retention. */
  retentionClass: string | null;
  /** When it is erased by itself; null: never. */
  eraseAt: string | null;
  /** Malware scan. not-scanned: this installation gives documents out without a scanner. */
  scan: {
    /** What the scan came to. */
    verdict: Open<'clean' | 'infected' | 'unscannable' | 'not-scanned' | 'waiting'>;
    /** Of the last scan. */
    at: string | null;
    /** The scanner and the version of its signatures. */
    engine: string | null;
    /** What was found. */
    finding: string | null;
  };
  /** Who else may read it now: all grants for its issuer and its citizen, its own for a client with a grant. */
  access: Array<{
    /** The client. */
    clientId: string;
    /** For what the data is used. */
    purpose: string;
    /** Null: no end. */
    endsAt: string | null;
  }>;
};

/** Answer of: Withdraw a document. */
export type WithdrawDocumentAnswer = {
  /** The id; opaque. */
  id: string;
  /** Where it stands. */
  status: Open<'withdrawn' | 'erased'>;
  /** When. */
  at: string;
  retainUntil: string | null;
  /** The receipt of this use; of an erasure, its proof. */
  receipt: string;
};

/** Answer of: The ledger receipt of one use. */
export type ReadReceiptAnswer200 = {
  /** The id of the event. */
  eventId: string;
  /** The kind of use, as notification.accepted. */
  type: string;
  /** When it was recorded. */
  recordedAt: string;
  /** An entry of the signed log. */
  status: 'logged';
  /** The number of the entry in the log, from 0. */
  leafIndex: number;
  /** Its hash (RFC 6962) in base64. */
  leafHash: string;
  /** The size of the log that the proof leads to. */
  treeSize: number;
  /**
   * A c2sp.org/tlog-proof, verifiable offline with the public key of the log; its extra line holds the entry and the
   * key that opens what it says.
   */
  proof: string;
};

/** Answer of: The ledger receipt of one use. */
export type ReadReceiptAnswer202 = {
  /** The id of the event. */
  eventId: string;
  /** The kind of use, as notification.accepted. */
  type: string;
  /** When it was recorded. */
  recordedAt: string;
  /** Durable in this installation; its number in the signed log follows. */
  status: 'recorded';
};

/** Answer of: The register of endpoints. */
export type ListEndpointsAnswer = {
  /** Every endpoint in the order in which it came. */
  endpoints: Array<{
    /** The name. */
    name: string;
    /** The release that brought it. */
    since: string;
    /** The method of HTTP. */
    method: string;
    /** The path. */
    path: string;
    /** The scope that the endpoint needs; null: none. */
    scope: string | null;
    /** In one line. */
    summary: string;
    /** The hash of the schemas of the endpoint. */
    schemaHash: string;
  }>;
  /** The proof that the register only grew. */
  growth?: {
    /** The pseudonym of the register in the ledger, in base64. */
    chain: string;
    /** The key with which the chain of its entries is checked, in base64. */
    linkKey: string;
    /** The size of the log. */
    treeSize: number;
    /** The entries of the ledger. */
    entries: Array<{
      /** From 1 without gaps; what was number 7 stays number 7. */
      number: number;
      /** The name of the endpoint. */
      endpoint: string;
      /** The release that brought it. */
      since: string;
      /** The hash of the schemas of the endpoint. */
      schemaHash: string;
      /** A c2sp.org/tlog-proof of the entry, verifiable offline. */
      proof: string;
    }>;
  };
};

/** Body of: Let another client read a document. */
export type GrantDocumentBody = {
  /** Who may read it. */
  clientId: string;
  /** For what; one of that client’s purposes. */
  purpose: string;
  /** RFC 3339, in the future; absent: no end. */
  endsAt?: string;
};

/** Answer of: Let another client read a document. */
export type GrantDocumentAnswer = {
  /** The client. */
  clientId: string;
  /** For what the data is used. */
  purpose: string;
  /** Until when; null: without end. */
  endsAt: string | null;
  /** Where the ledger receipt of this use is. */
  receipt: string;
};

/** Answer of: End a grant. */
export type EndGrantAnswer = {
  /** Where the ledger receipt of this use is. */
  receipt: string;
};

/** Answer of: Who used my data. */
export type ReadOwnAccessLogAnswer = {
  /** How many uses there are in all. */
  totalUsages: number;
  /** How many uses are in this answer. */
  returnedUsages: number;
  /** The uses, oldest first. */
  usages: Array<{
    /** The place among all uses of your data, from 1 without gaps. */
    number: number;
    /** When the data was used. */
    logTime: string;
    /** hidden: disclosed later by law; erased: its content was destroyed, its proof stays. */
    state: Open<'shown' | 'hidden' | 'erased'>;
    /** As in Andmejälgija v3, as DATA_RESPONSE. */
    processingType?: string;
    /** The kind of use, as document.retrieved. */
    usage?: string;
    /** For what the data is used. */
    purpose?: string;
    /** The law that allows the use. */
    legalBasis?: string;
    /** Where the citizen’s consent is on record. */
    consentReference?: string;
    /** The organisation that used the data. */
    initiatorOrg?: {
      /** The kind. */
      type: string;
      /** For programs; a code never changes its meaning. */
      code: string;
      /** The name. */
      name: string;
    };
    /** citizen, operator or system, where no organisation acted. */
    initiator?: string;
    /** The system that wrote the entry. */
    logSourceSystem?: string;
    /** The id of the event. */
    queryId?: string;
    /** Whether many citizens were concerned at once. */
    bulkProcessing?: boolean;
    /** Until when the use was hidden. */
    hiddenUntil?: string;
    /** Why the use was hidden. */
    hiddenReason?: string;
    /** What this kind of use has besides. */
    details?: Record<string, unknown>;
    /**
     * Of a check of details: why it was answered as it was, for as long as the answer is kept. Who asked was not told.
     */
    explanation?: {
      /** Why it was no match; null for one. */
      reason: Open<
        | 'claims-do-not-fit'
        | 'record-locked'
        | 'record-of-the-dead'
        | 'record-under-review'
        | 'others-fit-as-well'
        | 'guesses-spent'
        | 'register-unavailable'> | null;
      /** How each claim compares with your record: former, it was so before; not_available, the record has nothing. */
      claims: Record<string, Open<'match' | 'similar' | 'former' | 'no_match' | 'not_available'>>;
    };
    /** A c2sp.org/tlog-proof of the entry, verifiable offline. */
    proof: string;
  }>;
  /** The pseudonym of this chain of entries in the ledger, in base64. */
  chain: string;
  /** The key with which the chain of entries is checked, in base64. */
  linkKey: string;
  /** As linkKey, for uses from before the register had you: one of the two fits each. */
  earlierLinkKey?: string;
};

/** Body of: Be called when something becomes of a notification. */
export type CreateWebhookBody = {
  /** Where to call: https, a public host, no name or password in it. */
  url: string;
  /** v1 (default): HMAC by a shared secret. v1a: Ed25519, verified by a public key. */
  signature?: 'v1' | 'v1a';
};

/** Answer of: Be called when something becomes of a notification. */
export type CreateWebhookAnswer = {
  /** The id; opaque. */
  id: string;
  /** Where it is called. */
  url: string;
  /** active; or disabled, since its receiver answered 410. */
  status: string;
  /** How calls are signed: v1 (HMAC) or v1a (Ed25519). */
  signature?: string;
  /** When it was made. */
  createdAt: string;
  /** Calls that are still to be made; 10,000 where there are more. */
  waiting: number;
  /** Calls that were given up, 10,000 where there are more; ask for redelivery to make them again. */
  dead: number;
  /** Until then the secret before the present one signs along. */
  oldSecretUntil?: string;
  /** whsec_…, shown once: when it is made or rotated. v1 only. */
  secret?: string;
  /** whpk_…, by which v1a signatures verify. */
  publicKey?: string;
  /** The key before, which signs along until oldSecretUntil. */
  oldPublicKey?: string;
};

/** Answer of: The webhooks of this client. */
export type ListWebhooksAnswer = {
  /** The things on this page. */
  items: Array<{
    /** The id; opaque. */
    id: string;
    /** Where it is called. */
    url: string;
    /** active; or disabled, since its receiver answered 410. */
    status: string;
    /** How calls are signed: v1 (HMAC) or v1a (Ed25519). */
    signature?: string;
    /** When it was made. */
    createdAt: string;
    /** Calls that are still to be made; 10,000 where there are more. */
    waiting: number;
    /** Calls that were given up, 10,000 where there are more; ask for redelivery to make them again. */
    dead: number;
    /** Until then the secret before the present one signs along. */
    oldSecretUntil?: string;
    /** whsec_…, shown once: when it is made or rotated. v1 only. */
    secret?: string;
    /** whpk_…, by which v1a signatures verify. */
    publicKey?: string;
    /** The key before, which signs along until oldSecretUntil. */
    oldPublicKey?: string;
  }>;
};

/** Answer of: What became of the notifications of this client, in order. */
export type ReadEventsAnswer = {
  /** The things on this page. */
  items: Array<{
    /** The id of the event in the ledger, and the webhook-id of its calls. */
    id: string;
    /** Counts this client’s events from 1, without gaps. */
    number: number;
    /**
     * What happened: notification.delivery-ended, notification.undeliverable, notification.opened,
     * notification.cancelled; more may come.
     */
    type: string;
    /** When it happened. */
    timestamp: string;
    /** Nothing about the citizen. */
    data: {
      /** Its id. */
      notification: string;
      /** Yours, as it was sent. */
      reference: string | null;
      /** The status of the notification behind the event. */
      status: Open<'accepted' | 'scheduled' | 'sending' | 'delivered' | 'read' | 'undeliverable' | 'cancelled'>;
      /** Of notification.delivery-ended: the id of the delivery. */
      delivery?: string;
      /** Its channel. */
      channel?: Open<'inbox' | 'email' | 'sms' | 'letter'>;
      /** What came of it. */
      outcome?: Open<'sent' | 'delivered' | 'failed' | 'unknown' | 'skipped' | 'retry'>;
      /** Why a delivery had no success, or the notification is undeliverable; as reason.code. */
      reason?: Open<
        | 'citizen-unknown'
        | 'citizen-deceased'
        | 'no-contact'
        | 'address-invalid'
        | 'address-refused'
        | 'mailbox-full'
        | 'destination-unreachable'
        | 'message-refused'
        | 'letter-unprintable'
        | 'letter-returned'
        | 'provider-busy'
        | 'provider-unreachable'
        | 'provider-refuses-us'
        | 'channel-not-configured'
        | 'outcome-unknown'
        | 'deadline-passed'
        | 'no-proof'
        | 'unopened'
        | 'content-erased'
        | 'already-read'
        | 'declined'
        | 'nothing-to-remind'
        | 'withdrawn'
        | 'internal-fault'>;
      [more: string]: unknown;
    };
  }>;
  /** The cursor for the next request; the same as before where nothing is new. */
  after: string;
};

/** Answer of: The evidence of a notification, verifiable offline. */
export type ReadEvidenceAnswer = {
  /** A compact JWS (RFC 7515). */
  evidence: string;
  /** A JWS with a time stamp token (RFC 3161) over it, where an authority is set. */
  timeStamp?: string;
};

/** Body of: How I wish to be reached. */
export type StatePreferencesBody = {
  /** The channels in the order wished; the others follow in the order of the policy. */
  channels?: Array<'email' | 'sms' | 'letter'>;
  /** Never by these. The inbox and letters cannot be declined. */
  declined?: Array<'email' | 'sms'>;
  /** Only in these hours, but for urgent messages. */
  hours?: {
    /** Which channels keep to them. */
    channels: Array<'email' | 'sms'>;
    /** The first full hour of the day. */
    from: number;
    /** The hour at which they end; over midnight too. */
    until: number;
    /** As Europe/Lisbon. */
    timeZone: string;
  };
  /** In this language (BCP 47), where the sender has it. */
  language?: string;
};

/** Answer of: How I wish to be reached. */
export type StatePreferencesAnswer = {
  /** The channels in the order wished; the others follow in the order of the policy. */
  channels?: Array<Open<'email' | 'sms' | 'letter'>>;
  /** Never by these. The inbox and letters cannot be declined. */
  declined?: Array<Open<'email' | 'sms'>>;
  /** Only in these hours, but for urgent messages. */
  hours?: {
    /** Which channels keep to them. */
    channels: Array<Open<'email' | 'sms'>>;
    /** The first full hour of the day. */
    from: number;
    /** The hour at which they end; over midnight too. */
    until: number;
    /** As Europe/Lisbon. */
    timeZone: string;
  };
  /** In this language (BCP 47), where the sender has it. */
  language?: string;
  /** The addresses that were verified; they are used before those of the register. */
  verified: Array<{
    /** email or sms. */
    channel: string;
    address: string;
    verifiedAt: string;
  }>;
  /** The addresses to which a code went that can still be entered. */
  awaiting: Array<{
    /** email or sms. */
    channel: string;
    address: string;
    /** Until when the code is good. */
    endsAt: string;
  }>;
  /** The channels whose addresses can be verified here by a code: email, sms. */
  confirmable: string[];
};

/** Answer of: My official messages. */
export type ListInboxMessagesAnswer = {
  /** The things on this page. */
  items: Array<{
    /** The id; opaque. */
    id: string;
    /** The subject line. */
    subject: string | null;
    /** The name of the service that sent it. */
    sender: string;
    /** What kind of message it is. */
    category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
    /** The language (BCP 47). */
    language: string | null;
    /** When its sender handed it in. */
    createdAt: string;
    /** When it came to lie in the inbox: then, or at the time that its sender had named. */
    receivedAt: string;
    /** Whether it was opened before. */
    opened: boolean;
  }>;
  /** before of the next page; absent on the last. */
  next?: string;
};

/** Answer of: Open one of my messages. */
export type OpenInboxMessageAnswer = {
  /** The id; opaque. */
  id: string;
  /** The subject line. */
  subject: string | null;
  /** The name of the service that sent it. */
  sender: string;
  /** What kind of message it is. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /** The language (BCP 47). */
  language: string | null;
  /** When its sender handed it in. */
  createdAt: string;
  /** When it came to lie in the inbox: then, or at the time that its sender had named. */
  receivedAt: string;
  /** Whether it was opened before. */
  opened: boolean;
  /** As it was sent: plain text or restricted Markdown. */
  message: string;
  /** The same as a page of its own, every text escaped. */
  html: string;
  /** Documents that belong to the message. */
  attachments: Array<{
    /** A document of the citizen, to be read at /v1/documents/{id}. */
    id: string;
    /** The title of the document. */
    title: string;
  }>;
};

/** Answer of: Read my register record. */
export type ReadOwnRecordAnswer = {
  /** The id of the citizen in the register. */
  citizenId: string;
  givenName: string | null;
  familyName: string | null;
  birthFamilyName: string | null;
  birthDate: string | null;
  birthPlace: string | null;
  streetAddress: string | null;
  postalCode: string | null;
  locality: string | null;
  country: string | null;
  documentNumber: string | null;
  nationality: string | null;
  email: string | null;
  phone: string | null;
  /** The language (BCP 47). */
  language: string | null;
  formerNames: Array<{
    givenName?: string;
    familyName?: string;
    from?: string;
    until?: string;
  }>;
  formerAddresses: Array<{
    streetAddress?: string;
    postalCode?: string;
    locality?: string;
    country?: string;
    from?: string;
    until?: string;
  }>;
  /** The record is disputed: claims that fit it are answered not_determined. */
  underReview: boolean;
  /** Staff of the register has locked the record at your request: no claims match. */
  locked: boolean;
  /** You have locked the record yourself: no claims match. null if this server does not store such locks. */
  ownLock: boolean | null;
  /** The record says that you have died: no claims match. */
  deceased: boolean;
};

/** Body of: Have a code sent to an address of mine. */
export type AskContactCodeBody = {
  /** How messages go to this address. */
  channel: 'email' | 'sms';
  /** A mail address; or a phone number in E.164, as +4740000000. */
  address: string;
};

/** Answer of: Have a code sent to an address of mine. */
export type AskContactCodeAnswer = {
  /** The channel. */
  channel: Open<'email' | 'sms'>;
  /** Until when the code is good. */
  endsAt: string;
};

/** Body of: Enter the code that came to my address. */
export type ConfirmContactAddressBody = {
  /** The channel by which the code came. */
  channel: 'email' | 'sms';
  /** The code, six digits. */
  code: string;
};

/** Body of: Make a template with a text for each language. */
export type CreateTemplateBody = {
  /** For people, to tell it from others; one line. Citizens do not see it. */
  name: string;
  /** For citizens whose language it has not (BCP 47): one of those of texts. */
  defaultLanguage: string;
  /**
   * One for each language, with the same placeholders in all of them, and nothing about a citizen: that comes with each
   * message. The whole body is at most 64 KiB.
   */
  texts: Array<{
    /** The language of this text (BCP 47). */
    language: string;
    /** One line; without it the sender is named. */
    subject?: string;
    /** Plain text or restricted Markdown, with a placeholder ((name)) for each value. */
    message: string;
  }>;
};

/** Answer of: Make a template with a text for each language. */
export type CreateTemplateAnswer = {
  /** For templateId of a send. */
  id: string;
  /** For people. */
  name: string;
  /** For citizens whose language it has not. */
  defaultLanguage: string;
  /** The languages that it has (BCP 47). */
  languages: string[];
  /** The values that personalisation of a send has to give. */
  placeholders: string[];
  /** When it was made. */
  createdAt: string;
  /** One for each language. */
  texts: Array<{
    /** BCP 47, in the canonical form. */
    language: string;
    /** The subject line. */
    subject?: string;
    /** Plain text or restricted Markdown, with its placeholders. */
    message: string;
  }>;
};

/** Answer of: The templates of this client. */
export type ListTemplatesAnswer = {
  /** The things on this page. */
  items: Array<{
    /** For templateId of a send. */
    id: string;
    /** For people. */
    name: string;
    /** For citizens whose language it has not. */
    defaultLanguage: string;
    /** The languages that it has (BCP 47). */
    languages: string[];
    /** The values that personalisation of a send has to give. */
    placeholders: string[];
    /** When it was made. */
    createdAt: string;
  }>;
};

/** Body of: Lock my details against verification. */
export type ChangeOwnLockBody = {
  /** true: no claims about me match from now on. false: they can match again. */
  locked: boolean;
};

/** Answer of: Lock my details against verification. */
export type ChangeOwnLockAnswer = {
  /** Whether the citizen has locked the record. */
  ownLock: boolean;
};

/** Something became of a notification: what a webhook is called with. */
export type ReceiveEvent = {
  /** Counts this client’s events from 1, without gaps. */
  number: number;
  /**
   * What happened: notification.delivery-ended, notification.undeliverable, notification.opened,
   * notification.cancelled; more may come.
   */
  type: string;
  /** When it happened. */
  timestamp: string;
  /** Nothing about the citizen. */
  data: {
    /** Its id. */
    notification: string;
    /** Yours, as it was sent. */
    reference: string | null;
    /** The status of the notification behind the event. */
    status: Open<'accepted' | 'scheduled' | 'sending' | 'delivered' | 'read' | 'undeliverable' | 'cancelled'>;
    /** Of notification.delivery-ended: the id of the delivery. */
    delivery?: string;
    /** Its channel. */
    channel?: Open<'inbox' | 'email' | 'sms' | 'letter'>;
    /** What came of it. */
    outcome?: Open<'sent' | 'delivered' | 'failed' | 'unknown' | 'skipped' | 'retry'>;
    /** Why a delivery had no success, or the notification is undeliverable; as reason.code. */
    reason?: Open<
      | 'citizen-unknown'
      | 'citizen-deceased'
      | 'no-contact'
      | 'address-invalid'
      | 'address-refused'
      | 'mailbox-full'
      | 'destination-unreachable'
      | 'message-refused'
      | 'letter-unprintable'
      | 'letter-returned'
      | 'provider-busy'
      | 'provider-unreachable'
      | 'provider-refuses-us'
      | 'channel-not-configured'
      | 'outcome-unknown'
      | 'deadline-passed'
      | 'no-proof'
      | 'unopened'
      | 'content-erased'
      | 'already-read'
      | 'declined'
      | 'nothing-to-remind'
      | 'withdrawn'
      | 'internal-fault'>;
    [more: string]: unknown;
  };
};

/**
 * Each operation by its operationId: its input, and its JSON responses by status. Every other response is a `Problem`.
 */
export type Operations = {
  /** Verify citizen identity claims */
  verifyIdentityByQuery: {
    query?: {
      /** The id of the citizen in the register. */
      citizenId?: string;
      /** Given names, as on the papers. */
      givenName?: string;
      /** Family name. */
      familyName?: string;
      /** Family name at birth. */
      birthFamilyName?: string;
      /** YYYY-MM-DD; YYYY-MM or YYYY where no more is known. */
      birthDate?: string;
      /** Place of birth. */
      birthPlace?: string;
      /** Street and house number. */
      streetAddress?: string;
      /** Postal code. */
      postalCode?: string;
      /** Town. */
      locality?: string;
      /** Country, written as in the register. */
      country?: string;
      /** Number of an identity document. */
      documentNumber?: string;
      /** Nationality, written as in the register, as ISO 3166-1 code; several with commas between. */
      nationality?: string;
      /** One of the purposes that were agreed for the client. */
      purpose?: string;
      /** The legal basis of the question. */
      legalBasis?: string;
      /** Where the consent of the citizen is on record. */
      consentReference?: string;
      /** Comes back in the signed result. */
      nonce?: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: VerifyIdentityByQueryAnswer;
    };
  };
  /** Verify citizen identity claims */
  verifyIdentity: {
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: VerifyIdentityBody;
    answers: {
      200: VerifyIdentityByQueryAnswer;
    };
  };
  /** Verify citizen identity claims */
  verifyIdentityQuery: {
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: VerifyIdentityBody;
    answers: {
      200: VerifyIdentityByQueryAnswer;
    };
  };
  /** Read an earlier result */
  readVerification: {
    params: {
      /** The verificationId. */
      id: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: VerifyIdentityByQueryAnswer;
    };
  };
  /** Send an official notification to a citizen */
  sendNotification: {
    headers?: {
      /** A fresh UUID for each new request: repeating the request with the same key gives the first answer again. */
      'Idempotency-Key'?: string;
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: SendNotificationBody;
    answers: {
      200: SendNotificationAnswer200;
      202: SendNotificationAnswer202;
    };
  };
  /** The status and timeline of a notification */
  readNotification: {
    params: {
      /** The id that sending answered. */
      id: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: ReadNotificationAnswer;
    };
  };
  /** The notifications that this client sent */
  listNotifications: {
    query?: {
      /** Exactly this reference. */
      reference?: string;
      /** To this citizen. */
      citizenId?: string;
      /** In this status as of its last outcome. */
      status?: 'accepted' | 'scheduled' | 'sending' | 'delivered' | 'read' | 'undeliverable' | 'cancelled';
      /** Accepted at this instant or later. */
      createdFrom?: string;
      /** Accepted before this instant. */
      createdBefore?: string;
      /** How many at most (25). */
      limit?: number;
      /** next of the page before. */
      cursor?: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: ListNotificationsAnswer;
    };
  };
  /** Withdraw a notification that has not left yet */
  cancelNotification: {
    params: {
      /** The id that sending answered. */
      id: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: ReadNotificationAnswer;
    };
  };
  /** Deposit a document for a citizen */
  depositDocument: {
    headers: {
      /** The media type of the document. */
      'Content-Type': string;
      /**
       * RFC 9530: sha-256=:BASE64: of the document; where it is sent, the bytes must fit it. Required with an
       * Idempotency-Key.
       */
      'Repr-Digest'?: string;
      /**
       * Required. Whose document it is, by the id of the register. Percent-encoded UTF-8, as encodeURIComponent makes
       * it; plain ASCII without % needs no encoding.
       */
      'Citizen-Id'?: string;
      /**
       * Required. What the citizen sees, at most 200 characters; also names the file. Percent-encoded UTF-8, as
       * encodeURIComponent makes it; plain ASCII without % needs no encoding.
       */
      'Document-Title'?: string;
      /** The issuer’s name for this kind of document, as tax-assessment. */
      'Document-Kind'?: string;
      /** RFC 3339; the time of the deposit where it is absent. */
      'Document-Issued-At'?: string;
      /** RFC 3339, in the future: before it, it is not erased. */
      'Document-Retain-Until'?: string;
      /** A retention class of this installation; says how long it is kept, and when it is erased. */
      'Document-Retention-Class'?: string;
      /**
       * For what it is deposited; told to the citizen. Percent-encoded UTF-8, as encodeURIComponent makes it; plain
       * ASCII without % needs no encoding.
       */
      Purpose?: string;
      /**
       * The rule it rests on; told to the citizen. Percent-encoded UTF-8, as encodeURIComponent makes it; plain ASCII
       * without % needs no encoding.
       */
      'Legal-Basis'?: string;
      /** A fresh UUID for each new request: repeating the request with the same key gives the first answer again. */
      'Idempotency-Key'?: string;
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: Bytes;
    answers: {
      201: DepositDocumentAnswer;
    };
  };
  /** List the records of a citizen’s documents */
  listDocuments: {
    query: {
      /** Whose documents. */
      citizenId: string;
      /** The `next` of the page before. */
      after?: string;
      /** Items a page; 20. */
      limit?: number;
    };
    headers?: {
      /** For what; told to the citizen. */
      Purpose?: string;
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: ListDocumentsAnswer;
    };
  };
  /** Retrieve a secure document */
  retrieveDocument: {
    params: {
      /** The id of the document, as doc_…. */
      id: string;
    };
    headers?: {
      /** RFC 9110: one or several ranges of bytes. */
      Range?: string;
      /** The ETag that the range belongs to. */
      'If-Range'?: string;
      /** RFC 9110. */
      'If-Match'?: string;
      /** RFC 9110. */
      'If-None-Match'?: string;
      /** RFC 9530: sha-256=0 leaves Repr-Digest away; another algorithm there is not. */
      'Want-Repr-Digest'?: string;
      /** RFC 9530: sha-256=1 wants Content-Digest, of a whole document or a part up to 1 MiB. */
      'Want-Content-Digest'?: string;
      /** For what it is read; told to the citizen. With grants, the purpose of the grant that is used. */
      Purpose?: string;
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: RetrieveDocumentAnswer;
    };
  };
  /** Withdraw a document */
  withdrawDocument: {
    params: {
      /** The id of the document, as doc_…. */
      id: string;
    };
    headers?: {
      /** RFC 9110: only where the ETag of the document is one of these. */
      'If-Match'?: string;
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: WithdrawDocumentAnswer;
    };
  };
  /** The ledger receipt of one use */
  readReceipt: {
    params: {
      /** The id in the receipt link. */
      eventId: string;
    };
    answers: {
      200: ReadReceiptAnswer200;
      202: ReadReceiptAnswer202;
    };
  };
  /** The register of endpoints */
  listEndpoints: {
    answers: {
      200: ListEndpointsAnswer;
    };
  };
  /** Let another client read a document */
  grantDocument: {
    params: {
      /** The id of the document, as doc_…. */
      id: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: GrantDocumentBody;
    answers: {
      201: GrantDocumentAnswer;
    };
  };
  /** End a grant */
  endGrant: {
    params: {
      /** The id of the document, as doc_…. */
      id: string;
    };
    query: {
      /** Whose grant. */
      clientId: string;
      /** The purpose of the grant. */
      purpose: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: EndGrantAnswer;
    };
  };
  /** Who used my data */
  readOwnAccessLog: {
    query?: {
      /** The number of the last use you have. */
      after?: number;
      /** Only uses with a smaller number, and of these the last: with the largest value, the newest. */
      before?: number;
      /** At most so many; default 100. */
      limit?: number;
    };
    answers: {
      200: ReadOwnAccessLogAnswer;
    };
  };
  /** Be called when something becomes of a notification */
  createWebhook: {
    headers?: {
      /** A fresh UUID for each new request: repeating the request with the same key gives the first answer again. */
      'Idempotency-Key'?: string;
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: CreateWebhookBody;
    answers: {
      201: CreateWebhookAnswer;
    };
  };
  /** The webhooks of this client */
  listWebhooks: {
    answers: {
      200: ListWebhooksAnswer;
    };
  };
  /** Remove a webhook */
  removeWebhook: {
    params: {
      /** The id of the webhook. */
      id: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: CreateWebhookAnswer;
    };
  };
  /** Give a webhook a new secret */
  rotateWebhookSecret: {
    params: {
      /** The id of the webhook. */
      id: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: CreateWebhookAnswer;
    };
  };
  /** Make the calls again that were given up */
  redeliverWebhook: {
    params: {
      /** The id of the webhook. */
      id: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      202: CreateWebhookAnswer;
    };
  };
  /** What became of the notifications of this client, in order */
  readEvents: {
    query?: {
      /** The cursor of the last event you have; without it from the first that is kept. */
      after?: string;
      /** How many at most (100). */
      limit?: number;
    };
    answers: {
      200: ReadEventsAnswer;
    };
  };
  /** The evidence of a notification, verifiable offline */
  readEvidence: {
    params: {
      /** The id that sending answered. */
      id: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: ReadEvidenceAnswer;
    };
  };
  /** How I wish to be reached */
  statePreferences: {
    body: StatePreferencesBody;
    answers: {
      200: StatePreferencesAnswer;
    };
  };
  /** How I wished to be reached */
  readPreferences: {
    answers: {
      200: StatePreferencesAnswer;
    };
  };
  /** My official messages */
  listInboxMessages: {
    query?: {
      /** next of an earlier answer: the older ones. */
      before?: string;
      /** At most so many; default 100. */
      limit?: number;
    };
    answers: {
      200: ListInboxMessagesAnswer;
    };
  };
  /** Open one of my messages */
  openInboxMessage: {
    params: {
      /** The id in the list. */
      id: string;
    };
    answers: {
      200: OpenInboxMessageAnswer;
    };
  };
  /** Read my register record */
  readOwnRecord: {
    answers: {
      200: ReadOwnRecordAnswer;
    };
  };
  /** Have a code sent to an address of mine */
  askContactCode: {
    body: AskContactCodeBody;
    answers: {
      202: AskContactCodeAnswer;
    };
  };
  /** Remove a verified address of mine */
  removeContactAddress: {
    query: {
      /** The channel of the address: email or sms. */
      channel: 'email' | 'sms';
    };
    answers: {
      200: StatePreferencesAnswer;
    };
  };
  /** Enter the code that came to my address */
  confirmContactAddress: {
    body: ConfirmContactAddressBody;
    answers: {
      200: StatePreferencesAnswer;
    };
  };
  /** Make a template with a text for each language */
  createTemplate: {
    headers?: {
      /** A fresh UUID for each new request: repeating the request with the same key gives the first answer again. */
      'Idempotency-Key'?: string;
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: CreateTemplateBody;
    answers: {
      201: CreateTemplateAnswer;
    };
  };
  /** The templates of this client */
  listTemplates: {
    answers: {
      200: ListTemplatesAnswer;
    };
  };
  /** A template with its texts */
  readTemplate: {
    params: {
      /** The id of the template. */
      id: string;
    };
    answers: {
      200: CreateTemplateAnswer;
    };
  };
  /** Remove a template */
  removeTemplate: {
    params: {
      /** The id of the template. */
      id: string;
    };
    headers?: {
      /** With the scope access-log:hide: until when the citizen is not told of this use. */
      'Access-Log-Hidden-Until'?: string;
      /** Goes with it: why, percent-encoded as UTF-8; shown to the citizen afterwards. */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: CreateTemplateAnswer;
    };
  };
  /** Lock my details against verification */
  changeOwnLock: {
    body: ChangeOwnLockBody;
    answers: {
      200: ChangeOwnLockAnswer;
    };
  };
};
