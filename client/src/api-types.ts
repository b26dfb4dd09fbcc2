// Made by `npm run generate` from the OpenAPI document. Change the server, not this file.

/** The known values. Later versions of the server may send others, so a client must accept unknown values. */
export type Open<Word extends string> = Word | (string & Record<never, never>);

/** The bytes of a document. A stream can be sent only once. A retry can send the other types again. */
export type Bytes = Uint8Array | Blob | ReadableStream<Uint8Array>;

export type ApproveProposalBody = {
  /** Why, for the people who decide and for the staff log. */
  reason?: string;
};

export type AskContactCodeAnswer = {
  /** The channel: email or sms. */
  channel: Open<'email' | 'sms'>;
  /** The time at which the code expires. */
  endsAt: string;
};

export type AskContactCodeBody = {
  /** The channel of this address: email or sms. */
  channel: 'email' | 'sms';
  /** The email address, or the phone number in E.164 format, such as +4740000000. */
  address: string;
};

export type Attachment = {
  /** The id of a document of the citizen. Retrieve it at /v1/documents/{id}. */
  id: string;
  /** The title of the document. */
  title: string;
};

export type AwaitingAddress = {
  /** The channel of the address: email or sms. */
  channel: string;
  /** The address: an email address, or a phone number in E.164 format. */
  address: string;
  /** The time at which the code expires. */
  endsAt: string;
};

/**
 * The cost of the batch by the plan of its rows. With planned equal to messages, the batch sends at most these text
 * messages and letters. Otherwise the server estimates them from the planned rows, and the batch can also send more.
 */
export type BatchEstimate = {
  /** The number of rows that the batch would send. */
  messages: number;
  /** The number of rows on which the estimate is based. */
  planned: number;
  /** The number of text messages. */
  textMessages: number;
  /** The number of letters. */
  letters: number;
};

/** The number of notifications in each status. Statuses without a notification are absent. */
export type BatchNotifications = {
  /** The number of notifications in the status accepted. Absent for none. */
  accepted?: number;
  /** The number of notifications in the status scheduled. Absent for none. */
  scheduled?: number;
  /** The number of notifications in the status sending. Absent for none. */
  sending?: number;
  /** The number of notifications in the status sent. Absent for none. */
  sent?: number;
  /** The number of notifications in the status delivered. Absent for none. */
  delivered?: number;
  /** The number of notifications in the status read. Absent for none. */
  read?: number;
  /** The number of notifications in the status unknown. Absent for none. */
  unknown?: number;
  /** The number of notifications in the status undeliverable. Absent for none. */
  undeliverable?: number;
  /** The number of notifications in the status cancelled. Absent for none. */
  cancelled?: number;
};

export type BatchPreview = {
  /** The columns of the file. */
  columns: string[];
  /** The first rows, with their values in the order of the columns. */
  rows: BatchPreviewRow[];
  estimate: BatchEstimate;
};

export type BatchPreviewRow = {
  /** The number of the row, from 1. */
  row: number;
  /** The values in the order of the columns. */
  values: string[];
};

export type BatchRow = {
  /** The number of the row. The first row after the column names has the number 1. */
  row: number;
  /** refused, or the status of its notification. */
  state: Open<
    | 'refused'
    | 'accepted'
    | 'scheduled'
    | 'sending'
    | 'sent'
    | 'delivered'
    | 'read'
    | 'unknown'
    | 'undeliverable'
    | 'cancelled'>;
  /** Why the row was refused. Absent for other rows. */
  code?: Open<
    | 'missing-value'
    | 'not-a-column'
    | 'malformed-line'
    | 'citizen-unknown'
    | 'duplicate-row'
    | 'duplicate-reference'
    | 'repeated'
    | 'wrong-type'
    | 'too-short'
    | 'too-long'
    | 'out-of-range'
    | 'malformed'
    | 'not-allowed'
    | 'not-found'
    | 'not-valid'>;
  /** The expected values, for your staff. Absent for other rows. */
  detail?: string;
  /** The id of its notification. Absent for refused rows. */
  notificationId?: string;
};

export type ChangeOwnLockAnswer = {
  /** true if the citizen has locked the record. */
  ownLock: boolean;
};

export type ChangeOwnLockBody = {
  /** true: no claims about you match from now on. false: they can match again. */
  locked: boolean;
};

export type Client = {
  /** The id of the client. */
  clientId: string;
  /** The name that citizens read as the sender of messages and user of their data. */
  name: string;
  /** demo and test: fictional citizens. team: people who agreed to it. live: all citizens. */
  kind: Open<'demo' | 'test' | 'team' | 'live'>;
  /** The scopes that your client can request. */
  scopes: string[];
  /** The binding that tokens must have: dpop, mtls or none. */
  binding: Open<'none' | 'dpop' | 'mtls'>;
  /** The purposes that your client can state. null: any. */
  purposes: string[] | null;
  /** The legal bases that your client can state. null: any. */
  legalBases: string[] | null;
  /** The time at which the server created it. */
  createdAt: string;
  /** The quota of each scope. */
  quotas: ClientQuota[];
  usage: ClientUsage;
  /** The URL at which your client publishes its keys. null: none. */
  jwksUri: string | null;
  /** The credentials. With jwksUri, those keys that your client has used. */
  credentials: ClientCredential[];
  /** The number of webhooks. */
  webhooks: number;
};

/** A credential of the client, without secret parts. */
export type ClientCredential = {
  /** The kid of a key, the SHA-256 thumbprint or the name of a certificate, the URL of an issuer, or secret. */
  id: string;
  /** secret, key, certificate, certificate-name (a name in a certificate), or issuer. */
  kind: Open<'secret' | 'key' | 'certificate' | 'certificate-name' | 'issuer'>;
  /** The time at which the credential was registered. null: your client published the key at its jwksUri. */
  createdAt: string | null;
  /**
   * The time at which the credential was last used to get a token, to the hour. null: never, or a token of an issuer.
   */
  lastUsedAt: string | null;
  /** The end of the certificate. null: the credential does not expire. */
  expiresAt: string | null;
};

export type ClientQuota = {
  /** The scope that the endpoint requires. null: none. */
  scope: string;
  /** The requests that are added each second. */
  perSecond: number;
  /** The maximum number of requests at once. */
  burst: number;
  /** The number of requests that would succeed now, as far as this process of the server knows. */
  remaining: number;
};

/** The requests of the last 7 days. A request is counted within 10 seconds. A crash of the server can lose some. */
export type ClientUsage = {
  /** The first day of the counts in UTC. The last one is today. */
  from: string;
  /** The requests by operation and outcome. */
  counts: ClientUsageCount[];
};

export type ClientUsageCount = {
  /** The name of the operation, as GET /v1 lists it. */
  operation: string;
  /** The decision of a verification, the name of a problem, or ok for any other success. */
  outcome: string;
  /** The number of requests. */
  requests: number;
};

export type ConfirmContactAddressBody = {
  /** The channel on which the server sent the code: email or sms. */
  channel: 'email' | 'sms';
  /** The code of six digits from the message. */
  code: string;
};

export type ContactPreferences = {
  /** The channels in the order that you prefer: email, sms, letter. The others follow in the order of the server. */
  channels: Array<Open<'email' | 'sms' | 'letter'>>;
  /** The channels that the server never uses: email, sms. You cannot decline the inbox and letters. */
  declined: Array<Open<'email' | 'sms'>>;
  hours: ContactPreferencesHours | null;
  /** The language of messages (BCP 47), if the sender has a text in it. null: the language in the register. */
  language: string | null;
  /** Whether letters are in large print (18 points). Left out: it does not change. */
  largePrint?: boolean;
  /** The verified addresses, which replace those of the register. */
  verified: VerifiedAddress[];
  /** The addresses that are not confirmed yet and have a valid code. */
  awaiting: AwaitingAddress[];
  /** The channels whose addresses can be verified by a code: email, sms. */
  confirmable: string[];
};

/** The hours in which the server sends messages, except urgent ones. null: at any hour that the server allows. */
export type ContactPreferencesHours = {
  /** The channels to which these hours apply: email, sms. */
  channels: Array<Open<'email' | 'sms'>>;
  /** The hour of the day at which the hours start, 0 to 24. */
  from: number;
  /** The hour of the day at which the hours end, 0 to 24. It can be on the next day. */
  until: number;
  /** The time zone of these hours, as an IANA name such as Europe/Lisbon. */
  timeZone: string;
};

export type CreateTemplateBody = {
  /** A name for your staff, in one line. Citizens do not see it. */
  name: string;
  /** The language for citizens whose language is not in texts (BCP 47). It must be one of the languages in texts. */
  defaultLanguage: string;
  /**
   * One text for each language, all with the same placeholders. They must not contain data of a citizen: each message
   * has its own values. The whole body has at most 64 KiB.
   */
  texts: NewTemplateText[];
};

export type CreateWebhookBody = {
  /** The URL that the server calls. It has https and a public host, and no user name, password or fragment. */
  url: string;
  /**
   * The signature of the calls. v1: HMAC with a shared secret. v1a: Ed25519, which you verify with a public key.
   * Default: v1.
   */
  signature?: 'v1' | 'v1a';
};

export type DataUse = {
  /** The number of the use among all uses of your data, from 1 without gaps. */
  number: number;
  /** The time of the use (RFC 3339). */
  logTime: string;
  /**
   * shown: the content is visible. hidden: the content is concealed by law for a time. erased: the content was
   * destroyed, and its proof stays.
   */
  state: Open<'shown' | 'hidden' | 'erased'>;
  /** The processing type of Andmejälgija v3, such as DATA_RESPONSE. It is absent unless state is shown. */
  processingType?: string;
  /** The kind of use, such as document.retrieved. It is absent unless state is shown. */
  usage?: string;
  /** The purpose of the access. null or absent: none was stated. */
  purpose?: string;
  /** The purpose in words, which the organisation has registered. */
  purposeText?: string;
  /** The language of purposeText, such as de. It is absent if it is not known. */
  purposeLanguage?: string;
  /** The legal basis of the access. null or absent: none was stated. */
  legalBasis?: string;
  /** The reference of the consent of the citizen. null or absent: the legal basis is not consent. */
  consentReference?: string;
  initiatorOrg?: DataUseInitiatorOrg;
  /** citizen, operator or system. It is absent if an organisation acted. */
  initiator?: string;
  /** The system that recorded the use. Absent unless state is shown. */
  logSourceSystem?: string;
  /** The id of the event, which its receipt also has. Absent unless state is shown. */
  queryId?: string;
  /** true if the access concerned many citizens at once. */
  bulkProcessing?: boolean;
  /** The time at which the concealment ended. Absent if the access was not concealed. */
  hiddenUntil?: string;
  /** The reason why the access was concealed. Absent if it was not. */
  hiddenReason?: string;
  object?: DataUseObject;
  recipientOrg?: DataUseRecipientOrg;
  details?: DataUseDetails;
  explanation?: DataUseExplanation;
  /** The proof of the entry as c2sp.org/tlog-proof, which you can verify offline. */
  proof: string;
};

/** The details of this kind of access. Absent unless state is shown. */
export type DataUseDetails = {
  [more: string]: unknown;
};

/**
 * The explanation of a verification result, as long as the result is stored. Only you can read it; the client did not
 * receive it.
 */
export type DataUseExplanation = {
  /**
   * The reason why the claims did not match. others-fit-as-well: they also fit other people. record-of-the-dead: the
   * record says that you have died. guesses-spent: the verification limit was reached. other-person-expected: the
   * organisation expected another person. null: they matched.
   */
  reason: Open<
    | 'claims-do-not-fit'
    | 'record-locked'
    | 'record-of-the-dead'
    | 'record-under-review'
    | 'others-fit-as-well'
    | 'guesses-spent'
    | 'register-unavailable'
    | 'other-person-expected'> | null;
  claims: DataUseExplanationClaims;
};

/**
 * The result of each claim. former: an earlier value of your record matched. not_available: the record has no value.
 */
export type DataUseExplanationClaims = Record<string, Open<'match' | 'similar' | 'former' | 'no_match' | 'not_available'>>;

/** The organisation that accessed the data. Absent if no organisation acted. */
export type DataUseInitiatorOrg = {
  /** The kind of organisation. Always GOV. */
  type: string;
  /** The client id of the organisation. */
  code: string;
  /** The name of the organisation. */
  name: string;
};

/** The document or message of this use. */
export type DataUseObject = {
  /** Whether it is a document or a message. */
  type: Open<'document' | 'message'>;
  /** The id. Do not parse it. */
  id: string;
  /** available: you can open it now; unavailable: it exists, such as a message that is not in your inbox. */
  state: Open<'available' | 'unavailable' | 'erased'>;
  /** The title of the document, or the subject of the message. */
  title?: string;
  /** The language of the subject, such as de, if the sender of the message named it. */
  language?: string;
};

/** The organisation that was given, or lost, access to the document. */
export type DataUseRecipientOrg = {
  /** GOV: a public authority. */
  type: string;
  /** The id of its client. */
  code: string;
  /** Its name. */
  name: string;
};

export type DepositDocumentAnswer = {
  /** The id. Do not parse it. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The title of the document. */
  title: string;
  /** The kind of document, as its issuer names it. null: the issuer named none. */
  kind: string | null;
  /** The media type of the document. */
  mediaType: string;
  /** The size of the document in bytes. */
  size: number;
  /** The SHA-256 of the document in the form of Repr-Digest (RFC 9530): sha-256=:BASE64:. */
  digest: string;
  /** The client that deposited the document. */
  issuer: string;
  /** The time at which the document was issued. */
  issuedAt: string;
  /** The time at which the server accepted the document. */
  depositedAt: string;
  /**
   * scanning: it waits for the malware scan. available: it can be retrieved. quarantined: it is harmful, or the scanner
   * cannot read it. withdrawn: its issuer withdrew it.
   */
  status: Open<'scanning' | 'available' | 'quarantined' | 'withdrawn'>;
  /** The document is not erased before this time. null: there is no such time. */
  retainUntil: string | null;
  /** The retention class of the document. null: none. */
  retentionClass: string | null;
  /** The time at which the document is erased automatically. null: never. */
  eraseAt: string | null;
  scan: DocumentScan;
  /**
   * The grants of other clients that are valid now. The issuer and the citizen see all grants; another client sees its
   * own.
   */
  access: DocumentAccess[];
  /** The path of the ledger receipt of this deposit. */
  receipt: string;
};

