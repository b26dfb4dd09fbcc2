/** Words that STYLE and the vocabulary of the project reject, with what to write instead. Add a row when you find another one. */
export interface WordRule {
  /** A regular expression for whole words, without case. A space in it also matches a line break. */
  readonly words: string;
  readonly use: string;
  /** Allowed uses. A match inside one of them is not reported. */
  readonly allowed?: string;
}

/** Rejected words in prose. */
export const wordRules: readonly WordRule[] = [
  // Constructions.
  {
    words: 'behind',
    use: '"after"',
    allowed:
      'behind (?:an? |the |your |its |one |another |several )?(?:[\\w-]+ ){0,2}?(?:\\[?prox(?:y|ies)|load.balancers?|gateways?|firewalls?|NAT|CDN|pgbouncer|balancers?|scenes)|(?:fall|falls|fell|falling|fallen|lag|lags|lagged|lagging|left|leave|leaves|leaving) (?:[\\w-]+ ){0,3}?behind',
  },
  { words: 'stands?|stood|standing', use: '"is"', allowed: 'st(?:and|ands|ood|anding) for|stand-(?:alone|in|by)' },
  { words: 'anew', use: '"again"' },
  { words: 'mend(?:s|ed|ing)?', use: '"fix"' },
  { words: 'remed(?:y|ies|ied)', use: '"fix"' },
  { words: 'who(?:ever|soever|msoever|mever)', use: 'the subject itself, such as "clients that…"' },
  {
    words: 'thereof|therein|thereto|thereupon|hereby|wherein|whereof|whereby',
    use: '"of it", "in it" or a new sentence',
  },
  {
    words: 'so (?:many|long|much|often|few)',
    use: '"up to", "as long as", "until" or a number',
    allowed: 'so (?:many|long|much|often|few)\\b[^.;]{0,60}? that|not so much',
  },
  {
    words: '(?:(?:is|are|was|were|be|been|being) )?told|tells|telling',
    use: '"is notified", "reports" or "notifies"',
    allowed: '(?:[\\w-]+ )?(?:tells|told|telling) (?:[\\w-]+ ){0,4}?apart|tells you',
  },
  { words: 'nobody has', use: '"no client has", "unknown" or "unused"' },
  { words: 'nobody but', use: '"only"' },
  { words: 'by half', use: '"partly"' },
  { words: 'to the letter', use: '"exactly"' },
  { words: 'by the book', use: '"as specified"' },
  { words: 'as yet', use: '"yet"' },
  { words: 'at present', use: '"now"' },
  { words: 'in vain', use: '"without success"' },
  { words: 'likewise|thereby|anyhow', use: '"also", "thus" or a new sentence' },
  { words: 'thus far|hitherto|henceforth|heretofore', use: '"until now" or "from then on"' },
  { words: 'lest', use: '"so that … not"' },
  { words: 'what (?:is|was|are|were) (?:none|no such|not such)', use: 'the noun, with "is not"' },

  // The private vocabulary.
  { words: 'houses?', use: '"app", or "system" for its own messages and keys', allowed: 'in-house|house numbers?' },
  { words: 'cohorts?', use: '"tick batching" or "batch"' },
  { words: 'pour(?:s|ed|ing)?', use: '"pipe to the response"' },
  { words: 'desks?', use: '"operation runtime"', allowed: '(?:help|service|front|information)[ -]desks?' },
  { words: 'content gates?', use: '"quarantine"' },
  { words: 'pac(?:e|es|ed|ing)', use: '"interval" or "response-time padding"' },
  { words: 'quantums?|quanta', use: '"interval"', allowed: '(?:post-?)quantum' },
  { words: 'naps?', use: 'a timer: there is no blocking sleep' },
  { words: 'seats?', use: '"worker slot"' },
  { words: 'tellers?', use: '"notifier"' },
  { words: 'untold', use: '"pending"' },
  { words: 'heard', use: '"received"' },
  { words: 'reviv(?:e|es|ed|ing|al|als)', use: '"redeliver"' },
  { words: 'lets? go of|letting go of', use: '"release"' },
  { words: 'guess (?:budgets?|subjects?)', use: '"verification limit" or "verification key"' },
  { words: 'strangers?', use: '"unknown subject", or the role of the person' },
  { words: 'rivals?', use: '"competing candidate"' },
  { words: 'crowd(?:s|ed|ing)?', use: '"too many candidates", or the number' },
  { words: 'silent records?', use: '"locked record"' },
  { words: 'turn(?:s|ed|ing)? (?:\\w+ )?away', use: '"reject"' },
  { words: 'spoil(?:s|ed|t|ing)?', use: '"corrupt" or "fail"' },
  { words: 'weigh(?:s|ed|ing)?', use: '"size", "limit" or "count bytes"' },
  { words: 'kept answers?', use: '"stored result"' },
  { words: 'lasting keys?', use: '"long-lived subkey"' },
  { words: 'doors?', use: '"sign-in flow" or "entry point"' },
  { words: 'bells?', use: '"signal"' },
  { words: 'rehears(?:e|es|ed|ing|al|als)', use: '"dry run"' },
  { words: 'mint(?:s|ed|ing)?', use: '"create an id" or "id generator"' },
  { words: 'leash(?:es|ed)?', use: '"process limits"' },
  { words: 'hidden uses?', use: '"concealed access"' },
  { words: 'call-backs?', use: '"provider webhook"' },
  { words: 'own locks?', use: '"citizen lock"' },
];

