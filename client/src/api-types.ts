// Made by `npm run generate` from the OpenAPI document. Change the server, not this file.

/** The known values. Later versions of the server may send others, so a client must accept unknown values. */
export type Open<Word extends string> = Word | (string & Record<never, never>);

/** The bytes of a document. A stream can be sent only once. A retry can send the other types again. */
export type Bytes = Uint8Array | Blob | ReadableStream<Uint8Array>;

export type AskContactCodeAnswer = {
  /** The channel. */
  channel: Open<'email' | 'sms'>;
  /** When the code expires. */
  endsAt: string;
};

export type AskContactCodeBody = {
  /** The channel of this address. */
  channel: 'email' | 'sms';
  /** An email address, or a phone number in E.164 format, such as +4740000000. */
  address: string;
};

export type Attachment = {
  /** A document of the citizen; read it at /v1/documents/{id}. */
  id: string;
  /** The title of the document. */
  title: string;
};

export type AwaitingAddress = {
  /** email or sms. */
  channel: string;
  address: string;
  /** When the code expires. */
  endsAt: string;
};

export type ChangeOwnLockAnswer = {
  /** Whether the citizen has locked the record. */
  ownLock: boolean;
};

export type ChangeOwnLockBody = {
  /** true: no claims about me match from now on. false: they can match again. */
  locked: boolean;
};

export type ConfirmContactAddressBody = {
  /** The channel by which the code was sent. */
  channel: 'email' | 'sms';
  /** The code of six digits. */
  code: string;
};

export type ContactPreferences = {
  /** The channels in the order that you prefer. The others follow in the order of the server. */
  channels: Array<Open<'email' | 'sms' | 'letter'>>;
  /** The channels that are never used. The inbox and letters cannot be declined. */
  declined: Array<Open<'email' | 'sms'>>;
  hours: ContactPreferencesHours | null;
  /** The language (BCP 47) of messages, if the sender has a text in it. null: the language in the register. */
  language: string | null;
  /** The verified addresses; they replace those of the register. */
  verified: VerifiedAddress[];
  /** The addresses with a code that is still valid. */
  awaiting: AwaitingAddress[];
  /** The channels whose addresses can be verified by a code: email, sms. */
  confirmable: string[];
};

/** Messages are sent only in these hours, except urgent ones. null: at any hour that the server allows. */
export type ContactPreferencesHours = {
  /** The channels with these hours. */
  channels: Array<Open<'email' | 'sms'>>;
  /** The first full hour of the day. */
  from: number;
  /** The hour of the end. It can be on the next day. */
  until: number;
  /** For example Europe/Lisbon. */
  timeZone: string;
};

export type CreateTemplateBody = {
  /** A name for your staff; one line. Citizens do not see it. */
  name: string;
  /** The language for citizens whose language is not in texts (BCP 47); one of the languages in texts. */
  defaultLanguage: string;
  /**
   * One text for each language, all with the same placeholders. Do not put data of a citizen into them: each message
   * brings its own values. The whole body is at most 64 KiB.
   */
  texts: NewTemplateText[];
};

export type CreateWebhookBody = {
  /** The URL to call: https, a public host, without user name or password. */
  url: string;
  /** v1 (default): HMAC with a shared secret. v1a: Ed25519, verified with a public key. */
  signature?: 'v1' | 'v1a';
};

export type DataUse = {
  /** The place among all uses of your data, from 1 without gaps. */
  number: number;
  /** The time of the access. */
  logTime: string;
  /** hidden: disclosed later by law; erased: its content was destroyed, its proof stays. */
  state: Open<'shown' | 'hidden' | 'erased'>;
  /** The processing type of Andmejälgija v3, such as DATA_RESPONSE. */
  processingType?: string;
  /** The kind of use, such as document.retrieved. */
  usage?: string;
  /** The purpose of the access. */
  purpose?: string;
  /** The purpose in words, which the organisation has registered. */
  purposeText?: string;
  /** The law that allows the access. */
  legalBasis?: string;
  /** The reference of the consent of the citizen. */
  consentReference?: string;
  initiatorOrg?: DataUseInitiatorOrg;
  /** citizen, operator or system, if no organisation acted. */
  initiator?: string;
  /** The system that wrote the entry. */
  logSourceSystem?: string;
  /** The id of the event. */
  queryId?: string;
  /** Whether the access concerned many citizens at once. */
  bulkProcessing?: boolean;
  /** The end of the concealment. */
  hiddenUntil?: string;
  /** The reason why the access was concealed. */
  hiddenReason?: string;
  object?: DataUseObject;
  recipientOrg?: DataUseRecipientOrg;
  details?: DataUseDetails;
  explanation?: DataUseExplanation;
  /** A c2sp.org/tlog-proof of the entry, verifiable offline. */
  proof: string;
};

/** Details of this kind of access. */
export type DataUseDetails = {
  [more: string]: unknown;
};