export type DepositDocumentBody = {
  /** The same value as the header citizen-id, but without percent-encoding. */
  citizenId: string;
  /** The same value as the header document-title, but without percent-encoding. */
  title: string;
  /** The same value as the header document-kind, but without percent-encoding. */
  kind?: string;
  /** The same value as the header document-issued-at, but without percent-encoding. */
  issuedAt?: string;
  /** The same value as the header document-retain-until, but without percent-encoding. */
  retainUntil?: string;
  /** The same value as the header document-retention-class, but without percent-encoding. */
  retentionClass?: string;
  /** The same value as the header purpose, but without percent-encoding. */
  purpose?: string;
  /** The same value as the header legal-basis, but without percent-encoding. */
  legalBasis?: string;
  /** The same value as the header repr-digest, but without percent-encoding. */
  digest?: string;
  /**
   * The bytes of the document. The maximum is 104857600 bytes. A part without a type, or with application/octet-stream,
   * gets the type that its bytes and file name show.
   */
  document: string;
};

export type DisableClientAnswer = {
  /** The id of the client. */
  clientId: string;
  /** When the client was disabled. */
  disabledAt: string;
};

export type DisableClientBody = {
  /** Why the client is disabled, for the staff log. */
  reason: string;
};

export type DocumentAccess = {
  /** The id of the client. */
  clientId: string;
  /** The purpose of the access. null or absent: none was stated. */
  purpose: string;
  /** The end of the grant. null: no end. */
  endsAt: string | null;
};

export type DocumentRecord = {
  /** The id. Do not parse it. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The title of the document. */
  title: string;
  /** The kind of document, as its issuer names it. null: the issuer named none. */
  kind: string | null;
  /** The media type of the document. */
  mediaType: string;
  /** The size of the document in bytes. */
  size: number;
  /** The SHA-256 of the document in the form of Repr-Digest (RFC 9530): sha-256=:BASE64:. */
  digest: string;
  /** The client that deposited the document. */
  issuer: string;
  /** The time at which the document was issued. */
  issuedAt: string;
  /** The time at which the server accepted the document. */
  depositedAt: string;
  /**
   * scanning: it waits for the malware scan. available: it can be retrieved. quarantined: it is harmful, or the scanner
   * cannot read it. withdrawn: its issuer withdrew it.
   */
  status: Open<'scanning' | 'available' | 'quarantined' | 'withdrawn'>;
  /** The document is not erased before this time. null: there is no such time. */
  retainUntil: string | null;
  /** The retention class of the document. null: none. */
  retentionClass: string | null;
  /** The time at which the document is erased automatically. null: never. */
  eraseAt: string | null;
  scan: DocumentScan;
  /**
   * The grants of other clients that are valid now. The issuer and the citizen see all grants; another client sees its
   * own.
   */
  access: DocumentAccess[];
};

/** The result of the malware scan. */
export type DocumentScan = {
  /**
   * clean: the scan found nothing. infected: it found malware. unscannable: the scanner cannot read the document.
   * waiting: the scan follows. not-scanned: this installation delivers documents without a scan.
   */
  verdict: Open<'clean' | 'infected' | 'unscannable' | 'not-scanned' | 'waiting'>;
  /** The time of the last scan. null: there was none. */
  at: string | null;
  /** The scanner and the version of its signatures. null: there was no scan. */
  engine: string | null;
  /** The name of the malware. null: the scan found none. */
  finding: string | null;
};

export type EndGrantAnswer = {
  /** The path of the ledger receipt of this access. */
  receipt: string;
};

export type Endpoint = {
  /** The name of the endpoint, which is its operationId in OpenAPI. */
  name: string;
  /** The release of the interface that added the endpoint. */
  since: string;
  /** The HTTP method of the endpoint. */
  method: string;
  /** The path of the endpoint. */
  path: string;
  /** The scope that the endpoint requires. null: none. */
  scope: string | null;
  /** The permitted callers: clients that act for themselves, citizens with their own token, or staff. */
  callers: Array<Open<'clients' | 'citizens' | 'staff'>>;
  /** A summary of the endpoint, in one line. */
  summary: string;
  /** The SHA-256 of the request and response schemas of the endpoint. */
  schemaHash: string;
};

export type EndpointRegisterEntry = {
  /** The number of the entry, from 1 without gaps. It never changes. */
  number: number;
  /** The name of the endpoint. */
  endpoint: string;
  /** The release of the interface that added the endpoint. */
  since: string;
  /** The SHA-256 of the request and response schemas of the endpoint. */
  schemaHash: string;
  /** The proof of the entry as c2sp.org/tlog-proof, which you can verify offline. */
  proof: string;
};

/** The proof in the ledger that no endpoint was removed. Absent until the ledger contains all entries. */
export type EndpointRegisterProof = {
  /** The pseudonym of the register in the ledger, in base64. */
  chain: string;
  /** The key that verifies the chain of its entries, in base64. */
  linkKey: string;
  /** The size of the ledger in entries. */
  treeSize: number;
  /** The entries of the ledger. */
  entries: EndpointRegisterEntry[];
};

/** The facts of the event. They contain no data about the citizen. */
export type EventData = {
  /** The id of the notification. Only for the events notification.…. */
  notification?: string;
  /** The reference that you sent with the notification. null: none. Only for the events notification.…. */
  reference?: string | null;
  /**
   * The id of the presentation. Only for the events identity.presentation-…. Read its result with GET
   * /v1/identity/presentations/{id}.
   */
  presentation?: string;
  /**
   * The status of the notification or presentation after the event. The status of a presentation is the end of the
   * type. Absent for events of a batch. Otherwise: accepted: the delivery follows. scheduled: it waits for sendAt.
   * sending: a channel has started. sent: a provider accepted the message, without proof of delivery. delivered: there
   * is proof. read: the citizen opened it. unknown: it may have arrived, and the server does not send it again.
   * undeliverable: every channel failed. cancelled: the sender cancelled it.
   */
  status?: Open<
    | 'accepted'
    | 'scheduled'
    | 'sending'
    | 'sent'
    | 'delivered'
    | 'read'
    | 'unknown'
    | 'undeliverable'
    | 'cancelled'
    | 'fetched'
    | 'answered'
    | 'completed'
    | 'refused'
    | 'failed'
    | 'expired'>;
  /** The id of the delivery. Only for notification.delivery-ended. */
  delivery?: string;
  /** The channel of the delivery, or of the link. Only for notification.delivery-ended and notification.confirmed. */
  channel?: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  /**
   * The outcome of the delivery attempt: a status of the delivery. retry: it failed, and another attempt follows. Only
   * for notification.delivery-ended.
   */
  outcome?: Open<'sent' | 'delivered' | 'failed' | 'unknown' | 'skipped' | 'retry'>;
  /** The code of the reason why the delivery failed, or why the notification ended without proof. Otherwise absent. */
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
    | 'receipt-confirmed'
    | 'declined'
    | 'nothing-to-remind'
    | 'withdrawn'
    | 'internal-fault'>;
  /** The id of the batch. Only for events of a batch. */
  batch?: string;
  /** The number of rows. Only for notification-batch.done, and for refused rows. */
  rows?: number;
  /** The number of rows that became notifications. Present if rows is. */
  accepted?: number;
  /** The number of refused rows. Present if rows is. */
  refused?: number;
  /** The code of the batch: why the server refused or cancelled it. Otherwise absent. */
  code?: string;
  /** true for an event of POST /v1/webhooks/{id}/test, whose notification or batch does not exist. Otherwise absent. */
  test?: boolean;
  [more: string]: unknown;
};

export type ExportInboxAnswer = {
  /** The items of this page. */
  items: ExportedMessage[];
  /** The cursor of the next page. null: this is the last page. */
  next: string | null;
};

export type ExportInboxBody = {
  /** The member `next` of the previous response. Default: the first page. */
  cursor?: string;
  /** The maximum number of messages. Default: 50. */
  limit?: number;
};

export type ExportedMessage = {
  /** The id. Do not parse it. */
  id: string;
  /** The subject line. null: the sender set none. */
  subject: string | null;
  /** The name of the service that sent the message. */
  sender: string;
  /** The category that the sender chose: information, decision, reminder or urgent. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /** The language (BCP 47). null: unknown. */
  language: string | null;
  /** The time at which the sender sent the message to this server. */
  createdAt: string;
  /** The time at which the message was in the inbox: createdAt, or the time that the sender requested. */
  receivedAt: string;
  /** true if the citizen opened the message before. */
  opened: boolean;
  legalEffect?: InboxLegalEffect;
  /** The client that sent the message. You can limit a list or a search to it. */
  senderId: string;
  /** The reference that the sender gave. */
  reference: string | null;
  /** The date (YYYY-MM-DD) or instant until which the sender needs an answer. null: the sender named none. */
  respondBy: string | null;
  /** true if the message is new, or if the citizen marked it as unread. */
  unread: boolean;
  /** true if the citizen moved the message to the archive. */
  archived: boolean;
  /** The text as sent; null if the citizen has not opened the message. */
  message: string | null;
  /** The message as an HTML page with all texts escaped; null if the citizen has not opened it. */
  html: string | null;
  /** The documents that belong to the message. */
  attachments: Attachment[];
};

export type FeedEvent = {
  /** The id of the event in the ledger, and the webhook-id of its calls. */
  id: string;
  /** The number of the event among the events of your client, from 1 without gaps. 0 for a test event. */
  number: number;
  /**
   * The type of the event: notification.delivery-ended, notification.sent, notification.unknown,
   * notification.undeliverable, notification.opened, notification.confirmed, notification.cancelled,
   * identity.presentation-fetched, identity.presentation-answered, identity.presentation-completed,
   * identity.presentation-refused, identity.presentation-failed, identity.presentation-expired,
   * identity.presentation-cancelled, notification-batch.done, notification-batch.refused, notification-batch.cancelled.
   * Ignore unknown types.
   */
  type: string;
  /** The time of the event. */
  timestamp: string;
  data: EventData;
};

export type FormerAddress = {
  /** The street and the house number. */
  streetAddress?: string;
  /** The postal code. */
  postalCode?: string;
  /** The town. */
  locality?: string;
  /** The country of the address. */
  country?: string;
  /** The day from which the value was valid. Absent: unknown. */
  from?: string;
  /** The day until which the value was valid. Absent: unknown. */
  until?: string;
};

export type FormerName = {
  /** The given names. */
  givenName?: string;
  /** The family name. */
  familyName?: string;
  /** The day from which the value was valid. Absent: unknown. */
  from?: string;
  /** The day until which the value was valid. Absent: unknown. */
  until?: string;
};

export type GrantDocumentAnswer = {
  /** The id of the client. */
  clientId: string;
  /** The purpose of the access. null or absent: none was stated. */
  purpose: string;
  /** The end of the grant. null: no end. */
  endsAt: string | null;
  /** The path of the ledger receipt of this access. */
  receipt: string;
};

export type GrantDocumentBody = {
  /** The client that may read the document. */
  clientId: string;
  /** The purpose of the grant: one of those that are agreed for that client. */
  purpose: string;
  /** The end of the grant (RFC 3339), in the future. Default: no end. */
  endsAt?: string;
};

export type InboxItem = {
  /** The id. Do not parse it. */
  id: string;
  /** The subject line. null: the sender set none. */
  subject: string | null;
  /** The name of the service that sent the message. */
  sender: string;
  /** The category that the sender chose: information, decision, reminder or urgent. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /** The language (BCP 47). null: unknown. */
  language: string | null;
  /** The time at which the sender sent the message to this server. */
  createdAt: string;
  /** The time at which the message was in the inbox: createdAt, or the time that the sender requested. */
  receivedAt: string;
  /** true if the citizen opened the message before. */
  opened: boolean;
  legalEffect?: InboxLegalEffect;
  /** The client that sent the message. You can limit a list or a search to it. */
  senderId: string;
  /** The reference that the sender gave. */
  reference: string | null;
  /** The date (YYYY-MM-DD) or instant until which the sender needs an answer. null: the sender named none. */
  respondBy: string | null;
  /** true if the message is new, or if the citizen marked it as unread. */
  unread: boolean;
  /** true if the citizen moved the message to the archive. */
  archived: boolean;
};

/** Show it before the citizen opens the message. */
export type InboxLegalEffect = {
  /** The rule by which the message counts as served. */
  rule: string;
  /** Whether a confirmation by the link in a mail counts like opening. */
  confirmationCounts: boolean;
  /** true: unless it is opened, the message counts as served only after a letter, not posted yet. */
  awaitsLetter: boolean;
  /** Since when it counts as served, in the time zone of the server. */
  effectiveOn?: string;
  /** From when it will count as served even if the citizen does not open it. */
  dueOn?: string;
};

export type InboxMark = {
  /** The id. Do not parse it. */
  id: string;
  /** true if the message is new, or if the citizen marked it as unread. */
  unread: boolean;
  /** true if the citizen moved the message to the archive. */
  archived: boolean;
};

export type InboxSender = {
  /** The id of the client. */
  id: string;
  /** Its name. */
  name: string;
};

export type ListBatchRowsAnswer = {
  /** The items of this page. */
  items: BatchRow[];
  /** The last row of this page. null: there are no further rows now. */
  next: number | null;
};

export type ListClientsAnswer = {
  /** The items of this page. */
  items: StaffClientItem[];
};

export type ListDocumentsAnswer = {
  /** The items of this page. */
  items: DocumentRecord[];
  /** The ids of documents on this page with a damaged record. The server alerts the operator. */
  unreadable: string[];
  /** The cursor of the next page. null: this is the last page. */
  next: string | null;
};

export type ListEndpointsAnswer = {
  /** All endpoints, in the order of their release. */
  endpoints: Endpoint[];
  growth?: EndpointRegisterProof;
};

export type ListInboxMessagesAnswer = {
  /** The items of this page. */
  items: InboxItem[];
  /** The cursor of the next page. null: this is the last page. */
  next: string | null;
  /** The number of unread messages outside the archive, among the newest 1000. */
  unreadCount: number;
  /** The services that sent the newest 1000 messages, for `senderId`. */
  senders: InboxSender[];
};

export type ListNotificationBatchesAnswer = {
  /** The items of this page. */
  items: NotificationBatch[];
  /** The cursor of the next page. null: this is the last page. */
  next: string | null;
};

export type ListNotificationsAnswer = {
  /** The items of this page. */
  items: NotificationSummary[];
  /** The cursor of the next page. null: this is the last page. */
  next: string | null;
};

export type ListProposalsAnswer = {
  /** The items of this page. */
  items: StaffProposal[];
  /** The cursor of the next page. null: this is the last page. */
  next: string | null;
};

export type ListQueuesAnswer = {
  /** The items of this page. */
  items: StaffQueue[];
};

export type ListTemplatesAnswer = {
  /** The items of this page. */
  items: TemplateSummary[];
};

export type ListWebhookCallsAnswer = {
  /** The items of this page. */
  items: WebhookCall[];
  /** The cursor of the next page. null: this is the last page. */
  next: string | null;
};

export type ListWebhooksAnswer = {
  /** The items of this page. */
  items: Webhook[];
};