/** A rejected opening of a sentence. */
export interface OpeningRule {
  /** A regular expression for the start of a sentence. Its first letter is a capital. */
  readonly opening: string;
  readonly use: string;
}

const subjectFirst = 'the subject first, such as "Later requests receive 503"';
/** Rejected openings. A sentence that ends with a question mark may start with any of them. */
export const openingRules: readonly OpeningRule[] = [
  { opening: '(?:What|Whatever)\\s+\\S', use: subjectFirst },
  { opening: '(?:Who|Whoever|Whom|Whomever|Whose)\\s+\\S', use: subjectFirst },
  { opening: '(?:Which|Whichever)\\s+\\S', use: subjectFirst },
  {
    opening: 'That (?:there|no|nothing|nobody|an?|the|it|they|he|she|some|these|what|who|[a-z]+s (?:are|were|is))\\b',
    use: subjectFirst,
  },
  { opening: 'Of (?:an?|the|each|every|those|these|what|whom|all|one|two|many)\\b', use: subjectFirst },
  { opening: '(?:To|By|For|From|With|In|On|At|Until|After|Before) (?:what|whom|whoever)\\b', use: subjectFirst },
  { opening: 'So (?:many|long|much|often|few)\\b', use: 'the subject first, with "up to" or "as long as"' },
  { opening: 'Behind\\b', use: '"After", or the subject first' },
  { opening: 'Beside\\b', use: '"In addition to", "Next to", or the subject first' },
  { opening: 'Where (?:there|it|one|none|nobody|no|nothing)\\b', use: '"If there is…", or the subject first' },
];

/** Private words in names, compared with each word of a camel-case name without a plural s. */
export const nameWords: Readonly<Record<string, string>> = {
  house: 'app, or system',
  ground: 'options',
  room: 'deps, or context',
  desk: 'runtime, or routeContext',
  gate: 'authorizer, semaphore, or quarantine',
  cohort: 'batch',
  pour: 'pipe',
  poured: 'piped',
  pace: 'interval, or padding',
  quantum: 'interval',
  nap: 'a timer',
  seat: 'workerSlot',
  board: 'loadTable',
  teller: 'notifier',
  tell: 'notify, report, or log',
  telling: 'notifying, or reporting',
  told: 'notified, reported, or logged',
  untold: 'pending',
  heard: 'received',
  revive: 'redeliver',
  revived: 'redelivered',
  revival: 'redelivery',
  stranger: 'unknownSubject, or decoy',
  rival: 'candidate',
  crowd: 'tooManyCandidates',
  placing: 'identifying',
  spoil: 'fail',
  spoiled: 'failed',
  spoilt: 'failed',
  weigh: 'countBytes',
  weighed: 'counted',
  door: 'signInFlow',
  bell: 'signal',
  rehearsal: 'dryRun',
  rehearse: 'dryRun',
  rehearsed: 'dryRun',
  mint: 'idGenerator, or create…Id',
  minted: 'created',
  leash: 'processLimits',
  anew: 'again',
  mend: 'fix',
  mended: 'fixed',
  remedy: 'fix',
  beside: 'alongside',
  behind: 'after',
  whoever: 'the subject itself',
  keeping: 'storeJob',
};

/** The same for consecutive words in a name. */
export const namePhrases: Readonly<Record<string, string>> = {
  'let go': 'release',
  'put back': 'requeue',
  'bring back': 'reschedule',
  'brought back': 'rescheduled',
  'hear stop': 'shutdownSignal',
  'start look': 'startupCheck',
  'run mode': 'roles',
  'thread wake': 'wakeNotification',
  'thread demand': 'threadScaling',
  'learn late': 'lateDeliveryReport',
  'late word': 'lateDeliveryReport',
  'early word': 'earlyDeliveryReport',
  'against other': 'retryOnConflict',
  'guess budget': 'verificationLimiter',
  'guess subject': 'verificationKey',
  'turn away': 'reject',
  'turned away': 'requestRejected',
  'turns away': 'reject',
  'kept answer': 'storedResult',
  'lasting key': 'longLivedSubkey',
  'wants page': 'prefersHtml',
  'open to look': 'openReadOnly',
  'content gate': 'quarantine',
  'bar of': 'blockedReason',
  'standing policy': 'defaultPolicy',
  'a turn': 'nextTick',
  'no end': 'unbounded',
  'none if broken': 'undefinedIfInvalid',
  'proven head': 'verifiedCheckpoint',
  'held byte': 'bufferedBytes',
  'hidden use': 'concealedAccess',
  'call back': 'providerWebhook',
  'own lock': 'citizenLock',
  'as told': 'asNotified',
};

/** Names that a rule matches although they are right: names on the wire, of a standard or of a package. */
export const allowedNames: readonly string[] = [
  'hasRoom',
  'hadRoom',
  'hasNoRoom',
  'makeRoom',
  'ownLock',
  'changeOwnLock',
  'VERIFY_QUANTUM_MS',
  'houseNumber',
  'withHouseNumber',
  'house_number',
  'resident_house_number',
];
