/** The party that must act before the same message can be delivered. */
type WhoActs = 'citizen' | 'sender' | 'operator' | 'nobody';

/** Why a channel did not succeed. `retryable`: sending the same message again later can succeed. */
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
    detail: 'The register says that the citizen has died; nothing was sent. Write to those who act for the estate.',
  },
  'no-contact': {
    retryable: false,
    whoActs: 'sender',
    detail: 'The register has no address of the citizen for this channel; reach the citizen in another way.',
  },
  'address-invalid': {
    retryable: false,
    whoActs: 'citizen',
    detail: 'The address in the register is not of the form that the channel needs.',
  },
  'address-refused': {
    retryable: false,
    whoActs: 'citizen',
    detail: 'The provider says that there is no such address, or that it takes no messages.',
  },
  'mailbox-full': { retryable: true, whoActs: 'citizen', detail: 'The mailbox of the citizen is full.' },
  'destination-unreachable': {
    retryable: true,
    whoActs: 'nobody',
    detail:
      'The mail system or the phone of the address could not be reached or did not work; the address may be right.',
  },
  'message-refused': {
    retryable: false,
    whoActs: 'operator',
    detail: 'The provider refused the message itself, for its size or content.',
  },
  'letter-unprintable': {
    retryable: true,
    whoActs: 'operator',
    detail:
      'The letter holds characters for which this server has no font (LETTER_FONTS); other channels can carry them.',
  },
  'letter-returned': {
    retryable: false,
    whoActs: 'sender',
    detail: 'The post brought the letter back; reach the citizen in another way, or ask for the address anew.',
  },
  'provider-busy': { retryable: true, whoActs: 'nobody', detail: 'The provider asked to try again later.' },
  'provider-unreachable': {
    retryable: true,
    whoActs: 'operator',
    detail: 'No connection to the provider of the channel could be made.',
  },
  'provider-refuses-us': {
    retryable: true,
    whoActs: 'operator',
    detail: 'The provider refused this server: address of the service, login, credit, sender address or encryption.',
  },
  'channel-not-configured': {
    retryable: true,
    whoActs: 'operator',
    detail: 'This server has no provider for the channel.',
  },
  'outcome-unknown': {
    retryable: true,
    whoActs: 'operator',
    detail:
      'The connection or the process was lost after the provider was called: the message may have arrived. It is not repeated; the provider knows it by the attempt.',
  },
  'deadline-passed': { retryable: true, whoActs: 'sender', detail: 'deliverBy passed before the channel succeeded.' },
  'no-proof': {
    retryable: false,
    whoActs: 'sender',
    detail: 'The provider took the message, but nothing proved by deliverBy that it reached the citizen.',
  },
  unopened: {
    retryable: false,
    whoActs: 'sender',
    detail: 'The message lies in the inbox, and the citizen did not open it by deliverBy.',
  },
  'content-erased': {
    retryable: false,
    whoActs: 'nobody',
    detail: 'The data of the citizen was erased, and the message with it.',
  },
  'already-read': {
    retryable: false,
    whoActs: 'nobody',
    detail: 'The citizen had opened the message in the inbox before this channel was used.',
  },
  declined: {
    retryable: false,
    whoActs: 'nobody',
    detail: 'The citizen does not wish to be reached by this channel.',
  },
  'nothing-to-remind': {
    retryable: false,
    whoActs: 'nobody',
    detail: 'The first message by this channel did not reach the citizen, so no reminder was sent.',
  },
  withdrawn: { retryable: false, whoActs: 'nobody', detail: 'The sender withdrew the notification.' },
  'internal-fault': { retryable: true, whoActs: 'operator', detail: 'This server could not prepare the message.' },
} as const satisfies Record<string, Omit<Reason, 'code'>>;

/** A code of the reason catalogue. */
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