export type LookUpCitizenAnswer = {
  /** The id of this look-up, with which you can read it again for 30 minutes. */
  id: string;
  /** At most 5 citizens. */
  hits: StaffLookUpHit[];
  /** true: more citizens match. Send more claims. */
  hasMore: boolean;
  /** The reason of the look-up. */
  reason: string;
  /** The number of the case. */
  reference: string;
  /** The id of the entry in the staff log. */
  entry: string;
};

export type LookUpCitizenBody = {
  /**
   * Why you need this. The citizen reads it in words: citizen-asked, service-asked, not-delivered, complaint,
   * required-by-law.
   */
  reason: 'citizen-asked' | 'service-asked' | 'not-delivered' | 'complaint' | 'required-by-law';
  /** The number of your case. The staff log has it; the citizen does not see it. */
  reference: string;
  /** The language of purposeText (BCP 47). Default: en. */
  language?: string;
  /** The id on a message, such as ntf_01…. */
  notificationId?: string;
  /** The reference that your service gave to the message. */
  messageReference?: string;
  /** The id of the citizen in the register. */
  citizenId?: string;
  claims?: LookUpCitizenBodyClaims;
};

/** The details that the citizen stated: birthDate and at least one other claim. */
export type LookUpCitizenBodyClaims = {
  /** The given names. */
  givenName?: string;
  /** The family name. */
  familyName?: string;
  /** The family name at birth. */
  birthFamilyName?: string;
  /** The date of birth as YYYY-MM-DD, YYYY-MM or YYYY. */
  birthDate?: string;
  /** The place of birth. */
  birthPlace?: string;
  /** The street and the house number. */
  streetAddress?: string;
  /** The postal code. */
  postalCode?: string;
  /** The town. */
  locality?: string;
  /** The country of the address. */
  country?: string;
  /** The number of an identity document. */
  documentNumber?: string;
  /** The nationality as a code of ISO 3166-1. Commas separate several codes. */
  nationality?: string;
};

export type NewTemplateText = {
  /** The language of this text (BCP 47). */
  language: string;
  /** The subject, in one line. Default: a subject with the name of the sender. */
  subject?: string;
  /** The text of the message: plain text or restricted Markdown, with a placeholder ((name)) for each value. */
  message: string;
};

export type Notification = {
  /** The id. Do not parse it. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The reference of the sender. null: it sent none. */
  reference: string | null;
  /** The category that the sender chose: information, decision, reminder or urgent. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /**
   * accepted: the delivery follows. scheduled: it waits for sendAt. sending: a channel has started. sent: a provider
   * accepted the message, without proof of delivery. delivered: there is proof. read: the citizen opened it. unknown:
   * it may have arrived, and the server does not send it again. undeliverable: every channel failed. cancelled: the
   * sender cancelled it.
   */
  status: Open<
    | 'accepted'
    | 'scheduled'
    | 'sending'
    | 'sent'
    | 'delivered'
    | 'read'
    | 'unknown'
    | 'undeliverable'
    | 'cancelled'>;
  /** The time at which the notification reached this status. */
  statusAt: string;
  /** The time at which the server accepted the notification. */
  createdAt: string;
  /** The earliest time of sending. Absent if the sender requested none. */
  sendAt?: string;
  /** The rule by which the notification counts as served. Absent if the sender requested none. */
  legalEffect?: string;
  /** The deadline of delivery. Without proof by then, the status becomes sent, unknown or undeliverable. */
  deliverBy: string;
  /** The path of the ledger receipt of the acceptance. */
  receipt: string;
  reason?: NotificationReason;
  /** The deliveries: one for each channel and reminder. */
  deliveries: NotificationDelivery[];
  /** The language that the sender requested (BCP 47). null: none. */
  language: string | null;
  /** All events, the oldest first. */
  timeline: NotificationEvent[];
};

/** A batch of notifications, with its counts. */
export type NotificationBatch = {
  /** The id of the batch. */
  id: string;
  /** Your name for the batch. null without one. */
  name: string | null;
  /** The template of all rows that have none of their own. null without one. */
  templateId: string | null;
  /** The format of the upload: csv, or jsonl for JSON Lines. */
  format: Open<'csv' | 'jsonl'>;
  /**
   * receiving: the upload is incomplete. checking: the server checks the rows. ready: the batch waits for its start.
   * sending: the server accepts the rows, which are then delivered. done: every row has an outcome. refused: no row was
   * sent, see code. cancelled: the remaining rows are not sent.
   */
  state: Open<'receiving' | 'checking' | 'ready' | 'sending' | 'done' | 'refused' | 'cancelled'>;
  /** Why the batch was refused, or cancelled by the server. Otherwise null. */
  code: Open<
    | 'not-utf-8'
    | 'malformed-csv'
    | 'row-too-large'
    | 'too-many-columns'
    | 'repeated-column'
    | 'unknown-column'
    | 'missing-column'
    | 'no-rows'
    | 'too-many-rows'
    | 'too-large'
    | 'rows-refused'
    | 'client-not-permitted'
    | 'interrupted'
    | 'expired'> | null;
  /** The expected values, for your staff. null without a code. */
  detail: string | null;
  /** The number of rows. null until the whole file was received. */
  rows: number | null;
  /** The number of rows that the server has checked. */
  checked: number;
  /** The number of refused rows. */
  refused: number;
  /** The number of rows that became notifications. */
  accepted: number;
  /** true if the server only checks the rows. */
  dryRun: boolean;
  /** The time at which the upload began. */
  createdAt: string;
  /** null until then. */
  endedAt: string | null;
};

export type NotificationBatchProgress = {
  /** The id of the batch. */
  id: string;
  /** Your name for the batch. null without one. */
  name: string | null;
  /** The template of all rows that have none of their own. null without one. */
  templateId: string | null;
  /** The format of the upload: csv, or jsonl for JSON Lines. */
  format: Open<'csv' | 'jsonl'>;
  /**
   * receiving: the upload is incomplete. checking: the server checks the rows. ready: the batch waits for its start.
   * sending: the server accepts the rows, which are then delivered. done: every row has an outcome. refused: no row was
   * sent, see code. cancelled: the remaining rows are not sent.
   */
  state: Open<'receiving' | 'checking' | 'ready' | 'sending' | 'done' | 'refused' | 'cancelled'>;
  /** Why the batch was refused, or cancelled by the server. Otherwise null. */
  code: Open<
    | 'not-utf-8'
    | 'malformed-csv'
    | 'row-too-large'
    | 'too-many-columns'
    | 'repeated-column'
    | 'unknown-column'
    | 'missing-column'
    | 'no-rows'
    | 'too-many-rows'
    | 'too-large'
    | 'rows-refused'
    | 'client-not-permitted'
    | 'interrupted'
    | 'expired'> | null;
  /** The expected values, for your staff. null without a code. */
  detail: string | null;
  /** The number of rows. null until the whole file was received. */
  rows: number | null;
  /** The number of rows that the server has checked. */
  checked: number;
  /** The number of refused rows. */
  refused: number;
  /** The number of rows that became notifications. */
  accepted: number;
  /** true if the server only checks the rows. */
  dryRun: boolean;
  /** The time at which the upload began. */
  createdAt: string;
  /** null until then. */
  endedAt: string | null;
  notifications: BatchNotifications;
};

export type NotificationDelivery = {
  /** The id. Do not parse it. */
  id: string;
  /** The channel: inbox, email, sms or letter. */
  channel: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  /** true for a reminder of an unread message, otherwise absent. */
  reminder?: boolean;
  /**
   * queued: it waits for an attempt. sending: an attempt is running. sent: the provider accepted the message.
   * delivered: there is proof that the citizen received it. unknown: it may have arrived, and the server does not send
   * it again. failed, skipped: see the member reason.
   */
  status: Open<'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'unknown' | 'skipped'>;
  /** The number of times that the server called the provider. */
  attempts: number;
  /**
   * The earliest time of the next attempt, while the delivery is queued. For the first attempt, it is shown only with
   * the scope citizens:known.
   */
  nextAttemptAt?: string;
  /** The time at which the delivery reached its last status. Absent until then. */
  endedAt?: string;
  reason?: NotificationReason;
};

export type NotificationEvent = {
  /** The time of the event. */
  at: string;
  /** The event: a status of the notification or of a delivery. retry: an attempt failed, and the server tries again. */
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
    | 'confirmed'
    | 'read'
    | 'undeliverable'
    | 'cancelled'>;
  /** The channel of the event. Absent if the event concerns the whole notification. */
  channel?: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  /** The number of the attempt, which is also part of the Message-ID of a mail. Absent for other events. */
  attempt?: number;
  reason?: NotificationReason;
};

/** The reason, and who has to act. */
export type NotificationReason = {
  /** The code of the reason, for programs. The member detail has its meaning, which never changes. */
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
    | 'receipt-confirmed'
    | 'declined'
    | 'nothing-to-remind'
    | 'withdrawn'
    | 'internal-fault'>;
  /** true if you can send the same message again later. false if the citizen could receive it twice. */
  retryable: boolean;
  /** The party that must act first: the citizen, the sender (your client), the operator of this server, or nobody. */
  whoActs: Open<'citizen' | 'sender' | 'operator' | 'nobody'>;
  /** An explanation for people. */
  detail: string;
};

export type NotificationSummary = {
  /** The id. Do not parse it. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The reference of the sender. null: it sent none. */
  reference: string | null;
  /** The category that the sender chose: information, decision, reminder or urgent. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /**
   * accepted: the delivery follows. scheduled: it waits for sendAt. sending: a channel has started. sent: a provider
   * accepted the message, without proof of delivery. delivered: there is proof. read: the citizen opened it. unknown:
   * it may have arrived, and the server does not send it again. undeliverable: every channel failed. cancelled: the
   * sender cancelled it.
   */
  status: Open<
    | 'accepted'
    | 'scheduled'
    | 'sending'
    | 'sent'
    | 'delivered'
    | 'read'
    | 'unknown'
    | 'undeliverable'
    | 'cancelled'>;
  /** The time at which the notification reached this status. */
  statusAt: string;
  /** The time at which the server accepted the notification. */
  createdAt: string;
  /** The earliest time of sending. Absent if the sender requested none. */
  sendAt?: string;
  /** The rule by which the notification counts as served. Absent if the sender requested none. */
  legalEffect?: string;
  /** The deadline of delivery. Without proof by then, the status becomes sent, unknown or undeliverable. */
  deliverBy: string;
  /** The path of the ledger receipt of the acceptance. */
  receipt: string;
  reason?: NotificationReason;
  /** The deliveries: one for each channel and reminder. */
  deliveries: NotificationDelivery[];
};

export type OpenInboxMessageAnswer = {
  /** The id. Do not parse it. */
  id: string;
  /** The subject line. null: the sender set none. */
  subject: string | null;
  /** The name of the service that sent the message. */
  sender: string;
  /** The category that the sender chose: information, decision, reminder or urgent. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /** The language (BCP 47). null: unknown. */
  language: string | null;
  /** The time at which the sender sent the message to this server. */
  createdAt: string;
  /** The time at which the message was in the inbox: createdAt, or the time that the sender requested. */
  receivedAt: string;
  /** true if the citizen opened the message before. */
  opened: boolean;
  legalEffect?: InboxLegalEffect;
  /** The client that sent the message. You can limit a list or a search to it. */
  senderId: string;
  /** The reference that the sender gave. */
  reference: string | null;
  /** The date (YYYY-MM-DD) or instant until which the sender needs an answer. null: the sender named none. */
  respondBy: string | null;
  /** true if the message is new, or if the citizen marked it as unread. */
  unread: boolean;
  /** true if the citizen moved the message to the archive. */
  archived: boolean;
  /** The text as the sender sent it: plain text or restricted Markdown. */
  message: string;
  /** The message as an HTML page in which all texts are escaped. */
  html: string;
  /** The documents that belong to the message. */
  attachments: Attachment[];
  contact: SenderContact;
  /** The number of unread messages outside the archive, among the newest 1000. */
  unreadCount: number;
};

export type PauseChannelAnswer = {
  /** The paused channel. */
  channel: string;
};

export type PauseChannelBody = {
  /** Why the channel is paused, for the staff log. */
  reason: string;
};

/**
 * The values of the placeholders ((name)) in subject and message. Each placeholder needs a value. Values are plain
 * text: Markdown in them has no effect. The length limits also apply to the texts with their values.
 */
export type Personalisation = Record<string, string>;

/** A presentation, with its result if the status is completed. */
export type Presentation = {
  /** The id of the presentation. */
  presentationId: string;
  /**
   * requested: no wallet has fetched the request. fetched: a wallet has fetched it. answered: the wallet has answered,
   * and POST …/complete gives the result. completed: there is a result. refused: the wallet sent an error, see reason.
   * failed: the answer was not accepted, see reason. expired: the time is over. cancelled: you or the citizen cancelled
   * it.
   */
  status: Open<
    | 'requested'
    | 'fetched'
    | 'answered'
    | 'completed'
    | 'refused'
    | 'failed'
    | 'expired'
    | 'cancelled'>;
  /** The time of your request. */
  createdAt: string;
  /** The time until which the wallet can answer, and you can complete the presentation. */
  expiresAt: string;
  reason?: PresentationReason;
  verification?: PresentedVerification;
};

export type PresentationCompletion = {
  /**
   * The response_code in the fragment of returnUrl, which you received in the session that began the presentation, or
   * the 6 digits that the citizen typed there.
   */
  responseCode: string;
};

/** Why there is no result. Only with the status refused or failed. */
export type PresentationReason = {
  /**
   * The reason, for programs. wallet-error: the wallet sent the error in the member error. Others: why the answer was
   * not accepted.
   */
  code: Open<
    | 'response-undecryptable'
    | 'response-malformed'
    | 'state-unknown'
    | 'query-not-satisfied'
    | 'type-not-asked'
    | 'credential-malformed'
    | 'credential-signature'
    | 'issuer-not-trusted'
    | 'credential-expired'
    | 'credential-revoked'
    | 'credential-suspended'
    | 'status-unavailable'
    | 'holder-binding-missing'
    | 'holder-binding-signature'
    | 'holder-binding-time'
    | 'nonce-mismatch'
    | 'audience-mismatch'
    | 'disclosure-invalid'
    | 'digest-mismatch'
    | 'other-session'
    | 'wallet-error'>;
  /** The error of the wallet. access_denied: the citizen declined. other: an error that is not in the specification. */
  error?: Open<
    | 'access_denied'
    | 'invalid_request'
    | 'invalid_request_uri_method'
    | 'invalid_transaction_data'
    | 'vp_formats_not_supported'
    | 'wallet_unavailable'
    | 'other'>;
  /** The page that explains the reason and the fix. */
  page: string;
};