/** Only for a verification: why it had its result, as long as the result is stored. The client did not receive it. */
export type DataUseExplanation = {
  /** Why it was not a match; null for a match. */
  reason: Open<
    | 'claims-do-not-fit'
    | 'record-locked'
    | 'record-of-the-dead'
    | 'record-under-review'
    | 'others-fit-as-well'
    | 'guesses-spent'
    | 'register-unavailable'> | null;
  claims: DataUseExplanationClaims;
};

/**
 * How each claim compares with your record. former: an earlier value matched. not_available: the record has no value.
 */
export type DataUseExplanationClaims = Record<string, Open<'match' | 'similar' | 'former' | 'no_match' | 'not_available'>>;

/** The organisation that accessed the data. */
export type DataUseInitiatorOrg = {
  /** The kind. */
  type: string;
  /** A code for programs. Its meaning never changes. */
  code: string;
  /** The name. */
  name: string;
};

/** The document or message of this use. */
export type DataUseObject = {
  /** The kind. */
  type: Open<'document' | 'message'>;
  /** The id. Do not parse it. */
  id: string;
  /** available: you can open it now; unavailable: it exists, such as a message that is not in your inbox. */
  state: Open<'available' | 'unavailable' | 'erased'>;
  /** The title of the document, or the subject of the message. */
  title?: string;
};

/** The organisation that was given, or lost, access to the document. */
export type DataUseRecipientOrg = {
  /** The kind. */
  type: string;
  /** A code for programs. Its meaning never changes. */
  code: string;
  /** The name. */
  name: string;
};

export type DepositDocumentAnswer = {
  /** The id. Do not parse it. */
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
  /** In the form of Repr-Digest (RFC 9530): sha-256=:BASE64: */
  digest: string;
  /** The client that deposited it. */
  issuer: string;
  /** The time at which the document was issued. */
  issuedAt: string;
  /** The status. */
  status: Open<'scanning' | 'available' | 'quarantined' | 'withdrawn'>;
  /** It is not erased before this time. */
  retainUntil: string | null;
  /** The retention class. */
  retentionClass: string | null;
  /** When it is erased automatically; null: never. */
  eraseAt: string | null;
  scan: DocumentScan;
  /** The other clients that may read it now. The issuer and the citizen see all grants, another client its own. */
  access: DocumentAccess[];
  /** The receipt of this deposit. */
  receipt: string;
};

export type DepositDocumentBody = {
  /** The value of the header citizen-id, without encoding. */
  citizenId: string;
  /** The value of the header document-title, without encoding. */
  title: string;
  /** The value of the header document-kind, without encoding. */
  kind?: string;
  /** The value of the header document-issued-at, without encoding. */
  issuedAt?: string;
  /** The value of the header document-retain-until, without encoding. */
  retainUntil?: string;
  /** The value of the header document-retention-class, without encoding. */
  retentionClass?: string;
  /** The value of the header purpose, without encoding. */
  purpose?: string;
  /** The value of the header legal-basis, without encoding. */
  legalBasis?: string;
  /** The value of the header repr-digest, without encoding. */
  digest?: string;
  /** The bytes of the document: at most 104857600. */
  document: string;
};

export type DocumentAccess = {
  /** The client. */
  clientId: string;
  /** The purpose of the access. */
  purpose: string;
  /** Null: no end. */
  endsAt: string | null;
};

export type DocumentRecord = {
  /** The id. Do not parse it. */
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
  /** In the form of Repr-Digest (RFC 9530): sha-256=:BASE64: */
  digest: string;
  /** The client that deposited it. */
  issuer: string;
  /** The time at which the document was issued. */
  issuedAt: string;
  /** The status. */
  status: Open<'scanning' | 'available' | 'quarantined' | 'withdrawn'>;
  /** It is not erased before this time. */
  retainUntil: string | null;
  /** The retention class. */
  retentionClass: string | null;
  /** When it is erased automatically; null: never. */
  eraseAt: string | null;
  scan: DocumentScan;
  /** The other clients that may read it now. The issuer and the citizen see all grants, another client its own. */
  access: DocumentAccess[];
};

/** The malware scan. not-scanned: this installation delivers documents without a scan. */
export type DocumentScan = {
  /** The result of the scan. */
  verdict: Open<'clean' | 'infected' | 'unscannable' | 'not-scanned' | 'waiting'>;
  /** The time of the last scan. */
  at: string | null;
  /** The scanner and the version of its signatures. */
  engine: string | null;
  /** The name of the malware. */
  finding: string | null;
};

export type EndGrantAnswer = {
  /** The URL of the ledger receipt of this access. */
  receipt: string;
};

export type Endpoint = {
  /** The name. */
  name: string;
  /** The release that added it. */
  since: string;
  /** The HTTP method. */
  method: string;
  /** The path. */
  path: string;
  /** The scope that the endpoint requires. null: none. */
  scope: string | null;
  /** The permitted callers: clients that act for themselves, citizens with their own token, or both. */
  callers: Array<Open<'clients' | 'citizens'>>;
  /** A summary in one line. */
  summary: string;
  /** The hash of the schemas of the endpoint. */
  schemaHash: string;
};

