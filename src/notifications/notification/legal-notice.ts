/**
 * The facts that a citizen must know before opening a message with a legal effect. Days are dates (YYYY-MM-DD) in the time zone of the
 * calendar.
 */
export type LegalNotice = {
  readonly rule: string;
  /** Whether a confirmation by the link in a mail counts like opening. */
  readonly confirmationCounts: boolean;
  /** Whether an unopened message counts only after a letter that is not posted yet. */
  readonly awaitsLetter: boolean;
  /** Since when the message counts as served. */
  readonly effectiveOn?: string;
  /** From when it counts as served even if the citizen does not open it. */
  readonly dueOn?: string;
};