/** A request to the wallet of a citizen. */
export type PresentationRequest = {
  /** The kinds of credentials that you accept, as the operator names them. Default: all kinds. */
  credentials?: string[];
  /**
   * The claims that the wallet must attest. Default: the fewest that the policy of your client needs, preferably those
   * of every PID.
   */
  claims?: Array<
    | 'givenName'
    | 'familyName'
    | 'birthFamilyName'
    | 'birthDate'
    | 'birthPlace'
    | 'streetAddress'
    | 'postalCode'
    | 'locality'
    | 'country'
    | 'documentNumber'
    | 'nationality'>;
  /** Why you ask. The citizen reads it on the page, in the wallet and in the access log. */
  purpose?: string;
  /** The legal basis of the request. */
  legalBasis?: string;
  /** A value of your session, which the signed result repeats. */
  nonce?: string;
  /** The citizen whom you expect. If the wallet belongs to another person, the decision is no_match. */
  citizenId?: string;
  /**
   * The https address to which the wallet returns on the device of your page. It gets the code for POST …/complete in
   * its fragment, as response_code.
   */
  returnUrl?: string;
  /**
   * code: after an answer from another device, the citizen types a code of 6 digits on your page. none: no code.
   * Without returnUrl, choose none only where you see the citizen: somebody could let another person answer for them.
   * Default: none with returnUrl, otherwise code.
   */
  confirmation?: 'none' | 'code';
  /**
   * haip: the High Assurance Interoperability Profile, for all EU wallets. openid4vp: identifies the server by its DNS
   * name, for wallets without this profile. Default: haip.
   */
  profile?: 'haip' | 'openid4vp';
  /** The language of the page, as a language tag. Default: that of the browser. */
  language?: string;
};

/**
 * The result, with the members of the response of POST /v1/identity/verify. The assurance also says that the user of
 * your session is this person.
 */
export type PresentedVerification = {
  /** The id of this verification. */
  verificationId: string;
  /** true if decision is match. */
  verified: boolean;
  /**
   * match: the attested attributes fit exactly one citizen. no_match: they fit none. not_determined: the record is
   * under review, several people fit, or the register is unavailable.
   */
  decision: Open<'match' | 'no_match' | 'not_determined'>;
  /** The signed result: a JWS of type identity-verification+jwt. */
  token: string;
  [more: string]: unknown;
};

export type PreviewNotificationAnswer = {
  /**
   * false: the register has no such citizen, and all channels would fail. Always true without the scope citizens:known.
   */
  citizenKnown: boolean;
  /**
   * The language of the message (BCP 47): the requested one, or that of the chosen text of the template. Without the
   * scope citizens:known, it does not depend on the citizen: a template has its default text. Absent if the language is
   * unknown.
   */
  language?: string;
  /** The messages that the channels would send, one for each step of the cascade. */
  channels: PreviewNotificationAnswerChannelsItem[];
};

export type PreviewNotificationAnswerChannelsItem = {
  /** The channel: inbox, email, sms or letter. */
  channel: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  /** true for a reminder of an unread message, otherwise absent. */
  reminder?: boolean;
  /** The time at which this step would start, if the message is still unread. */
  notBefore: string;
  /**
   * false: the channel would send nothing, for the reason in the member reason. Without the scope citizens:known,
   * reasons that depend on the citizen are not shown.
   */
  reachable: boolean;
  reason?: NotificationReason;
  /** The subject line. Only for email and the inbox. */
  subject?: string;
  /** true: this mail or text message only says that there is a message. Its content is in the inbox. */
  noticeOnly?: boolean;
  /**
   * The text that this channel would send. A mail is shown without its id and links, and the link of a text message has
   * an id of zeros.
   */
  text: string;
  /**
   * The same text as an HTML page. Always present for the inbox; for email, if the message has headings, lists, links
   * or strong text.
   */
  html?: string;
  /** The number of segments of a text message. Only for sms. */
  segments?: number;
};

/**
 * A problem (RFC 9457). The page at `type` has its cause and fix. Programs must use `type`: the texts are for people
 * and can change.
 */
export type Problem = {
  /** The kind of problem, for programs: the URL of a page with its cause and fix. */
  type: string;
  /** The kind of problem, in a few words. */
  title: string;
  /** The HTTP status of the response. */
  status: number;
  /** The cause of the problem in this request. */
  detail: string;
  /** How to fix this kind of problem. */
  fix: string;
  /** true if the same request can succeed later. */
  retryable: boolean;
  /** The id of the request, which is also in the Request-Id header and in the log of the server. */
  instance: string;
  /** All faults of the input. They never contain values of the request. Absent if the input has no fault. */
  issues?: ProblemIssuesItem[];
  /** The limit that the body exceeds, in bytes. Only for payload-too-large. */
  limit?: number;
  /** The time of this server. Only if a token or proof has expired or is not valid yet. */
  serverTime?: string;
  /** The URL of the token endpoint. Only for the status 401, and for paths that look like a token endpoint. */
  tokenUrl?: string;
  /** The line at which the body is not valid JSON, from 1. Only for malformed-json. */
  line?: number;
  /** The column in this line, in characters from 1. Only for malformed-json. */
  column?: number;
  /** The scope that the operation requires. Only for missing-scope. */
  requiredScopes?: string[];
  /** The name of the exceeded quota in RateLimit-Policy. Only for an exceeded quota. */
  'violated-policies'?: string[];
  /** The path of the ledger receipt of the erasure. Only for document-erased. */
  proof?: string;
};

export type ProblemIssuesItem = {
  /** The part of the request that has the fault. */
  in: 'query' | 'path' | 'header' | 'body';
  /** The JSON pointer to the faulty member. Only for the body. */
  pointer?: string;
  /** The name of the parameter or header. Absent for the body. */
  name?: string;
  /** The kind of fault, for programs. Its meaning never changes. */
  code: string;
  /** The expectation that the value does not meet, for people. */
  detail: string;
};

export type ProposeOperationBody = {
  /**
   * eraseCitizen: Erase a citizen permanently. releaseHold: Release a legal hold. liftCitizenLock: Remove the lock that
   * a citizen set on their record. createClient: Create a client. changeClient: Change the scopes, purposes, legal
   * bases or policy of a client. addPolicy: Add a matching policy. startBatch: Start a batch of messages.
   */
  operation: 
    | 'eraseCitizen'
    | 'releaseHold'
    | 'liftCitizenLock'
    | 'createClient'
    | 'changeClient'
    | 'addPolicy'
    | 'startBatch';
  input: ProposeOperationBodyInput;
  /** Why, for the people who decide and for the staff log. */
  reason: string;
};

/** The input of the operation; docs/operate/staff.md lists the members. */
export type ProposeOperationBodyInput = {
  [more: string]: unknown;
};

export type ReadEventsAnswer = {
  /** The items of this page. */
  items: FeedEvent[];
  /**
   * The cursor for the next request. It is unchanged if there are no new events. With types, it also passes the events
   * of other types.
   */
  after: string;
  /**
   * true: the server has stored events after this cursor, so send the next request at once. With types, a page can have
   * no items and more be true.
   */
  more: boolean;
};

export type ReadEvidenceAnswer = {
  /** The evidence as a compact JWS (RFC 7515). */
  evidence: string;
  /**
   * A JWS with a time stamp token (RFC 3161) for the evidence. Absent if the operator has set no time-stamping
   * authority.
   */
  timeStamp?: string;
};

export type ReadOwnAccessLogAnswer = {
  /** The total number of uses. */
  totalUsages: number;
  /** The number of uses in this response. */
  returnedUsages: number;
  /** The uses of this page, the oldest first. */
  usages: DataUse[];
  /** The after, or with before the before, of the next page; null on the last page. */
  next: number | null;
  /** The organisations that used your data, for the filter. */
  organisations?: ReadOwnAccessLogAnswerOrganisationsItem[];
  /** The pseudonym of the citizen in the ledger, which all entries about the citizen have, in base64. */
  chain: string;
  /** The key with which you check the links of these entries, in base64. */
  linkKey: string;
  /** The key for entries from before you were in the register. Each entry fits linkKey or this key. */
  earlierLinkKey?: string;
};

export type ReadOwnAccessLogAnswerOrganisationsItem = {
  /** The id of its client. */
  code: string;
  /** Its name. */
  name: string;
};

export type ReadOwnRecordAnswer = {
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The given names. */
  givenName: string | null;
  /** The family name. */
  familyName: string | null;
  /** The family name at birth. */
  birthFamilyName: string | null;
  /** The date of birth as YYYY-MM-DD, YYYY-MM or YYYY. */
  birthDate: string | null;
  /** The place of birth. */
  birthPlace: string | null;
  /** The street and the house number. */
  streetAddress: string | null;
  /** The postal code. */
  postalCode: string | null;
  /** The town. */
  locality: string | null;
  /** The country of the address. */
  country: string | null;
  /** The number of an identity document. */
  documentNumber: string | null;
  /** The nationality as a code of ISO 3166-1. Commas separate several codes. */
  nationality: string | null;
  /** The email address. */
  email: string | null;
  /** The phone number. */
  phone: string | null;
  /** The language (BCP 47). null: unknown. */
  language: string | null;
  /** The earlier names, which also match. */
  formerNames: FormerName[];
  /** The earlier addresses, which also match. */
  formerAddresses: FormerAddress[];
  /** true: the record is under review, and verifications with fitting claims return not_determined. */
  underReview: boolean;
  /** true: staff of the register locked the record at your request, and no claims match. */
  locked: boolean;
  /** true: you locked the record yourself, and no claims match. null: an external register manages the locks. */
  ownLock: boolean | null;
  /** true: the record says that you have died, and no claims match. */
  deceased: boolean;
  /**
   * The wallets that are linked to your record, with your consent. They are recognised after a change of your name. The
   * link contains no readable number.
   */
  walletLinks: ReadOwnRecordAnswerWalletLinksItem[];
};

export type ReadOwnRecordAnswerWalletLinksItem = {
  /** The country that issued the credential (ISO 3166-1 alpha-2). */
  issuingCountry: string;
  /** The time of the last consent. */
  keptAt: string;
};

export type ReadReceiptAnswer = {
  /** The id of the event in the ledger. */
  eventId: string;
  /** The type of the event, such as notification.accepted. */
  type: string;
  /** The time at which the server recorded the event. */
  recordedAt: string;
  /** The number of the entry in the ledger, from 0. */
  leafIndex: number;
  /** The hash of the entry (RFC 6962), in base64. */
  leafHash: string;
  /** The size of the ledger to which the proof leads, in entries. */
  treeSize: number;
  /**
   * A c2sp.org/tlog-proof, which you can verify offline with the public key of the ledger. Its extra line has the entry
   * and the key that decrypts its content.
   */
  proof: string;
};

export type ReadStaffLogAnswer = {
  /** The items of this page. */
  items: StaffLogEntry[];
  /** The after of the next page. null: the last page. */
  next: string | null;
};

export type ReadStaffMemberAnswer = {
  /** The claim sub of the token. */
  subject: string;
  /** The display name. */
  name: string;
  /** The id of the client of the person. null: the person belongs to no service. */
  service: string | null;
  /** The rights of the person. */
  scopes: string[];
};

export type ReceiveEvent = {
  /** The number of the event among the events of your client, from 1 without gaps. 0 for a test event. */
  number: number;
  /**
   * The type of the event: notification.delivery-ended, notification.sent, notification.unknown,
   * notification.undeliverable, notification.opened, notification.confirmed, notification.cancelled,
   * identity.presentation-fetched, identity.presentation-answered, identity.presentation-completed,
   * identity.presentation-refused, identity.presentation-failed, identity.presentation-expired,
   * identity.presentation-cancelled, notification-batch.done, notification-batch.refused, notification-batch.cancelled.
   * Ignore unknown types.
   */
  type: string;
  /** The time of the event. */
  timestamp: string;
  data: EventData;
};

export type RemoveWalletLinksAnswer = {
  /**
   * The wallets that are linked to your record, with your consent. They are recognised after a change of your name. The
   * link contains no readable number.
   */
  walletLinks: ReadOwnRecordAnswerWalletLinksItem[];
};

export type RequestedPresentation = {
  /** The id of the presentation. */
  presentationId: string;
  /**
   * requested: no wallet has fetched the request. fetched: a wallet has fetched it. answered: the wallet has answered,
   * and POST …/complete gives the result. completed: there is a result. refused: the wallet sent an error, see reason.
   * failed: the answer was not accepted, see reason. expired: the time is over. cancelled: you or the citizen cancelled
   * it.
   */
  status: Open<
    | 'requested'
    | 'fetched'
    | 'answered'
    | 'completed'
    | 'refused'
    | 'failed'
    | 'expired'
    | 'cancelled'>;
  /** The time of your request. */
  createdAt: string;
  /** The time until which the wallet can answer, and you can complete the presentation. */
  expiresAt: string;
  reason?: PresentationReason;
  /**
   * The link that opens the wallet. With returnUrl: for the device on which your page is open. Otherwise: the content
   * of the QR code.
   */
  walletUrl: string;
  /**
   * The page of this server that shows who asks for what, the QR code and the link. Open it in the browser of the
   * citizen.
   */
  pageUrl: string;
  /** The path of the ledger receipt of this request. */
  receipt: string;
};

export type ResumeChannelAnswer = {
  /** The channel that delivers again. */
  channel: string;
};

export type ResumeChannelBody = {
  /** Why the channel delivers again, for the staff log. */
  reason: string;
};

export type SearchInboxAnswer = {
  /** The items of this page. */
  items: InboxItem[];
  /** The cursor with which the search continues. null: all messages were searched. */
  next: string | null;
  /** The number of messages that this request searched. */
  searched: number;
  /** The number of unread messages outside the archive, among the newest 1000. */
  unreadCount: number;
  /** The services that sent the newest 1000 messages, for `senderId`. */
  senders: InboxSender[];
};

export type SearchInboxBody = {
  /** Words that subject, text, reference or titles of documents must all contain. Case and accents do not count. */
  text: string;
  /** The client whose messages are returned. Default: all clients. */
  senderId?: string;
  /** The category of the returned messages. Default: all categories. */
  category?: 'information' | 'decision' | 'reminder' | 'urgent';
  /** true: only messages that are new or marked as unread. false: only the others. Default: all. */
  unread?: boolean;
  /** true: only archived messages. false: only the others. Default: all. */
  archived?: boolean;
  /** The member `next` of the previous response. Default: the first page. */
  cursor?: string;
  /** The maximum number of messages. Default: 100. */
  limit?: number;
};

