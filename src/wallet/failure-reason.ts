/** The reasons of a failed presentation. The list is public: each reason has a page, and a name is never changed. */
export const failureReasons = [
  'response-undecryptable',
  'response-malformed',
  'state-unknown',
  'query-not-satisfied',
  'type-not-asked',
  'credential-malformed',
  'credential-signature',
  'issuer-not-trusted',
  'credential-expired',
  'credential-revoked',
  'credential-suspended',
  'status-unavailable',
  'holder-binding-missing',
  'holder-binding-signature',
  'holder-binding-time',
  'nonce-mismatch',
  'audience-mismatch',
  'disclosure-invalid',
  'digest-mismatch',
  'other-session',
] as const;

/** The reason of a failed presentation. */
export type FailureReason = (typeof failureReasons)[number];

/**
 * Thrown by the checks of a presentation, and caught in one place. It has no `cause`: messages of parsers quote their input, which has
 * personal data.
 */
export class PresentationFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason) {
    super(`expected a valid presentation, received one that fails with ${reason}`);
    this.name = 'PresentationFailure';
    this.reason = reason;
  }
}