export type EndpointRegisterEntry = {
  /** From 1 without gaps. A number never changes. */
  number: number;
  /** The name of the endpoint. */
  endpoint: string;
  /** The release that added it. */
  since: string;
  /** The hash of the schemas of the endpoint. */
  schemaHash: string;
  /** A c2sp.org/tlog-proof of the entry, verifiable offline. */
  proof: string;
};

export type EndpointRegisterProof = {
  /** The pseudonym of the register in the ledger, in base64. */
  chain: string;
  /** The key that verifies the chain of its entries, in base64. */
  linkKey: string;
  /** The number of entries of the log. */
  treeSize: number;
  /** The entries of the ledger. */
  entries: EndpointRegisterEntry[];
};

/** Contains no data about the citizen. */
export type EventData = {
  /** The id of the notification. */
  notification: string;
  /** The reference that you sent with it. */
  reference: string | null;
  /**
   * After the event. sent: handed over, without proof. unknown: it may have arrived, and is not repeated.
   * undeliverable: every channel failed.
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
  /** The id of the delivery, for notification.delivery-ended. */
  delivery?: string;
  /** The channel of the delivery. */
  channel?: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  /** The outcome of the delivery attempt. */
  outcome?: Open<'sent' | 'delivered' | 'failed' | 'unknown' | 'skipped' | 'retry'>;
  /** Why the delivery failed, or why the notification ended without proof: a reason.code. */
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

export type FeedEvent = {
  /** The id of the event in the ledger, and the webhook-id of its calls. */
  id: string;
  /** Counts the events of this client from 1, without gaps. */
  number: number;
  /**
   * The type of the event: notification.delivery-ended, notification.sent, notification.unknown,
   * notification.undeliverable, notification.opened, notification.cancelled. Ignore unknown types.
   */
  type: string;
  /** When the event happened. */
  timestamp: string;
  data: EventData;
};

export type FormerAddress = {
  streetAddress?: string;
  postalCode?: string;
  locality?: string;
  country?: string;
  from?: string;
  until?: string;
};

export type FormerName = {
  givenName?: string;
  familyName?: string;
  from?: string;
  until?: string;
};

export type GrantDocumentAnswer = {
  /** The client. */
  clientId: string;
  /** The purpose of the access. */
  purpose: string;
  /** The end. null: no end. */
  endsAt: string | null;
  /** The URL of the ledger receipt of this access. */
  receipt: string;
};

export type GrantDocumentBody = {
  /** The client that may read it. */
  clientId: string;
  /** One of the purposes agreed for that client. */
  purpose: string;
  /** RFC 3339, in the future; absent: no end. */
  endsAt?: string;
};

export type InboxItem = {
  /** The id. Do not parse it. */
  id: string;
  /** The subject line. */
  subject: string | null;
  /** The name of the service that sent it. */
  sender: string;
  /** The category of the message. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /** The language (BCP 47). */
  language: string | null;
  /** When the sender submitted it. */
  createdAt: string;
  /** When it was placed in the inbox: at createdAt, or at the time that the sender named. */
  receivedAt: string;
  /** Whether the citizen opened it before. */
  opened: boolean;
};

export type ListDocumentsAnswer = {
  /** The items of this page. */
  items: DocumentRecord[];
  /** Ids of documents on this page with a damaged record. The operator receives an alarm. */
  unreadable: string[];
  /** For `cursor`; null on the last page. */
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
  /** For `cursor`; null on the last page. */
  next: string | null;
};

export type ListNotificationsAnswer = {
  /** The items of this page. */
  items: NotificationSummary[];
  /** For `cursor`; null on the last page. */
  next: string | null;
};

export type ListTemplatesAnswer = {
  /** The items of this page. */
  items: TemplateSummary[];
};

export type ListWebhooksAnswer = {
  /** The items of this page. */
  items: Webhook[];
};

export type NewTemplateText = {
  /** The language of this text (BCP 47). */
  language: string;
  /** One line; the default names the sender. */
  subject?: string;
  /** Plain text or restricted Markdown, with a placeholder ((name)) for each value. */
  message: string;
};

export type Notification = {
  /** The id. Do not parse it. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The reference that the sender gave. */
  reference: string | null;
  /** The category of the message. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /**
   * sent: handed over, without proof. unknown: it may have arrived, and is not repeated. undeliverable: every channel
   * failed.
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
  /** When it reached that status. */
  statusAt: string;
  /** When it was accepted. */
  createdAt: string;
  /** The earliest time of sending. */
  sendAt?: string;
  /** The rule by which it counts as served. */
  legalEffect?: string;
  /** The deadline of delivery. Without proof by then, the status becomes sent, unknown or undeliverable. */
  deliverBy: string;
  /** The ledger receipt of its acceptance. */
  receipt: string;
  /** The language that the sender named. */
  language: string | null;
  reason?: NotificationReason;
  /** One for each channel. */
  deliveries: NotificationDelivery[];
  /** All events in order. */
  timeline: NotificationEvent[];
};

export type NotificationDelivery = {
  /** The id. Do not parse it. */
  id: string;
  /** The channel. */
  channel: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  /** true for a reminder of an unread message. */
  reminder?: boolean;
  /**
   * sent: the provider accepted it. delivered: there is proof that the citizen received it. unknown: it may have
   * arrived, and is not repeated.
   */
  status: Open<'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'unknown' | 'skipped'>;
  /** The number of calls of the provider. */
  attempts: number;
  /** The earliest time of the next attempt while queued. For the first attempt, only with the scope citizens:known. */
  nextAttemptAt?: string;
  /** When the delivery reached its last status. */
  endedAt?: string;
  reason?: NotificationReason;
};

export type NotificationEvent = {
  /** When it happened. */
  at: string;
  /** The event. */
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
  /** The channel, if the event is about one. */
  channel?: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  /** The number of the attempt; part of the Message-ID of mail. */
  attempt?: number;
  reason?: NotificationReason;
};

/** The reason, and who has to act. */
export type NotificationReason = {
  /** A code for programs; its meaning never changes. */
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
  /** Whether you can send the same message again later. false if the citizen could receive it twice. */
  retryable: boolean;
  /** The party that must act first. */
  whoActs: Open<'citizen' | 'sender' | 'operator' | 'nobody'>;
  /** An explanation for people. */
  detail: string;
};

export type NotificationSummary = {
  /** The id. Do not parse it. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The reference that the sender gave. */
  reference: string | null;
  /** The category of the message. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /**
   * sent: handed over, without proof. unknown: it may have arrived, and is not repeated. undeliverable: every channel
   * failed.
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
  /** When it reached that status. */
  statusAt: string;
  /** When it was accepted. */
  createdAt: string;
  /** The earliest time of sending. */
  sendAt?: string;
  /** The rule by which it counts as served. */
  legalEffect?: string;
  /** The deadline of delivery. Without proof by then, the status becomes sent, unknown or undeliverable. */
  deliverBy: string;
  /** The ledger receipt of its acceptance. */
  receipt: string;
};

export type OpenInboxMessageAnswer = {
  /** The id. Do not parse it. */
  id: string;
  /** The subject line. */
  subject: string | null;
  /** The name of the service that sent it. */
  sender: string;
  /** The category of the message. */
  category: Open<'information' | 'decision' | 'reminder' | 'urgent'>;
  /** The language (BCP 47). */
  language: string | null;
  /** When the sender submitted it. */
  createdAt: string;
  /** When it was placed in the inbox: at createdAt, or at the time that the sender named. */
  receivedAt: string;
  /** Whether the citizen opened it before. */
  opened: boolean;
  /** The text as sent: plain text or restricted Markdown. */
  message: string;
  /** The message as an HTML page with all texts escaped. */
  html: string;
  /** Documents that belong to the message. */
  attachments: Attachment[];
};

/**
 * Values for the placeholders ((name)) in subject and message; required if there are any, because all placeholders need
 * a value. Values are plain text: Markdown in them is not interpreted. The length limits also apply to the filled
 * texts.
 */
export type Personalisation = Record<string, string>;

export type PreviewNotificationAnswer = {
  /** false: there is no such citizen, and all channels would fail. Always true without the scope citizens:known. */
  citizenKnown: boolean;
  /**
   * The language of the message: the one that you named, or the one of the text that was chosen from the template.
   * Without the scope citizens:known, the response does not show the language of the citizen, and it shows the default
   * text of a template.
   */
  language?: string;
  /** The messages that the channels would send. */
  channels: PreviewNotificationAnswerChannelsItem[];
};

export type PreviewNotificationAnswerChannelsItem = {
  /** The channel. */
  channel: Open<'inbox' | 'email' | 'sms' | 'letter'>;
  reminder?: boolean;
  /** When this step would begin, if the message is still unread. */
  notBefore: string;
  /**
   * false: the channel would send nothing, for the given reason. Without the scope citizens:known, reasons that depend
   * on the citizen are not shown.
   */
  reachable: boolean;
  reason?: NotificationReason;
  /** Email and inbox: the subject. */
  subject?: string;
  /**
   * The text that this channel would send; for a mail without the id and the links. The link of a text message has an
   * id of zeros.
   */
  text: string;
  /**
   * The same text as an HTML page: for the inbox always, for email if the message has headings, lists, links or strong
   * text.
   */
  html?: string;
  /** The number of segments of a text message. */
  segments?: number;
};

/** A problem (RFC 9457). The page at `type` explains cause and fix. Texts are for people: branch on `type`. */
export type Problem = {
  /** The kind of problem: the URL of a page with its cause and fix. */
  type: string;
  /** The kind of problem in a few words. */
  title: string;
  /** The HTTP status of the response. */
  status: number;
  /** The cause in this request. */
  detail: string;
  /** How to fix this kind of problem. */
  fix: string;
  /** Whether the same request can succeed later. */
  retryable: boolean;
  /** The id of the request, as in the Request-Id header and in the log. */
  instance: string;
  /** All faults of the input. They never contain values of the request. */
  issues?: ProblemIssuesItem[];
  /** The limit that the request exceeds, in bytes. */
  limit?: number;
  /** The time of this server, if a token or proof has expired or is not valid yet. */
  serverTime?: string;
  /** The URL of the token endpoint, on every 401 and at paths that look like one. */
  tokenUrl?: string;
  /** The line of the body at which it stops being JSON. */
  line?: number;
  /** The column in that line, in characters. */
  column?: number;
  /** The missing scope. */
  requiredScopes?: string[];
  /** The name of the exceeded quota in RateLimit-Policy. */
  'violated-policies'?: string[];
  /** The receipt of the erasure of a document. */
  proof?: string;
};

export type ProblemIssuesItem = {
  /** The part of the request. */
  in: 'query' | 'path' | 'header' | 'body';
  /** A JSON pointer into the body. */
  pointer?: string;
  /** The name of the parameter or header, outside of the body. */
  name?: string;
  /** The kind of fault, for programs. */
  code: string;
  /** The expected value, for people. */
  detail: string;
};

export type ReadEventsAnswer = {
  /** The items of this page. */
  items: FeedEvent[];
  /** The cursor for the next request; unchanged if there is nothing new. */
  after: string;
};

export type ReadEvidenceAnswer = {
  /** A compact JWS (RFC 7515). */
  evidence: string;
  /** A JWS with a time stamp token (RFC 3161) for it, if the operator has set an authority. */
  timeStamp?: string;
};

export type ReadOwnAccessLogAnswer = {
  /** The total number of accesses. */
  totalUsages: number;
  /** The number of accesses in this response. */
  returnedUsages: number;
  /** The accesses, the oldest first. */
  usages: DataUse[];
  /** The after, or with before the before, of the next page; null on the last page. */
  next: number | null;
  /** The organisations that used your data, for the filter. */
  organisations?: ReadOwnAccessLogAnswerOrganisationsItem[];
  /** The pseudonym of this chain of entries in the ledger, in base64. */
  chain: string;
  /** The key that checks the chain of entries, in base64. */
  linkKey: string;
  /** The linkKey of uses from before you were in the register. Each use fits one of the two. */
  earlierLinkKey?: string;
};

export type ReadOwnAccessLogAnswerOrganisationsItem = {
  /** A code for programs. Its meaning never changes. */
  code: string;
  /** The name. */
  name: string;
};

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
  formerNames: FormerName[];
  formerAddresses: FormerAddress[];
  /** The record is under review: fitting claims are answered not_determined. */
  underReview: boolean;
  /** Staff of the register have locked the record at your request: no claims match. */
  locked: boolean;
  /** You have locked the record yourself: no claims match. null if this server does not store such locks. */
  ownLock: boolean | null;
  /** The record says that you have died: no claims match. */
  deceased: boolean;
};