export type SendNotificationAnswer = {
  /** The id. Do not parse it. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The reference of the sender. null: it sent none. */
  reference: string | null;
  /** accepted: the delivery starts at once. scheduled: the notification waits for sendAt. */
  status: Open<'accepted' | 'scheduled'>;
  /** The time at which the server created it. */
  createdAt: string;
  /** The server does not send the notification before this time. Absent if the sender requested none. */
  sendAt?: string;
  /** The deadline of delivery. Without proof of delivery by then, the notification ends. */
  deliverBy: string;
  /** The path of the ledger receipt of the acceptance. */
  receipt: string;
};

export type SendNotificationBody = {
  /** The id of the citizen in the register. */
  citizenId: string;
  /**
   * The text of the message: plain text or restricted Markdown. Required without templateId. The whole body has at most
   * 64 KiB.
   */
  message?: string;
  /**
   * The id of a template, instead of message and subject. The server uses its text in the member language, or in the
   * language of the citizen, or in its default language.
   */
  templateId?: string;
  /** The subject, in one line. Default: a subject with the name of the sender. */
  subject?: string;
  /**
   * Your own reference, by which you can find the notification. It can occur more than once, and must not contain
   * personal data.
   */
  reference?: string;
  /**
   * The category of the message: information, decision, reminder or urgent. The server sends urgent messages before all
   * others. Default: information.
   */
  category?: 'information' | 'decision' | 'reminder' | 'urgent';
  /**
   * The language of the message (BCP 47). For a template, one of its languages. Default: the language of the citizen.
   */
  language?: string;
  /** The earliest time of sending (RFC 3339), in the future and at most one year from now. Default: now. */
  sendAt?: string;
  /**
   * The deadline of delivery (RFC 3339), after sendAt. Without proof of delivery by then, the notification becomes
   * sent, unknown or undeliverable. Default: two weeks after sendAt.
   */
  deliverBy?: string;
  /**
   * Until when you need an answer: a date (YYYY-MM-DD) or an instant, at most two years after sendAt. The inbox of the
   * citizen shows it. It changes neither the delivery nor the legal effect.
   */
  respondBy?: string;
  /**
   * The channels in your order. The first starts at once, and the others after the waiting times of the server policy.
   * The server always uses the inbox. Default: all channels of the policy.
   */
  channels?: Array<'inbox' | 'email' | 'sms' | 'letter'>;
  personalisation?: Personalisation;
  /** The ids of documents of this citizen that you may read. The message lists them, and the citizen can read them. */
  attachments?: string[];
  /**
   * The rule by which the notification counts as served: opened, after-N-working-days, after-N-days or as-letter. With
   * -or-confirmed at its end, a confirmation by the link in a mail counts like opening. The evidence contains the
   * result. Mails and the inbox show the rule to the citizen beforehand. Default: no rule.
   */
  legalEffect?: string;
};

export type SendNotificationByLetterAnswer = {
  /** The id of the entry in the staff log. */
  entry: string;
  /** The id of the ledger event. */
  event: string;
};

export type SendNotificationByLetterBody = {
  /**
   * Why you need this. The citizen reads it in words: citizen-asked, service-asked, not-delivered, complaint,
   * required-by-law.
   */
  reason: 'citizen-asked' | 'service-asked' | 'not-delivered' | 'complaint' | 'required-by-law';
  /** The number of your case. The staff log has it; the citizen does not see it. */
  reference: string;
};

/** How the citizen can contact the sender; without unknown members. */
export type SenderContact = {
  /** The phone number. */
  phone?: string;
  /** The email address. */
  email?: string;
  /** The URL that the server calls. */
  url?: string;
};

export type StaffAttention = {
  /** Deliveries of the last 24 hours that failed, or whose outcome is unknown. */
  failures: StaffAttentionFailuresItem[];
  /** Webhooks that the server has disabled, or whose calls it has given up. */
  webhooks: StaffAttentionWebhooksItem[];
  /** Documents that nobody can retrieve because of their scan. */
  quarantine: StaffAttentionQuarantineItem[];
  /** Channels that staff have paused. */
  pausedChannels: StaffAttentionPausedChannelsItem[];
  /** The alarms of the ledger. */
  ledgerAlarms: string[];
  /** Imports of citizens that did not finish. */
  stoppedImports: StaffAttentionStoppedImportsItem[];
  /** When the newest backup began that "backup record" has stored. null: none is recorded. */
  lastBackupAt: string | null;
  proposals: StaffAttentionProposals;
};

export type StaffAttentionFailuresItem = {
  /** The channel of the deliveries. */
  channel: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  /** The code of the reason. */
  reason: string;
  /** The party that must act first: citizen, sender, operator or nobody. */
  whoActs: string;
  /** The reason in words. */
  detail: string;
  /** The number of them. */
  count: number;
  /**
   * The newest messages of it, at most 3, if the citizen must act; of your service, or of all services if you belong to
   * none.
   */
  notifications: string[];
};

export type StaffAttentionPausedChannelsItem = {
  /** The paused channel. */
  channel: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  /** Since when it takes no new delivery. */
  at: string;
};

/**
 * Proposals of your service, or of all services if you belong to none, that wait for a decision, and when the oldest
 * was made.
 */
export type StaffAttentionProposals = {
  /** The number of them. */
  count: number;
  /** When the oldest was made. */
  oldest: string | null;
};

export type StaffAttentionQuarantineItem = {
  /** The result of the scan. */
  verdict: string | null;
  /** The number of them. */
  count: number;
};

export type StaffAttentionStoppedImportsItem = {
  /** The id. Do not parse it. */
  id: string;
  /** The number of rows that it has read. */
  rows: number;
  /** When it stored rows last. */
  stoppedAt: string;
};

export type StaffAttentionWebhooksItem = {
  /** The id. Do not parse it. */
  id: string;
  /** The id of the client. */
  clientId: string;
  /** The name of the client. */
  organisation: string;
  /** Whether the server has disabled it. false: it has given up some calls. */
  disabled: boolean;
  /** An email address, telephone number or URL of the client. null: it has none. */
  contact: string | null;
};

export type StaffClient = {
  /** The id of the client. */
  clientId: string;
  /** The name that citizens read as the sender of messages and user of their data. */
  name: string;
  /** demo and test: fictional citizens. team: people who agreed to it. live: all citizens. */
  kind: Open<'demo' | 'test' | 'team' | 'live'>;
  /** The scopes that your client can request. */
  scopes: string[];
  /** The binding that tokens must have: dpop, mtls or none. */
  binding: Open<'none' | 'dpop' | 'mtls'>;
  /** The purposes that your client can state. null: any. */
  purposes: string[] | null;
  /** The legal bases that your client can state. null: any. */
  legalBases: string[] | null;
  /** The time at which the server created it. */
  createdAt: string;
  /** The quota of each scope. */
  quotas: ClientQuota[];
  usage: ClientUsage;
  /** The URL at which your client publishes its keys. null: none. */
  jwksUri: string | null;
  /** The credentials. With jwksUri, those keys that your client has used. */
  credentials: ClientCredential[];
  /** The number of webhooks. */
  webhooks: number;
  /** The matching policy for its verifications. null: VERIFY_POLICY. */
  policy: string | null;
  /** When it was disabled. null: it is active. */
  disabledAt: string | null;
};

export type StaffClientItem = {
  /** The id of the client. */
  clientId: string;
  /** The name that citizens read. */
  name: string;
  /** The kind of document, as its issuer names it. null: the issuer named none. */
  kind: Open<'demo' | 'test' | 'team' | 'live'>;
  /** The scopes of the client. */
  scopes: string[];
  /** When it was created. */
  createdAt: string;
  /** When it was disabled. null: it is active. */
  disabledAt: string | null;
  /** Its requests of the last 30 days. */
  requests: number;
  /** The last day with a request, in UTC. null: none in the last 30 days. */
  lastUsedOn: string | null;
};

export type StaffLogEntry = {
  /** The id. Do not parse it. */
  id: string;
  /** When it happened. */
  at: string;
  /** The claim sub of the person. */
  subject: string;
  /** The name of the person at that time. */
  name: string;
  /** The client of the person; null: none. */
  service: string | null;
  /** The operation, such as lookUpCitizen or eraseCitizen. */
  operation: string;
  /** The reason, and the party that must act. */
  reason?: string;
  /** The number of the case, or the id of the proposal. */
  reference?: string;
  /** The state before, if the operation changed something. */
  before?: unknown;
  /** The state after. */
  after?: unknown;
  /**
   * The ledger events of the operation: the first 101, and the event that you asked for. Only a download of the rows of
   * a batch has more.
   */
  events: StaffLogEntryEventsItem[];
};

export type StaffLogEntryEventsItem = {
  /** The ledger event. A citizen sees the same id in their access log. */
  id: string;
  /** The proof as c2sp.org/tlog-proof. null: the event is not in a signed checkpoint yet. */
  proof: string | null;
};

export type StaffLookUpHit = {
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The newest 50 messages of your service, without contents. */
  messages: StaffMessage[];
  /** The channels by which the citizen can be reached. */
  channels: StaffLookUpHitChannelsItem[];
  /** Whether the register says that the citizen has died. */
  deceased: boolean;
  locks: StaffLookUpHitLocks;
  /** The active legal holds. */
  holds: StaffLookUpHitHoldsItem[];
  /** The last uses of the data of the citizen by others, the newest first. Concealed uses are left out. */
  uses: StaffRecentUse[];
  /** The ledger event of this look-up, which the citizen sees in their access log. */
  event: string;
};

export type StaffLookUpHitChannelsItem = {
  /** The channel. */
  channel: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  /** A part of the address, to compare it with what the citizen says. null: the channel has none. */
  address: string | null;
  /** Whether the citizen does not wish this channel. */
  declined: boolean;
  /** Whether the citizen has confirmed the address. */
  verified: boolean;
};

export type StaffLookUpHitHoldsItem = {
  /** The id. Do not parse it. */
  id: string;
  /** When the hold was placed. */
  placedAt: string;
  /** null: all documents of the citizen. */
  documentId: string | null;
  /** Whether it is on a document of your service. Only then can you propose to release it. */
  ofService: boolean;
};

/** The locks of the record against verification. */
export type StaffLookUpHitLocks = {
  /** Whether the citizen has locked their record. */
  byCitizen: boolean;
  /** Whether staff have locked the record. */
  byStaff: boolean;
};

export type StaffMessage = {
  /** The id. Do not parse it. */
  id: string;
  /** The reference of the sender. null: it sent none. */
  reference: string | null;
  /** The category that the sender chose: information, decision, reminder or urgent. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /**
   * accepted: the delivery follows. scheduled: it waits for sendAt. sending: a channel has started. sent: a provider
   * accepted the message, without proof of delivery. delivered: there is proof. read: the citizen opened it. unknown:
   * it may have arrived, and the server does not send it again. undeliverable: every channel failed. cancelled: the
   * sender cancelled it.
   */
  status: Open<
    | 'accepted'
    | 'scheduled'
    | 'sending'
    | 'sent'
    | 'delivered'
    | 'read'
    | 'unknown'
    | 'undeliverable'
    | 'cancelled'>;
  /** The time at which the notification reached this status. */
  statusAt: string;
  /** The time at which the server accepted the notification. */
  createdAt: string;
  /** The earliest time of sending. Absent if the sender requested none. */
  sendAt?: string;
  /** The rule by which the notification counts as served. Absent if the sender requested none. */
  legalEffect?: string;
  /** The deadline of delivery. Without proof by then, the status becomes sent, unknown or undeliverable. */
  deliverBy: string;
  reason?: NotificationReason;
  /** The deliveries: one for each channel and reminder. */
  deliveries: NotificationDelivery[];
  /** The language that the sender requested (BCP 47). null: none. */
  language: string | null;
  /** All events, the oldest first. */
  timeline: NotificationEvent[];
  service: StaffMessageService;
  next: StaffMessageNext | null;
};

export type StaffMessageContent = {
  /** The id. Do not parse it. */
  id: string;
  /** When the service sent it. */
  createdAt: string;
  /** null: the message has no subject. */
  subject: string | null;
  /** The text as the service sent it: plain text or restricted Markdown. */
  message: string;
  /** The message as an HTML page in which all texts are escaped. */
  html: string;
  /** The language of the text. null: not known. */
  language: string | null;
  /** The id of the entry in the staff log. */
  entry: string;
  /** The id of the ledger event, which the citizen sees in their access log. */
  event: string;
};

/** The next step of the message, and its time. null: nothing more happens by itself. */
export type StaffMessageNext = {
  /** The next step of the server. */
  step: Open<'send' | 'try-channel' | 'wait-for-proof'>;
  /** When it does that, at the earliest; for wait-for-proof, at the latest. */
  at: string;
  /** The channel that is tried. */
  channel?: Open<'inbox' | 'email' | 'sms' | 'letter'>;
};

/** The service that sent it. */
export type StaffMessageService = {
  /** The id. Do not parse it. */
  id: string;
  /** The name of the service. */
  name: string;
};

export type StaffProposal = {
  /** The id. Do not parse it. */
  id: string;
  /** The proposed operation, such as eraseCitizen. */
  operation: string;
  input: StaffProposalInput;
  /** Why it was proposed. */
  reason: string;
  /**
   * proposed: another person can decide it. approved: the operation took effect. expired: nobody decided it in time.
   */
  status: Open<'proposed' | 'approved' | 'refused' | 'expired'>;
  /** When it was proposed. */
  proposedAt: string;
  /** Until then it can be decided. */
  expiresAt: string;
  proposedBy: StaffProposalProposedBy;
  /** The client of that person; null: none. */
  service: string | null;
  /** The state when it was proposed. */
  before: unknown;
  decision?: StaffProposalDecision;
};

/** The person who decided it. Absent until then. */
export type StaffProposalDecision = {
  /** The subject line. null: the sender set none. */
  subject: string;
  /** The display name. */
  name: string;
  /** When it was decided. */
  at: string;
  /** The reason, and the party that must act. */
  reason?: string;
};

/** The input of the operation. */
export type StaffProposalInput = {
  [more: string]: unknown;
};

/** The person who proposed it. */
export type StaffProposalProposedBy = {
  /** The subject line. null: the sender set none. */
  subject: string;
  /** The display name. */
  name: string;
};

export type StaffQueue = {
  /** The channel. */
  channel: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  /** The deliveries that wait and are due now. They are counted up to 10000. */
  due: number;
  /** When the oldest of them became due. null: none waits. */
  oldestDueAt: string | null;
  paused: StaffQueuePaused | null;
};

/** The pause of the channel. null: it is not paused. */
export type StaffQueuePaused = {
  /** Since when the channel takes no new delivery. */
  at: string;
  /** The name of the person who paused it. */
  name: string;
  /** Why it is paused. */
  reason: string;
};

export type StaffRecentUse = {
  /** When it happened. */
  at: string;
  /** The type of the ledger event. */
  usage: string;
  /** The name of the organisation. null: the operator of this server. */
  organisation: string | null;
  /** The purpose that the organisation stated. */
  purpose?: string;
  /** The purpose in words. */
  purposeText?: string;
  /** Why staff looked up the citizen. */
  reason?: string;
  /** The channel of a delivery. */
  channel?: string;
  /** The outcome of a delivery. */
  outcome?: string;
};

