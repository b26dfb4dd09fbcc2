/** The party that must act before the same message can be delivered. */
type WhoActs = 'citizen' | 'sender' | 'operator' | 'nobody';

/** Why a channel did not succeed. `retryable`: sending the same message again later can succeed, and cannot deliver it twice. */
type Reason = {
  readonly code: ReasonCode;
  readonly retryable: boolean;
  readonly whoActs: WhoActs;
  readonly detail: string;
};

/** Every reason why a delivery ends without success or is retried. A code is never removed or changed. */
const reasonCatalogue = {
  'citizen-unknown': {
    retryable: false,
    whoActs: 'sender',
    detail: 'No citizen with this id is in the register.',
  },
  'citizen-deceased': {
    retryable: false,
    whoActs: 'sender',
    detail: 'The register says that the citizen has died. Nothing was sent. Contact the representatives of the estate.',
  },
  'no-contact': {
    retryable: false,
    whoActs: 'sender',
    detail: 'The register has no address of the citizen for this channel. Contact the citizen in another way.',
  },
  'address-invalid': {
    retryable: false,
    whoActs: 'citizen',
    detail: 'The address in the register has the wrong format for this channel.',
  },
  'address-refused': {
    retryable: false,
    whoActs: 'citizen',
    detail: 'The provider says that the address does not exist or accepts no messages.',
  },
  'mailbox-full': { retryable: true, whoActs: 'citizen', detail: 'The mailbox of the citizen is full.' },
  'destination-unreachable': {
    retryable: true,
    whoActs: 'nobody',
    detail: 'The mail system or phone of the address was unreachable or failed. The address may be correct.',
  },
  'message-refused': {
    retryable: false,
    whoActs: 'operator',
    detail: 'The provider refused the message itself, for its size or content.',
  },
  'letter-unprintable': {
    retryable: true,
    whoActs: 'operator',
    detail: 'The letter has characters that are in no font of this server (LETTER_FONTS). Use another channel.',
  },
  'letter-returned': {
    retryable: false,
    whoActs: 'sender',
    detail: 'The letter was returned by post. Contact the citizen in another way, or ask for the current address.',
  },
  'provider-busy': { retryable: true, whoActs: 'nobody', detail: 'The provider asked to try again later.' },
  'provider-unreachable': {
    retryable: true,
    whoActs: 'operator',
    detail: 'The server could not connect to the provider of the channel.',
  },
  'provider-refuses-us': {
    retryable: true,
    whoActs: 'operator',
    detail: 'The provider refused this server because of its URL, login, credit, sender address or encryption.',
  },
  'channel-not-configured': {
    retryable: true,
    whoActs: 'operator',
    detail: 'This server has no provider for the channel.',
  },
  'outcome-unknown': {
    retryable: false,
    whoActs: 'operator',
    detail:
      'The connection or the process was lost after the provider was called. The message may have arrived, so it is not repeated. Ask the provider about this attempt.',
  },
  'deadline-passed': { retryable: true, whoActs: 'sender', detail: 'deliverBy passed before the channel succeeded.' },
  'no-proof': {
    retryable: false,
    whoActs: 'nobody',
    detail:
      'The provider accepted the message, but there is no proof that it reached the citizen. Do not send it again.',
  },
  unopened: {
    retryable: false,
    whoActs: 'citizen',
    detail: 'The message is in the inbox, but the citizen did not open it by deliverBy.',
  },
  'content-erased': {
    retryable: false,
    whoActs: 'nobody',
    detail: 'The message was erased with the data of the citizen.',
  },
  'already-read': {
    retryable: false,
    whoActs: 'nobody',
    detail: 'The citizen had opened the message in the inbox before this channel was used.',
  },
  'receipt-confirmed': {
    retryable: false,
    whoActs: 'nobody',
    detail: 'The receipt was confirmed by the link in a mail before this channel was used.',
  },
  declined: {
    retryable: false,
    whoActs: 'nobody',
    detail: 'The citizen has declined this channel.',
  },
  'nothing-to-remind': {
    retryable: false,
    whoActs: 'nobody',
    detail: 'The first message by this channel failed or has an unknown outcome, so no reminder was sent.',
  },
  withdrawn: { retryable: false, whoActs: 'nobody', detail: 'The sender cancelled the notification.' },
  'internal-fault': { retryable: true, whoActs: 'operator', detail: 'This server could not prepare the message.' },
} as const satisfies Record<string, Omit<Reason, 'code'>>;

export type ReasonCode = keyof typeof reasonCatalogue;

/** All codes, for schemas. */
export const reasonCodes = Object.keys(reasonCatalogue) as readonly ReasonCode[];

/** The entry of the catalogue for a code. */
export function reasonOf(code: ReasonCode): Reason {
  return { code, ...reasonCatalogue[code] };
}

/**
 * The reason of an undeliverable notification. If nobody must act for the channel, the sender must act for the message, except when the
 * data of the citizen was erased.
 */
export function notificationReasonOf(code: ReasonCode): Reason {
  const reason = reasonOf(code);
  return reason.whoActs === 'nobody' && code !== 'content-erased' ? { ...reason, whoActs: 'sender' } : reason;
}

/** Parses a stored code. Throws when the row was not written by this program. */
export function parseReasonCode(text: string): ReasonCode {
  if (!Object.hasOwn(reasonCatalogue, text)) throw new TypeError('a stored reason is not in the catalogue');
  return text as ReasonCode;
}