export type ReadReceiptAnswer = {
  /** The id of the event. */
  eventId: string;
  /** The kind of use, such as notification.accepted. */
  type: string;
  /** The time of the record. */
  recordedAt: string;
  /** The number of the entry in the log, from 0. */
  leafIndex: number;
  /** Its hash (RFC 6962) in base64. */
  leafHash: string;
  /** The size of the log that the proof leads to. */
  treeSize: number;
  /**
   * A c2sp.org/tlog-proof, verifiable offline with the public key of the log; its extra line has the entry and the key
   * that opens its content.
   */
  proof: string;
};

export type ReceiveEvent = {
  /** Counts the events of this client from 1, without gaps. */
  number: number;
  /**
   * The type of the event: notification.delivery-ended, notification.sent, notification.unknown,
   * notification.undeliverable, notification.opened, notification.cancelled. Ignore unknown types.
   */
  type: string;
  /** When the event happened. */
  timestamp: string;
  data: EventData;
};

export type SendNotificationAnswer = {
  /** The id. Do not parse it. */
  id: string;
  /** The id of the citizen in the register. */
  citizenId: string;
  /** The reference of the sender. */
  reference: string | null;
  /** scheduled: it waits for sendAt. */
  status: Open<'accepted' | 'scheduled'>;
  /** The time of creation. */
  createdAt: string;
  /** The server does not send it before this time. */
  sendAt?: string;
  /** The notification ends at this time if there is no proof of its delivery. */
  deliverBy: string;
  /** The ledger receipt of the acceptance. */
  receipt: string;
};