export type StartServiceBatchAnswer = {
  batch: NotificationBatch;
  /** The id of the proposal that another person can approve. null: the batch has started. */
  proposal: string | null;
};

export type StartServiceBatchBody = {
  /** Why the batch is sent, for the person who approves it and for the staff log. */
  reason: string;
};

export type StatePreferencesBody = {
  /** The channels in the order that you prefer: email, sms, letter. The others follow in the order of the server. */
  channels: Array<'email' | 'sms' | 'letter'>;
  /** The channels that the server never uses: email, sms. You cannot decline the inbox and letters. */
  declined: Array<'email' | 'sms'>;
  hours: StatePreferencesBodyHours | null;
  /** The language of messages (BCP 47), if the sender has a text in it. null: the language in the register. */
  language: string | null;
  /** Whether letters are in large print (18 points). Left out: it does not change. */
  largePrint?: boolean;
};

/** The hours in which the server sends messages, except urgent ones. null: at any hour that the server allows. */
export type StatePreferencesBodyHours = {
  /** The channels to which these hours apply: email, sms. */
  channels: Array<'email' | 'sms'>;
  /** The hour of the day at which the hours start, 0 to 24. */
  from: number;
  /** The hour of the day at which the hours end, 0 to 24. It can be on the next day. */
  until: number;
  /** The time zone of these hours, as an IANA name such as Europe/Lisbon. */
  timeZone: string;
};

export type Template = {
  /** The id of the template. Send it as templateId. */
  id: string;
  /** The name for your staff. */
  name: string;
  /** The language for citizens whose language has no text (BCP 47). */
  defaultLanguage: string;
  /** The languages of its texts (BCP 47). */
  languages: string[];
  /** The names of the values that personalisation must contain. */
  placeholders: string[];
  /** The time at which the template was created. */
  createdAt: string;
  /** One text for each language. */
  texts: TemplateText[];
};

export type TemplateSummary = {
  /** The id of the template. Send it as templateId. */
  id: string;
  /** The name for your staff. */
  name: string;
  /** The language for citizens whose language has no text (BCP 47). */
  defaultLanguage: string;
  /** The languages of its texts (BCP 47). */
  languages: string[];
  /** The names of the values that personalisation must contain. */
  placeholders: string[];
  /** The time at which the template was created. */
  createdAt: string;
};

export type TemplateText = {
  /** The language of this text, as a canonical tag (BCP 47). */
  language: string;
  /** The subject line. Absent: a subject with the name of the sender. */
  subject?: string;
  /** The text of the message: plain text or restricted Markdown, with its placeholders. */
  message: string;
};

export type TestWebhookBody = {
  /** The type of the test event. Default: notification.delivery-ended. */
  type?: 
    | 'notification.delivery-ended'
    | 'notification.sent'
    | 'notification.unknown'
    | 'notification.undeliverable'
    | 'notification.opened'
    | 'notification.confirmed'
    | 'notification.cancelled'
    | 'identity.presentation-fetched'
    | 'identity.presentation-answered'
    | 'identity.presentation-completed'
    | 'identity.presentation-refused'
    | 'identity.presentation-failed'
    | 'identity.presentation-expired'
    | 'identity.presentation-cancelled'
    | 'notification-batch.done'
    | 'notification-batch.refused'
    | 'notification-batch.cancelled';
};

export type Verification = {
  /** The id of this verification. */
  verificationId: string;
  /** true if decision is match. */
  verified: boolean;
  /**
   * match: the claims fit exactly one citizen. no_match: they fit none, or the id is unknown. not_determined: the
   * record is under review, several people fit, or the register is unavailable.
   */
  decision: Open<'match' | 'no_match' | 'not_determined'>;
  claims?: VerificationClaims;
  assurance: VerificationAssurance;
  /** The name of the verification policy, which contains its version. */
  policy: string;
  /** The time at which the server read the register. */
  checkedAt: string;
  /** The time at which the result and its token expire. */
  expiresAt: string;
  /** The purpose of the access. null or absent: none was stated. */
  purpose: string | null;
  /** The legal basis of the access. null or absent: none was stated. */
  legalBasis: string | null;
  /** The reference of the consent of the citizen. null or absent: the legal basis is not consent. */
  consentReference: string | null;
  /**
   * sha-256: and the base64url of SHA-256 over the canonical JSON (RFC 8785) of all request members, with names in
   * camelCase. For a wallet, only citizenId, purpose, legalBasis and nonce count.
   */
  requestHash: string;
  /** The path of the ledger receipt of this access. */
  receipt: string;
  evidence?: VerificationEvidence;
  /**
   * The signed result: a JWS of type identity-verification+jwt. On a match, it contains verified_claims (OpenID Connect
   * for Identity Assurance).
   */
  token: string;
};

/** The assurance of the verification. The server compared the claims with the register. */
export type VerificationAssurance = {
  /** The framework of the assurance level, such as eidas. */
  framework: string;
  /**
   * The assurance level. Without the member evidence, the check proves that such a person exists, not that the user of
   * your program is this person.
   */
  level: string;
};

/** The result of each submitted claim. It is absent without a match, and without the scope identity:verify:claims. */
export type VerificationClaims = {
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  citizenId?: Open<'match' | 'no_match' | 'not_available'>;
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  givenName?: Open<'match' | 'no_match' | 'not_available'>;
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  familyName?: Open<'match' | 'no_match' | 'not_available'>;
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  birthFamilyName?: Open<'match' | 'no_match' | 'not_available'>;
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  birthDate?: Open<'match' | 'no_match' | 'not_available'>;
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  birthPlace?: Open<'match' | 'no_match' | 'not_available'>;
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  streetAddress?: Open<'match' | 'no_match' | 'not_available'>;
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  postalCode?: Open<'match' | 'no_match' | 'not_available'>;
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  locality?: Open<'match' | 'no_match' | 'not_available'>;
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  country?: Open<'match' | 'no_match' | 'not_available'>;
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  documentNumber?: Open<'match' | 'no_match' | 'not_available'>;
  /** match: the claim fits the record. no_match: it does not. not_available: the record has no value. */
  nationality?: Open<'match' | 'no_match' | 'not_available'>;
};

/** The credential that the citizen presented. It is absent without a wallet. */
export type VerificationEvidence = {
  /** The citizen presented a credential of a wallet. */
  kind: 'wallet';
  /** The type of the credential: its vct or document type. */
  credential: string;
  /** The format of the credential: dc+sd-jwt or mso_mdoc. */
  format: string;
  /** The issuer, by its certificate. */
  issuer: string;
  /** The country of the issuer (ISO 3166-1 alpha-2). */
  issuingCountry?: string;
  /** true: the wallet proved that it holds the key of the credential. */
  holderBinding: true;
};

/** The claims to verify, and the purpose of the verification. */
export type VerificationRequest = {
  /** The id of the citizen in the register. */
  citizenId?: string;
  /** The given names, as in the identity document. */
  givenName?: string;
  /** The family name. */
  familyName?: string;
  /** The family name at birth. */
  birthFamilyName?: string;
  /** The date of birth as YYYY-MM-DD, or as YYYY-MM or YYYY if the day or month is unknown. */
  birthDate?: string;
  /** The place of birth. */
  birthPlace?: string;
  /** The street and the house number. */
  streetAddress?: string;
  /** The postal code. */
  postalCode?: string;
  /** The town. */
  locality?: string;
  /** The country of the address, written as in the register. */
  country?: string;
  /** The number of an identity document. */
  documentNumber?: string;
  /** The nationality as a code of ISO 3166-1, written as in the register. Separate several codes with commas. */
  nationality?: string;
  /** The purpose of the verification: one of those that are agreed for your client. The citizen can read it. */
  purpose?: string;
  /** The legal basis of the verification: one of those that are agreed for your client. The citizen can read it. */
  legalBasis?: string;
  /** Your reference of the consent of the citizen. Required if the legal basis is consent. */
  consentReference?: string;
  /** Any text of yours, which the signed result contains. */
  nonce?: string;
};

export type VerifiedAddress = {
  /** The channel of the address: email or sms. */
  channel: string;
  /** The address: an email address, or a phone number in E.164 format. */
  address: string;
  /** The time at which the citizen verified the address. */
  verifiedAt: string;
};

export type Webhook = {
  /** The id. Do not parse it. */
  id: string;
  /** The URL that the server calls. */
  url: string;
  /** active, or disabled after the receiver responded with 410. */
  status: string;
  /** The signature of the calls: v1 (HMAC) or v1a (Ed25519). */
  signature?: string;
  /** The time at which the webhook was created. */
  createdAt: string;
  /** The number of queued calls, counted up to 10,000. */
  waiting: number;
  /** The number of failed calls, counted up to 10,000. The redeliver operation queues them again. */
  dead: number;
  /** The time until which calls also have a signature of the previous secret. Absent without such a secret. */
  oldSecretUntil?: string;
  /** The shared secret for v1: whsec_…. Only present in the response that creates or rotates it. */
  secret?: string;
  /** The public key for v1a, with which you verify signatures: whpk_…. Absent for v1. */
  publicKey?: string;
  /** The previous public key, valid until oldSecretUntil. Absent without such a key. */
  oldPublicKey?: string;
};

export type WebhookCall = {
  /** The id of the event, which is the webhook-id of the call. */
  eventId: string;
  /** The type of the event. */
  type: string;
  /** The time of the event. */
  eventAt: string;
  /**
   * waiting: the server makes another attempt. done: the receiver accepted the call. dead: the server has given up; the
   * redeliver operation queues it again.
   */
  state: Open<'waiting' | 'done' | 'dead'>;
  /** The number of attempts, including one in progress. */
  attempts: number;
  /** The time of the last attempt. null: none has ended. */
  calledAt: string | null;
  /** The duration of the last attempt in milliseconds. null: none has ended. */
  durationMs: number | null;
  /**
   * The outcome of the last attempt. accepted: 2xx. gone: 410, which disables the webhook. rejected: another HTTP
   * status. private-target: the host has an address that is not public. unknown-host: no address was found.
   * certificate-invalid: the TLS certificate does not verify. unreachable: there was no connection, or no HTTP
   * response. timed-out: there was no response within 15 seconds.
   */
  outcome: Open<
    | 'accepted'
    | 'gone'
    | 'rejected'
    | 'private-target'
    | 'unknown-host'
    | 'certificate-invalid'
    | 'unreachable'
    | 'timed-out'> | null;
  /** The HTTP status of the last attempt. null: there was none. */
  httpStatus: number | null;
  /** The earliest time of the next attempt. null: no attempt follows. */
  nextAttemptAt: string | null;
};

export type WebhookTest = {
  /** The id of the test event, which is the webhook-id of the call. */
  eventId: string;
  /** The type of the test event. */
  type: string;
  /**
   * The outcome of the call. accepted: 2xx. gone: 410, which disables the webhook. rejected: another HTTP status.
   * private-target: the host has an address that is not public. unknown-host: no address was found.
   * certificate-invalid: the TLS certificate does not verify. unreachable: there was no connection, or no HTTP
   * response. timed-out: there was no response within 15 seconds.
   */
  outcome: Open<
    | 'accepted'
    | 'gone'
    | 'rejected'
    | 'private-target'
    | 'unknown-host'
    | 'certificate-invalid'
    | 'unreachable'
    | 'timed-out'>;
  /** The HTTP status of the receiver. null: there was none. */
  httpStatus: number | null;
  /** The duration of the call in milliseconds. */
  durationMs: number;
};