export type SendNotificationBody = {
  /** The id of the citizen in the register. */
  citizenId: string;
  /**
   * The text of the message, plain or in restricted Markdown; required without templateId. The whole body is at most 64
   * KiB.
   */
  message?: string;
  /**
   * One of your templates, instead of message and subject. Its text is chosen by language, otherwise by the language of
   * the citizen, otherwise its default language is used.
   */
  templateId?: string;
  /** One line; the default names the sender. */
  subject?: string;
  /**
   * Your own reference, by which you can find the notification. It need not be unique. It must not contain personal
   * data.
   */
  reference?: string;
  /** The category of the message; default information. Urgent messages are sent before all others. */
  category?: 'information' | 'decision' | 'reminder' | 'urgent';
  /**
   * The language of the message (BCP 47); the default is the language of the citizen. For a template, one of its
   * languages.
   */
  language?: string;
  /** The earliest time of sending; in the future, at most one year from now. */
  sendAt?: string;
  /**
   * The deadline of delivery, after sendAt; default two weeks after it. Without proof of delivery by then, the
   * notification becomes sent, unknown or undeliverable.
   */
  deliverBy?: string;
  /**
   * The channels in your order. The first begins at once, the others after the waiting times of the server policy. The
   * inbox is always used. Default: all channels of the policy.
   */
  channels?: Array<'inbox' | 'email' | 'sms' | 'letter'>;
  personalisation?: Personalisation;
  /** Ids of documents of this citizen that you may read. The message lists them, and the citizen can read them. */
  attachments?: string[];
  /**
   * The rule by which the notification counts as served: opened, after-N-working-days, after-N-days or as-letter. The
   * evidence contains the result.
   */
  legalEffect?: string;
};