export type WithdrawDocumentAnswer = {
  /** The id. Do not parse it. */
  id: string;
  /** withdrawn: it is erased later. erased: its key is destroyed. */
  status: Open<'withdrawn' | 'erased'>;
  /** The time (RFC 3339). */
  at: string;
  /** The document is not erased before this time. null: there is no such time. */
  retainUntil: string | null;
  /** The path of the ledger receipt of this request. For an erasure, it is the proof. */
  receipt: string;
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
  | 'service-needed'
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
  | 'look-ups-exceeded'
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
  | 'client-token-needed'
  | 'staff-token-needed'
  | 'affects-all-services'
  | 'client-not-found'
  | 'proposal-not-found'
  | 'own-proposal'
  | 'proposal-ended'
  | 'citizen-not-found'
  | 'document-not-found'
  | 'notification-not-found'
  | 'webhook-not-found'
  | 'batch-not-found'
  | 'look-up-not-found'
  | 'template-not-found'
  | 'verification-not-found'
  | 'wallets-not-configured'
  | 'presentation-not-found'
  | 'presentation-not-answered'
  | 'presentation-ended'
  | 'response-code-wrong'
  | 'contact-address-not-found'
  | 'contact-code-wrong'
  | 'contact-code-needed'
  | 'too-many-contact-codes'
  | 'too-many-unlocks'
  | 'lock-not-kept-here'
  | 'receipt-not-found'
  | 'receipt-not-ready'
  | 'conflict'
  | 'changed-meanwhile'
  | 'document-not-ready'
  | 'document-quarantined'
  | 'cursor-expired'
  | 'batch-upload-deleted'
  | 'document-withdrawn'
  | 'document-erased'
  | 'precondition-failed'
  | 'range-not-satisfiable'
  | 'content-mismatch'
  | 'register-unavailable'
  | 'document-unreadable';

/**
 * Each operation by its operationId: its input, and its JSON response by status. Every error response is a `Problem`.
 */
export type Operations = {
  /** Verify citizen identity claims */
  verifyIdentityByQuery: {
    query?: {
      /** The id of the citizen in the register. */
      citizenId?: string;
      /** The given names, as in the identity document. */
      givenName?: string;
      /** The family name. */
      familyName?: string;
      /** The family name at birth. */
      birthFamilyName?: string;
      /** The date of birth as YYYY-MM-DD, or as YYYY-MM or YYYY if the day or month is unknown. */
      birthDate?: string;
      /** The place of birth. */
      birthPlace?: string;
      /** The street and the house number. */
      streetAddress?: string;
      /** The postal code. */
      postalCode?: string;
      /** The town. */
      locality?: string;
      /** The country of the address, written as in the register. */
      country?: string;
      /** The number of an identity document. */
      documentNumber?: string;
      /** The nationality as a code of ISO 3166-1, written as in the register. Separate several codes with commas. */
      nationality?: string;
      /** The purpose of the verification: one of those that are agreed for your client. The citizen can read it. */
      purpose?: string;
      /** The legal basis of the verification: one of those that are agreed for your client. The citizen can read it. */
      legalBasis?: string;
      /** Your reference of the consent of the citizen. Required if the legal basis is consent. */
      consentReference?: string;
      /** Any text of yours, which the signed result contains. */
      nonce?: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Verification;
    };
  };
  /** Verify citizen identity claims */
  verifyIdentity: {
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: VerificationRequest;
    answers: {
      200: Verification;
    };
  };
  /** Verify citizen identity claims */
  verifyIdentityQuery: {
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: VerificationRequest;
    answers: {
      200: Verification;
    };
  };
  /** Read an earlier verification result */
  readVerification: {
    params: {
      /** The verificationId of the result. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Verification;
    };
  };
  /** Send an official notification to a citizen */
  sendNotification: {
    headers?: {
      /**
       * A new UUID for each new request. If you repeat the request with the same key, you receive the first response
       * again.
       */
      'Idempotency-Key'?: string;
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: SendNotificationBody;
    answers: {
      202: SendNotificationAnswer;
    };
  };
  /** Read the status and timeline of a notification */
  readNotification: {
    params: {
      /** The id of the notification, from the response of the send operation. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Notification;
    };
  };
  /** List the notifications that your client sent */
  listNotifications: {
    query?: {
      /** Only notifications with exactly this reference. */
      reference?: string;
      /** Only notifications to the citizen with this id. */
      citizenId?: string;
      /** Only notifications in this status, after the last stored outcome. */
      status?: 
        | 'accepted'
        | 'scheduled'
        | 'sending'
        | 'sent'
        | 'delivered'
        | 'read'
        | 'unknown'
        | 'undeliverable'
        | 'cancelled';
      /** Only notifications that the server accepted at this time or later (RFC 3339). */
      createdFrom?: string;
      /** Only notifications that the server accepted before this time (RFC 3339). */
      createdBefore?: string;
      /** The maximum number of notifications. Default: 25. */
      limit?: number;
      /** The member `next` of the previous page. Default: the first page. */
      cursor?: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: ListNotificationsAnswer;
    };
  };
  /** Cancel a notification before it is sent */
  cancelNotification: {
    params: {
      /** The id of the notification, from the response of the send operation. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Notification;
    };
  };
  /** Deposit a document for a citizen */
  depositDocument: {
    headers: {
      /** The media type of the document. */
      'Content-Type': string;
      /**
       * The SHA-256 of the document as sha-256=:BASE64: (RFC 9530). The server rejects bytes with another digest.
       * Required with an Idempotency-Key.
       */
      'Repr-Digest'?: string;
      /**
       * Required. The id of the citizen in the register. The value is percent-encoded UTF-8 (encodeURIComponent). Plain
       * ASCII without % needs no encoding.
       */
      'Citizen-Id'?: string;
      /**
       * Required. The title that the citizen sees, which is also the file name. At most 200 characters. The value is
       * percent-encoded UTF-8 (encodeURIComponent). Plain ASCII without % needs no encoding.
       */
      'Document-Title'?: string;
      /** Your name for this kind of document, such as tax-assessment. */
      'Document-Kind'?: string;
      /** The time of issue (RFC 3339). Default: the time of the deposit. */
      'Document-Issued-At'?: string;
      /** The document is not erased before this time (RFC 3339), which is in the future. */
      'Document-Retain-Until'?: string;
      /**
       * A retention class of this installation. It determines how long the server keeps the document, and when it
       * erases it.
       */
      'Document-Retention-Class'?: string;
      /**
       * The purpose of the deposit. The citizen can read it. The value is percent-encoded UTF-8 (encodeURIComponent).
       * Plain ASCII without % needs no encoding.
       */
      Purpose?: string;
      /**
       * The legal basis of the deposit. The citizen can read it. The value is percent-encoded UTF-8
       * (encodeURIComponent). Plain ASCII without % needs no encoding.
       */
      'Legal-Basis'?: string;
      /**
       * A new UUID for each new request. If you repeat the request with the same key, you receive the first response
       * again.
       */
      'Idempotency-Key'?: string;
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: Bytes;
    answers: {
      201: DepositDocumentAnswer;
    };
  };
  /** List the records of a citizen’s documents, or of your deposits */
  listDocuments: {
    query?: {
      /** The id of the citizen in the register. Default: the documents that your client deposited, for all citizens. */
      citizenId?: string;
      /** Only documents in this status. */
      status?: 'scanning' | 'available' | 'quarantined' | 'withdrawn';
      /** Only documents that were deposited at this time or later (RFC 3339). */
      depositedFrom?: string;
      /** The member `next` of the previous page. Default: the first page. */
      cursor?: string;
      /** The maximum number of documents on a page. Default: 20. */
      limit?: number;
    };
    headers?: {
      /** The purpose of the access, which the citizen can read. */
      Purpose?: string;
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: ListDocumentsAnswer;
    };
  };
  /** Retrieve a secure document */
  retrieveDocument: {
    params: {
      /** The id of the document, such as doc_…. */
      id: string;
    };
    headers?: {
      /** One or several ranges of bytes (RFC 9110). */
      Range?: string;
      /** The ETag to which the range belongs. For another ETag, the response is the whole document. */
      'If-Range'?: string;
      /** Retrieves the document only if its ETag is one of these (RFC 9110). */
      'If-Match'?: string;
      /** Retrieves the document only if its ETag is none of these (RFC 9110). */
      'If-None-Match'?: string;
      /** sha-256=0 omits Repr-Digest (RFC 9530). No other algorithm is supported. */
      'Want-Repr-Digest'?: string;
      /** sha-256=1 requests Content-Digest (RFC 9530), for a whole document or a part up to 1 MiB. */
      'Want-Content-Digest'?: string;
      /** The purpose of the access, which the citizen can read. It selects the grant, if your client has several. */
      Purpose?: string;
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: Record<never, never>;
  };
  /** Withdraw a document */
  withdrawDocument: {
    params: {
      /** The id of the document, such as doc_…. */
      id: string;
    };
    headers?: {
      /** Withdraws the document only if its ETag is one of these (RFC 9110). */
      'If-Match'?: string;
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: WithdrawDocumentAnswer;
    };
  };
  /** Read the ledger receipt of an access */
  readReceipt: {
    params: {
      /** The id of the event, which the receipt link contains. */
      eventId: string;
    };
    answers: {
      200: ReadReceiptAnswer;
    };
  };
  /** List all endpoints */
  listEndpoints: {
    answers: {
      200: ListEndpointsAnswer;
    };
  };
  /** Let another client read a document */
  grantDocument: {
    params: {
      /** The id of the document, such as doc_…. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
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
      /** The id of the document, such as doc_…. */
      id: string;
    };
    query: {
      /** The client that has the grant. */
      clientId: string;
      /** The purpose of the grant. */
      purpose: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: EndGrantAnswer;
    };
  };
  /** List the uses of my data */
  readOwnAccessLog: {
    query?: {
      /** The number of the last use that you have. The response starts after it. Default: 0. */
      after?: number;
      /** Returns the last uses before this number. Use the largest value to get the newest uses. */
      before?: number;
      /** The maximum number of uses. Default: 100. */
      limit?: number;
      /** Only uses by others, or only what you did yourself. */
      by?: 'others' | 'citizen';
      /** Only uses by this organisation: a code of organisations. A concealed use is left out. */
      organisation?: string;
      /** Only uses from this date on, such as 2026-11-01, in the time zone of the server (TIME_ZONE). */
      from?: string;
      /** Only uses up to this date, in the time zone of the server (TIME_ZONE). */
      to?: string;
      /** true: also returns the organisations that used your data. */
      organisations?: 'true' | 'false';
      /** The language of purposeText; default en. */
      language?: string;
    };
    answers: {
      200: ReadOwnAccessLogAnswer;
    };
  };
  /** Create a webhook for the events of your notifications */
  createWebhook: {
    headers?: {
      /**
       * A new UUID for each new request. If you repeat the request with the same key, you receive the first response
       * again.
       */
      'Idempotency-Key'?: string;
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: CreateWebhookBody;
    answers: {
      201: Webhook;
    };
  };
  /** List the webhooks of your client */
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
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Webhook;
    };
  };
  /** Rotate the secret of a webhook */
  rotateWebhookSecret: {
    params: {
      /** The id of the webhook. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Webhook;
    };
  };
  /** Queue the failed calls of a webhook again */
  redeliverWebhook: {
    params: {
      /** The id of the webhook. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      202: Webhook;
    };
  };
  /** Read the events of your client in order */
  readEvents: {
    query?: {
      /**
       * The cursor after which the events start: the member after of the last response. Default: the first stored
       * event.
       */
      after?: string;
      /**
       * Only events of these types, separated by commas: notification.delivery-ended, notification.sent,
       * notification.unknown, notification.undeliverable, notification.opened, notification.confirmed,
       * notification.cancelled, identity.presentation-fetched, identity.presentation-answered,
       * identity.presentation-completed, identity.presentation-refused, identity.presentation-failed,
       * identity.presentation-expired, identity.presentation-cancelled, notification-batch.done,
       * notification-batch.refused, notification-batch.cancelled. Default: all types.
       */
      types?: string;
      /** The maximum number of events. Default: 100. */
      limit?: number;
    };
    answers: {
      200: ReadEventsAnswer;
    };
  };
  /** Read the evidence of a notification */
  readEvidence: {
    params: {
      /** The id of the notification, from the response of the send operation. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: ReadEvidenceAnswer;
    };
  };
  /** Set my contact preferences */
  statePreferences: {
    body: StatePreferencesBody;
    answers: {
      200: ContactPreferences;
    };
  };
  /** Read my contact preferences */
  readPreferences: {
    answers: {
      200: ContactPreferences;
    };
  };
  /** List my official messages */
  listInboxMessages: {
    query?: {
      /** The client whose messages are returned. Default: all clients. */
      senderId?: string;
      /** The category of the returned messages. Default: all categories. */
      category?: 'information' | 'decision' | 'reminder' | 'urgent';
      /** true: only messages that are new or marked as unread. false: only the others. Default: all. */
      unread?: boolean;
      /** true: only archived messages. false: only the others. Default: all. */
      archived?: boolean;
      /** The member `next` of the previous page. Default: the first page. */
      cursor?: string;
      /** The maximum number of messages. Default: 100. */
      limit?: number;
    };
    answers: {
      200: ListInboxMessagesAnswer;
    };
  };
  /** Open one of my messages */
  openInboxMessage: {
    params: {
      /** The id of the message, from the list of messages. */
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
  /** Send a code to one of my addresses */
  askContactCode: {
    body: AskContactCodeBody;
    answers: {
      202: AskContactCodeAnswer;
    };
  };
  /** Remove one of my verified addresses */
  removeContactAddress: {
    query: {
      /** The channel of the address: email or sms. */
      channel: 'email' | 'sms';
    };
    answers: {
      200: ContactPreferences;
    };
  };
  /** Confirm my address with the code that I received */
  confirmContactAddress: {
    body: ConfirmContactAddressBody;
    answers: {
      200: ContactPreferences;
    };
  };
  /** Create a template with a text for each language */
  createTemplate: {
    headers?: {
      /**
       * A new UUID for each new request. If you repeat the request with the same key, you receive the first response
       * again.
       */
      'Idempotency-Key'?: string;
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: CreateTemplateBody;
    answers: {
      201: Template;
    };
  };
  /** List the templates of your client */
  listTemplates: {
    answers: {
      200: ListTemplatesAnswer;
    };
  };
  /** Read a template with its texts */
  readTemplate: {
    params: {
      /** The id of the template. */
      id: string;
    };
    answers: {
      200: Template;
    };
  };
  /** Remove a template */
  removeTemplate: {
    params: {
      /** The id of the template. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Template;
    };
  };
  /** Lock or unlock my record against verification */
  changeOwnLock: {
    body: ChangeOwnLockBody;
    answers: {
      200: ChangeOwnLockAnswer;
    };
  };
  /** Preview a notification without sending it */
  previewNotification: {
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: SendNotificationBody;
    answers: {
      200: PreviewNotificationAnswer;
    };
  };
  /** Read the record of a document */
  readDocumentRecord: {
    params: {
      /** The id of the document, such as doc_…. */
      id: string;
    };
    headers?: {
      /** The purpose of the access, which the citizen can read. It selects the grant, if your client has several. */
      Purpose?: string;
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: DocumentRecord;
    };
  };
  /** Download the proof of a receipt as a file */
  readReceiptProof: {
    params: {
      /** The id of the event, which the receipt link contains. */
      eventId: string;
    };
    answers: Record<never, never>;
  };
  /** Search my official messages */
  searchInbox: {
    body: SearchInboxBody;
    answers: {
      200: SearchInboxAnswer;
    };
  };
  /** Archive one of my messages */
  archiveInboxMessage: {
    params: {
      /** The id from the list. */
      id: string;
    };
    answers: {
      200: InboxMark;
    };
  };
  /** Move one of my messages back to the inbox */
  restoreInboxMessage: {
    params: {
      /** The id from the list. */
      id: string;
    };
    answers: {
      200: InboxMark;
    };
  };
  /** Mark one of my messages as unread */
  markInboxMessageUnread: {
    params: {
      /** The id from the list. */
      id: string;
    };
    answers: {
      200: InboxMark;
    };
  };
  /** Download my official messages */
  exportInbox: {
    body: ExportInboxBody;
    answers: {
      200: ExportInboxAnswer;
    };
  };
  /** Call a webhook with a test event */
  testWebhook: {
    params: {
      /** The id of the webhook. */
      id: string;
    };
    body: TestWebhookBody;
    answers: {
      200: WebhookTest;
    };
  };
  /** List the calls of a webhook */
  listWebhookCalls: {
    params: {
      /** The id of the webhook. */
      id: string;
    };
    query?: {
      /** The maximum number of calls. Default: 25. */
      limit?: number;
      /** The member `next` of the previous page. Default: the first page. */
      cursor?: string;
    };
    answers: {
      200: ListWebhookCallsAnswer;
    };
  };
  /** Read the scopes, quotas, usage and credentials of your client */
  readClient: {
    answers: {
      200: Client;
    };
  };
  /** Send many notifications with one file */
  createNotificationBatch: {
    query?: {
      /** Your name for the batch, in one line. It must not contain personal data. */
      name?: string;
      /**
       * good: the server sends the rows without a fault, and refuses the others. all-or-none: if the check refuses one
       * row, the server sends none. A row whose deadline passes while the server sends the batch is refused alone.
       * Default: good.
       */
      rows?: 'good' | 'all-or-none';
      /**
       * automatic: the server sends the rows as soon as it has checked them. manual: it waits until you start the
       * batch. Default: automatic.
       */
      start?: 'automatic' | 'manual';
      /** true checks the rows and sends nothing. Default: false. */
      dryRun?: boolean;
      /** The template of all rows. Its placeholders are then columns of the file. */
      templateId?: string;
      /** The category of rows without one. Default: information. */
      category?: 'information' | 'decision' | 'reminder' | 'urgent';
      /** The language of rows without one (BCP 47). */
      language?: string;
      /** The earliest time of sending for rows without one (RFC 3339). */
      sendAt?: string;
      /** The deadline of delivery for rows without one (RFC 3339). */
      deliverBy?: string;
      /** The legal effect of rows without one. */
      legalEffect?: string;
    };
    headers: {
      /** The media type of the file. */
      'Content-Type': 'text/csv' | 'application/jsonl';
      /**
       * A new UUID for each new request. If you repeat the request with the same key, you receive the first response
       * again.
       */
      'Idempotency-Key'?: string;
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: Bytes;
    answers: {
      202: NotificationBatch;
    };
  };
  /** List the batches of your client */
  listNotificationBatches: {
    query?: {
      /** The maximum number of batches. Default: 25. */
      limit?: number;
      /** true lists only batches that have not ended. Default: false. */
      open?: boolean;
      /** The member `next` of the previous page. Default: the first page. */
      cursor?: string;
    };
    answers: {
      200: ListNotificationBatchesAnswer;
    };
  };
  /** Read the progress of a batch */
  readNotificationBatch: {
    params: {
      /** The id of the batch. */
      id: string;
    };
    answers: {
      200: NotificationBatchProgress;
    };
  };
  /** List the rows of a batch with their outcomes */
  listBatchRows: {
    params: {
      /** The id of the batch. */
      id: string;
    };
    query?: {
      /**
       * Only rows in this state: refused, or a status of their notifications. Default: all rows that have an outcome.
       */
      state?: 
        | 'refused'
        | 'accepted'
        | 'scheduled'
        | 'sending'
        | 'sent'
        | 'delivered'
        | 'read'
        | 'unknown'
        | 'undeliverable'
        | 'cancelled';
      /** Only rows after this one: the member `next` of the previous page. Default: 0. */
      after?: number;
      /** The maximum number of rows. Default: 25. */
      limit?: number;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: ListBatchRowsAnswer;
    };
  };
  /** Download the rows of a batch with their outcomes */
  readBatchResults: {
    params: {
      /** The id of the batch. */
      id: string;
    };
    query?: {
      /**
       * Only rows in this state: refused, or a status of their notifications. Default: all rows that have an outcome.
       */
      state?: 
        | 'refused'
        | 'accepted'
        | 'scheduled'
        | 'sending'
        | 'sent'
        | 'delivered'
        | 'read'
        | 'unknown'
        | 'undeliverable'
        | 'cancelled';
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: Record<never, never>;
  };
  /** Start a batch that waits for its start */
  startNotificationBatch: {
    params: {
      /** The id of the batch. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: NotificationBatch;
    };
  };
  /** Cancel the remaining rows of a batch */
  cancelNotificationBatch: {
    params: {
      /** The id of the batch. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: NotificationBatch;
    };
  };
  /** Read who is signed in */
  readStaffMember: {
    answers: {
      200: ReadStaffMemberAnswer;
    };
  };
  /** Look up a citizen */
  lookUpCitizen: {
    body: LookUpCitizenBody;
    answers: {
      200: LookUpCitizenAnswer;
    };
  };
  /** Send a message by letter too */
  sendNotificationByLetter: {
    params: {
      /** The id of the notification, from the response of the send operation. */
      id: string;
    };
    body: SendNotificationByLetterBody;
    answers: {
      200: SendNotificationByLetterAnswer;
    };
  };
  /** Record a returned letter */
  recordReturnedNotificationLetter: {
    params: {
      /** The id of the notification, from the response of the send operation. */
      id: string;
    };
    body: SendNotificationByLetterBody;
    answers: {
      200: SendNotificationByLetterAnswer;
    };
  };
  /** Propose an operation */
  proposeOperation: {
    body: ProposeOperationBody;
    answers: {
      202: StaffProposal;
    };
  };
  /** List proposals */
  listProposals: {
    query?: {
      /** Only proposals in this state. ended: approved, refused or expired. */
      status?: 'proposed' | 'approved' | 'refused' | 'expired' | 'ended';
      /** Only proposals of this operation. */
      operation?: 
        | 'eraseCitizen'
        | 'releaseHold'
        | 'liftCitizenLock'
        | 'createClient'
        | 'changeClient'
        | 'addPolicy'
        | 'startBatch';
      /** The maximum number of proposals. Default: 25. */
      limit?: number;
      /** The member `next` of the previous page. Default: the first page. */
      cursor?: string;
    };
    answers: {
      200: ListProposalsAnswer;
    };
  };
  /** Read a proposal */
  readProposal: {
    params: {
      /** The id of the proposal. */
      id: string;
    };
    answers: {
      200: StaffProposal;
    };
  };
  /** Approve a proposal */
  approveProposal: {
    params: {
      /** The id of the proposal. */
      id: string;
    };
    body: ApproveProposalBody;
    answers: {
      200: StaffProposal;
    };
  };
  /** Refuse a proposal */
  refuseProposal: {
    params: {
      /** The id of the proposal. */
      id: string;
    };
    body: ApproveProposalBody;
    answers: {
      200: StaffProposal;
    };
  };
  /** Read what staff did */
  readStaffLog: {
    query?: {
      /** Only entries of the person with this claim sub. */
      subject?: string;
      /** Only this operation, such as lookUpCitizen. */
      operation?: string;
      /** Only entries of people of this client. */
      service?: string;
      /** The entry with this ledger event, such as the reference in the access log of a citizen. */
      event?: string;
      /** Only entries from this time on (RFC 3339). */
      createdFrom?: string;
      /** Only entries before this time (RFC 3339). */
      createdBefore?: string;
      /** The member next of the previous page. Default: the first page. */
      after?: string;
    };
    answers: {
      200: ReadStaffLogAnswer;
    };
  };
  /** Read what needs attention */
  readAttention: {
    answers: {
      200: StaffAttention;
    };
  };
  /** Read a look-up again */
  readLookUp: {
    params: {
      /** The id of the look-up. */
      id: string;
    };
    query?: {
      /** The language of purposeText (BCP 47). Default: en. */
      language?: string;
    };
    answers: {
      200: LookUpCitizenAnswer;
    };
  };
  /** Send a message for your service */
  sendServiceNotification: {
    headers?: {
      /**
       * A new UUID for each new request. If you repeat the request with the same key, you receive the first response
       * again.
       */
      'Idempotency-Key'?: string;
    };
    body: SendNotificationBody;
    answers: {
      202: SendNotificationAnswer;
    };
  };
  /** Preview a message of your service */
  previewServiceNotification: {
    body: SendNotificationBody;
    answers: {
      200: PreviewNotificationAnswer;
    };
  };
  /** List the templates of your service */
  listServiceTemplates: {
    answers: {
      200: ListTemplatesAnswer;
    };
  };
  /** Create a template for your service */
  createServiceTemplate: {
    headers?: {
      /**
       * A new UUID for each new request. If you repeat the request with the same key, you receive the first response
       * again.
       */
      'Idempotency-Key'?: string;
    };
    body: CreateTemplateBody;
    answers: {
      201: Template;
    };
  };
  /** Read a template of your service */
  readServiceTemplate: {
    params: {
      /** The id of the template. */
      id: string;
    };
    answers: {
      200: Template;
    };
  };
  /** Remove a template of your service */
  removeServiceTemplate: {
    params: {
      /** The id of the template. */
      id: string;
    };
    answers: {
      200: Template;
    };
  };
  /** List the clients */
  listClients: {
    answers: {
      200: ListClientsAnswer;
    };
  };
  /** Read a client */
  readRegisteredClient: {
    params: {
      /** The id of the client. */
      id: string;
    };
    answers: {
      200: StaffClient;
    };
  };
  /** Disable a client */
  disableClient: {
    params: {
      /** The id of the client. */
      id: string;
    };
    body: DisableClientBody;
    answers: {
      200: DisableClientAnswer;
    };
  };
  /** List the queues of the channels */
  listQueues: {
    answers: {
      200: ListQueuesAnswer;
    };
  };
  /** Pause a channel */
  pauseChannel: {
    params: {
      /** The channel. */
      channel: 'inbox' | 'email' | 'sms' | 'letter';
    };
    body: PauseChannelBody;
    answers: {
      200: PauseChannelAnswer;
    };
  };
  /** Resume a channel */
  resumeChannel: {
    params: {
      /** The channel. */
      channel: 'inbox' | 'email' | 'sms' | 'letter';
    };
    body: ResumeChannelBody;
    answers: {
      200: ResumeChannelAnswer;
    };
  };
  /** Upload a file of messages for your service */
  createServiceBatch: {
    query?: {
      /** Your name for the batch, in one line. It must not contain personal data. */
      name?: string;
      /**
       * good: the server sends the rows without a fault, and refuses the others. all-or-none: if the check refuses one
       * row, the server sends none. A row whose deadline passes while the server sends the batch is refused alone.
       * Default: good.
       */
      rows?: 'good' | 'all-or-none';
      /** true checks the rows and sends nothing. Default: false. */
      dryRun?: boolean;
      /** The template of all rows. Its placeholders are then columns of the file. */
      templateId?: string;
      /** The category of rows without one. Default: information. */
      category?: 'information' | 'decision' | 'reminder' | 'urgent';
      /** The language of rows without one (BCP 47). */
      language?: string;
      /** The earliest time of sending for rows without one (RFC 3339). */
      sendAt?: string;
      /** The deadline of delivery for rows without one (RFC 3339). */
      deliverBy?: string;
      /** The legal effect of rows without one. */
      legalEffect?: string;
    };
    headers: {
      /** The media type of the file. */
      'Content-Type': 'text/csv' | 'application/jsonl';
      /**
       * A new UUID for each new request. If you repeat the request with the same key, you receive the first response
       * again.
       */
      'Idempotency-Key'?: string;
    };
    body: Bytes;
    answers: {
      202: NotificationBatch;
    };
  };
  /** List the batches of your service */
  listServiceBatches: {
    query?: {
      /** The maximum number of batches. Default: 25. */
      limit?: number;
      /** true lists only batches that have not ended. Default: false. */
      open?: boolean;
      /** The member `next` of the previous page. Default: the first page. */
      cursor?: string;
    };
    answers: {
      200: ListNotificationBatchesAnswer;
    };
  };
  /** Read the progress of a batch of your service */
  readServiceBatch: {
    params: {
      /** The id of the batch. */
      id: string;
    };
    answers: {
      200: NotificationBatchProgress;
    };
  };
  /** Preview a batch of your service */
  previewServiceBatch: {
    params: {
      /** The id of the batch. */
      id: string;
    };
    answers: {
      200: BatchPreview;
    };
  };
  /** List the rows of a batch of your service */
  listServiceBatchRows: {
    params: {
      /** The id of the batch. */
      id: string;
    };
    query?: {
      /**
       * Only rows in this state: refused, or a status of their notifications. Default: all rows that have an outcome.
       */
      state?: 
        | 'refused'
        | 'accepted'
        | 'scheduled'
        | 'sending'
        | 'sent'
        | 'delivered'
        | 'read'
        | 'unknown'
        | 'undeliverable'
        | 'cancelled';
      /** Only rows after this one: the member `next` of the previous page. Default: 0. */
      after?: number;
      /** The maximum number of rows. Default: 25. */
      limit?: number;
    };
    answers: {
      200: ListBatchRowsAnswer;
    };
  };
  /** Download the rows of a batch of your service */
  readServiceBatchResults: {
    params: {
      /** The id of the batch. */
      id: string;
    };
    query?: {
      /**
       * Only rows in this state: refused, or a status of their notifications. Default: all rows that have an outcome.
       */
      state?: 
        | 'refused'
        | 'accepted'
        | 'scheduled'
        | 'sending'
        | 'sent'
        | 'delivered'
        | 'read'
        | 'unknown'
        | 'undeliverable'
        | 'cancelled';
    };
    answers: Record<never, never>;
  };
  /** Start a batch of your service */
  startServiceBatch: {
    params: {
      /** The id of the batch. */
      id: string;
    };
    body: StartServiceBatchBody;
    answers: {
      200: StartServiceBatchAnswer;
    };
  };
  /** Cancel the remaining rows of a batch of your service */
  cancelServiceBatch: {
    params: {
      /** The id of the batch. */
      id: string;
    };
    answers: {
      200: NotificationBatch;
    };
  };
  /** Read the client of your service */
  readServiceClient: {
    answers: {
      200: Client;
    };
  };
  /** List the webhooks of your service */
  listServiceWebhooks: {
    answers: {
      200: ListWebhooksAnswer;
    };
  };
  /** List the calls of a webhook of your service */
  listServiceWebhookCalls: {
    params: {
      /** The id of the webhook. */
      id: string;
    };
    query?: {
      /** The maximum number of calls. Default: 25. */
      limit?: number;
      /** The member `next` of the previous page. Default: the first page. */
      cursor?: string;
    };
    answers: {
      200: ListWebhookCallsAnswer;
    };
  };
  /** Queue the failed calls of a webhook of your service again */
  redeliverServiceWebhook: {
    params: {
      /** The id of the webhook. */
      id: string;
    };
    answers: {
      202: Webhook;
    };
  };
  /** Call a webhook of your service with a test event */
  testServiceWebhook: {
    params: {
      /** The id of the webhook. */
      id: string;
    };
    body: TestWebhookBody;
    answers: {
      200: WebhookTest;
    };
  };
  /** Read the text of a message */
  readServiceNotification: {
    params: {
      /** The id of the notification, from the response of the send operation. */
      id: string;
    };
    body: SendNotificationByLetterBody;
    answers: {
      200: StaffMessageContent;
    };
  };
  /** Remove the links to my wallets */
  removeWalletLinks: {
    answers: {
      200: RemoveWalletLinksAnswer;
    };
  };
  /** Ask the wallet of a citizen */
  askPresentation: {
    headers?: {
      /**
       * A new UUID for each new request. If you repeat the request with the same key, you receive the first response
       * again.
       */
      'Idempotency-Key'?: string;
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: PresentationRequest;
    answers: {
      201: RequestedPresentation;
    };
  };
  /** Read the status and result of a presentation */
  readPresentation: {
    params: {
      /** The presentationId of the presentation. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Presentation;
    };
  };
  /** Confirm the session, and receive the result */
  completePresentation: {
    params: {
      /** The presentationId of the presentation. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: PresentationCompletion;
    answers: {
      200: Presentation;
    };
  };
  /** Cancel a presentation */
  cancelPresentation: {
    params: {
      /** The presentationId of the presentation. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time (RFC 3339). Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason for the concealment, as percent-encoded UTF-8. Required with Access-Log-Hidden-Until. The citizen
       * can read it when the concealment ends.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Presentation;
    };
  };
};