export type StatePreferencesBody = {
  /** The channels in the order that you prefer. The others follow in the order of the server. */
  channels: Array<'email' | 'sms' | 'letter'>;
  /** The channels that are never used. The inbox and letters cannot be declined. */
  declined: Array<'email' | 'sms'>;
  hours: StatePreferencesBodyHours | null;
  /** The language (BCP 47) of messages, if the sender has a text in it. null: the language in the register. */
  language: string | null;
};

/** Messages are sent only in these hours, except urgent ones. null: at any hour that the server allows. */
export type StatePreferencesBodyHours = {
  /** The channels with these hours. */
  channels: Array<'email' | 'sms'>;
  /** The first full hour of the day. */
  from: number;
  /** The hour of the end. It can be on the next day. */
  until: number;
  /** For example Europe/Lisbon. */
  timeZone: string;
};

export type Template = {
  /** The value for templateId when you send a message. */
  id: string;
  /** A name for your staff. */
  name: string;
  /** The language for citizens in whose language there is no text. */
  defaultLanguage: string;
  /** The languages of its texts (BCP 47). */
  languages: string[];
  /** The values that personalisation must contain. */
  placeholders: string[];
  /** When the template was created. */
  createdAt: string;
  /** One text for each language. */
  texts: TemplateText[];
};

export type TemplateSummary = {
  /** The value for templateId when you send a message. */
  id: string;
  /** A name for your staff. */
  name: string;
  /** The language for citizens in whose language there is no text. */
  defaultLanguage: string;
  /** The languages of its texts (BCP 47). */
  languages: string[];
  /** The values that personalisation must contain. */
  placeholders: string[];
  /** When the template was created. */
  createdAt: string;
};

export type TemplateText = {
  /** A canonical language tag (BCP 47). */
  language: string;
  /** The subject line. */
  subject?: string;
  /** Plain text or restricted Markdown, with its placeholders. */
  message: string;
};

export type Verification = {
  /** The id of this verification. */
  verificationId: string;
  /** Whether decision is match. */
  verified: boolean;
  /**
   * not_determined: the record is under review, several people fit, or the register is unavailable. An unknown id is
   * no_match.
   */
  decision: Open<'match' | 'no_match' | 'not_determined'>;
  claims?: VerificationClaims;
  assurance: VerificationAssurance;
  /** The named, versioned rules of the decision. */
  policy: string;
  /** The time of the query to the register. */
  checkedAt: string;
  /** The end of the validity of the result and its token. */
  expiresAt: string;
  /** The purpose of the access. */
  purpose: string | null;
  /** The law that allows the access. */
  legalBasis: string | null;
  /** The reference of the consent of the citizen. */
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

/** The method: the claims were compared with the register. */
export type VerificationAssurance = {
  /** The framework of the assurance level. */
  framework: string;
  /** The check proves that such a person exists, not that the user of the client is this person. */
  level: string;
};

/** Per submitted claim, on a match, with the scope identity:verify:claims. */
export type VerificationClaims = {
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

/** The claims to verify, and the purpose of the verification. */
export type VerificationRequest = {
  /** The id of the citizen in the register. */
  citizenId?: string;
  /** Given names, as in the identity document. */
  givenName?: string;
  /** Family name. */
  familyName?: string;
  /** Family name at birth. */
  birthFamilyName?: string;
  /** YYYY-MM-DD, or YYYY-MM or YYYY if the day or month is unknown. */
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
  /** Nationality as ISO 3166-1 code, written as in the register. Separate several with commas. */
  nationality?: string;
  /** One of the purposes agreed for the client. */
  purpose?: string;
  /** The legal basis of the request. */
  legalBasis?: string;
  /** Identifies the record of the consent of the citizen. */
  consentReference?: string;
  /** Returned in the signed result. */
  nonce?: string;
};

export type VerifiedAddress = {
  /** email or sms. */
  channel: string;
  address: string;
  verifiedAt: string;
};

export type Webhook = {
  /** The id. Do not parse it. */
  id: string;
  /** The URL that the server calls. */
  url: string;
  /** active, or disabled after the receiver answered 410. */
  status: string;
  /** How calls are signed: v1 (HMAC) or v1a (Ed25519). */
  signature?: string;
  /** When the webhook was created. */
  createdAt: string;
  /** The number of queued calls, counted up to 10,000. */
  waiting: number;
  /** The number of failed calls, counted up to 10,000. Redelivery queues them again. */
  dead: number;
  /** Until then, calls also have a signature of the previous secret. */
  oldSecretUntil?: string;
  /** whsec_…, for v1. Shown once, when it is created or rotated. */
  secret?: string;
  /** whpk_…, for v1a. Verify signatures with it. */
  publicKey?: string;
  /** The previous key, which signs until oldSecretUntil. */
  oldPublicKey?: string;
};

export type WithdrawDocumentAnswer = {
  /** The id. Do not parse it. */
  id: string;
  /** The status. */
  status: Open<'withdrawn' | 'erased'>;
  /** The time. */
  at: string;
  retainUntil: string | null;
  /** The receipt of this use. For an erasure, it is the proof. */
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
  | 'client-token-needed'
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
  | 'receipt-not-ready'
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

/**
 * Each operation by its operationId: its input, and its JSON response by status. Every error response is a `Problem`.
 */
export type Operations = {
  /** Verify citizen identity claims */
  verifyIdentityByQuery: {
    query?: {
      /** The id of the citizen in the register. */
      citizenId?: string;
      /** Given names, as in the identity document. */
      givenName?: string;
      /** Family name. */
      familyName?: string;
      /** Family name at birth. */
      birthFamilyName?: string;
      /** YYYY-MM-DD, or YYYY-MM or YYYY if the day or month is unknown. */
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
      /** Nationality as ISO 3166-1 code, written as in the register. Separate several with commas. */
      nationality?: string;
      /** One of the purposes agreed for the client. */
      purpose?: string;
      /** The legal basis of the request. */
      legalBasis?: string;
      /** Identifies the record of the consent of the citizen. */
      consentReference?: string;
      /** Returned in the signed result. */
      nonce?: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
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
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
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
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: VerificationRequest;
    answers: {
      200: Verification;
    };
  };
  /** Read an earlier result */
  readVerification: {
    params: {
      /** The verificationId. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
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
      /** A new UUID for each new request. A repeated request with the same key returns the first response again. */
      'Idempotency-Key'?: string;
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: SendNotificationBody;
    answers: {
      202: SendNotificationAnswer;
    };
  };
  /** The status and timeline of a notification */
  readNotification: {
    params: {
      /** The id from the response to sending. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Notification;
    };
  };
  /** The notifications that this client sent */
  listNotifications: {
    query?: {
      /** Exactly this reference. */
      reference?: string;
      /** To this citizen. */
      citizenId?: string;
      /** In this status after the last stored outcome. */
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
      /** Accepted at this instant or later. */
      createdFrom?: string;
      /** Accepted before this instant. */
      createdBefore?: string;
      /** The maximum number; default 25. */
      limit?: number;
      /** The `next` of the previous page. */
      cursor?: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: ListNotificationsAnswer;
    };
  };
  /** Cancel a notification that was not sent yet */
  cancelNotification: {
    params: {
      /** The id from the response to sending. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
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
       * RFC 9530: sha-256=:BASE64: of the document. The received bytes must have this digest. Required with an
       * Idempotency-Key.
       */
      'Repr-Digest'?: string;
      /**
       * Required. The id of the citizen in the register. Percent-encoded UTF-8 (encodeURIComponent); plain ASCII
       * without % needs no encoding.
       */
      'Citizen-Id'?: string;
      /**
       * Required. The title that the citizen sees, and the file name. At most 200 characters. Percent-encoded UTF-8
       * (encodeURIComponent); plain ASCII without % needs no encoding.
       */
      'Document-Title'?: string;
      /** The issuer’s name for this kind of document, such as tax-assessment. */
      'Document-Kind'?: string;
      /** RFC 3339. Default: the time of the deposit. */
      'Document-Issued-At'?: string;
      /** RFC 3339, in the future. The document is not erased before this time. */
      'Document-Retain-Until'?: string;
      /** A retention class of this installation. It sets how long the document is kept, and when it is erased. */
      'Document-Retention-Class'?: string;
      /**
       * The purpose of the deposit. The citizen can read it. Percent-encoded UTF-8 (encodeURIComponent); plain ASCII
       * without % needs no encoding.
       */
      Purpose?: string;
      /**
       * The legal basis of the deposit. The citizen can read it. Percent-encoded UTF-8 (encodeURIComponent); plain
       * ASCII without % needs no encoding.
       */
      'Legal-Basis'?: string;
      /** A new UUID for each new request. A repeated request with the same key returns the first response again. */
      'Idempotency-Key'?: string;
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
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
      /** The citizen whose documents are listed. */
      citizenId: string;
      /** The `next` of the previous page. */
      cursor?: string;
      /** Documents on a page; default 20. */
      limit?: number;
    };
    headers?: {
      /** The purpose of the access. The citizen can read it. */
      Purpose?: string;
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
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
      /** RFC 9110: one or several ranges of bytes. */
      Range?: string;
      /** The ETag that the range belongs to. */
      'If-Range'?: string;
      /** RFC 9110. */
      'If-Match'?: string;
      /** RFC 9110. */
      'If-None-Match'?: string;
      /** RFC 9530: sha-256=0 omits Repr-Digest. No other algorithm is supported. */
      'Want-Repr-Digest'?: string;
      /** RFC 9530: sha-256=1 requests Content-Digest, for a whole document or a part up to 1 MiB. */
      'Want-Content-Digest'?: string;
      /** The purpose of the access. The citizen can read it. It selects one of several grants. */
      Purpose?: string;
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
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
      /** RFC 9110: the document is withdrawn only if its ETag is one of these. */
      'If-Match'?: string;
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
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
      200: ReadReceiptAnswer;
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
      /** The id of the document, such as doc_…. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
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
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
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
      /** The number of the last use you have. */
      after?: number;
      /** Returns the last uses before this number. The largest value gives the newest uses. */
      before?: number;
      /** The most uses to return; default 100. */
      limit?: number;
      /** Only uses by others, or only what you did yourself. */
      by?: 'others' | 'citizen';
      /** Only uses by this organisation: a code of organisations. A concealed use is left out. */
      organisation?: string;
      /** Only uses from this date on, such as 2026-11-01, in UTC. */
      from?: string;
      /** Only uses up to this date, in UTC. */
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
  /** Create a webhook for the events of my notifications */
  createWebhook: {
    headers?: {
      /** A new UUID for each new request. A repeated request with the same key returns the first response again. */
      'Idempotency-Key'?: string;
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: CreateWebhookBody;
    answers: {
      201: Webhook;
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
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Webhook;
    };
  };
  /** Give a webhook a new secret */
  rotateWebhookSecret: {
    params: {
      /** The id of the webhook. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
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
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      202: Webhook;
    };
  };
  /** The events of the notifications of this client, in order */
  readEvents: {
    query?: {
      /** The cursor of the last event that you have read; the default is the first stored event. */
      after?: string;
      /** The maximum number; default 100. */
      limit?: number;
    };
    answers: {
      200: ReadEventsAnswer;
    };
  };
  /** The evidence of a notification, verifiable offline */
  readEvidence: {
    params: {
      /** The id from the response to sending. */
      id: string;
    };
    headers?: {
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
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
  /** My contact preferences */
  readPreferences: {
    answers: {
      200: ContactPreferences;
    };
  };
  /** My official messages */
  listInboxMessages: {
    query?: {
      /** The `next` of the previous page. */
      cursor?: string;
      /** The maximum number of messages; default 100. */
      limit?: number;
    };
    answers: {
      200: ListInboxMessagesAnswer;
    };
  };
  /** Open one of my messages */
  openInboxMessage: {
    params: {
      /** The id from the list. */
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
  /** Enter the code that was sent to my address */
  confirmContactAddress: {
    body: ConfirmContactAddressBody;
    answers: {
      200: ContactPreferences;
    };
  };
  /** Create a template with a text for each language */
  createTemplate: {
    headers?: {
      /** A new UUID for each new request. A repeated request with the same key returns the first response again. */
      'Idempotency-Key'?: string;
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    body: CreateTemplateBody;
    answers: {
      201: Template;
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
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: Template;
    };
  };
  /** Lock my details against verification */
  changeOwnLock: {
    body: ChangeOwnLockBody;
    answers: {
      200: ChangeOwnLockAnswer;
    };
  };
  /** Show what a notification would send */
  previewNotification: {
    headers?: {
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
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
      /** The purpose of the access. The citizen can read it. It selects one of several grants. */
      Purpose?: string;
      /** Conceals this access from the citizen until this time. Requires the scope access-log:hide. */
      'Access-Log-Hidden-Until'?: string;
      /**
       * The reason of the concealment, as percent-encoded UTF-8. Required with it; the citizen can read it afterwards.
       */
      'Access-Log-Hidden-Reason'?: string;
    };
    answers: {
      200: DocumentRecord;
    };
  };
  /** The proof of one receipt as a file */
  readReceiptProof: {
    params: {
      /** The id in the receipt link. */
      eventId: string;
    };
    answers: Record<never, never>;
  };
};
