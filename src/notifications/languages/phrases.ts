/** The few words that this server adds to messages, and the one message of its own, in one language. */
export type Phrases = {
  /** What they are in: a language tag (BCP 47). */
  readonly language: string;
  /** The subject of a message without one. */
  readonly messageFrom: (sender: string) => string;
  readonly reminder: (subject: string) => string;
  /** Above the link by which the receipt of a mail is confirmed. */
  readonly confirm: string;
  /** Above the link to the message in the inbox. */
  readonly inbox: string;
  /** Below a message, before the id by which the citizen can ask about it. */
  readonly reference: (id: string) => string;
  /** Above the titles of the documents that belong to a message, none of which lies in the envelope or the mail. */
  readonly attached: string;
  /**
   * A text message that announces a longer one; `about` is empty, or the subject in quotes behind a blank. In
   * letters of the GSM alphabet where the language can: in others it takes twice as many segments.
   */
  readonly announce: (sender: string, about: string) => string;
  /** The page behind that link. */
  readonly page: {
    readonly title: string;
    readonly ask: (sender: string) => string;
    readonly button: string;
    /** What to do who does not trust it. */
    readonly doubt: (sender: string) => string;
  };
  /** The page behind its button, and of a link that was used before. */
  readonly confirmed: { readonly title: string; readonly text: (sender: string) => string };
  /** The page for a link that is not whole; nobody knows whose it is. */
  readonly unknownLink: { readonly title: string; readonly text: string };
  /** The page while nothing can be stored. */
  readonly notNow: { readonly title: string; readonly text: string };
  /**
   * A message of the register to a citizen about whom services gave details that do not fit, so often that it confirms none for a
   * time: what happened, what that does not mean, what comes of it, and what to do. It may come long after.
   */
  readonly failedVerifications: { readonly subject: string; readonly paragraphs: readonly string[] };
  /**
   * The code by which a citizen verifies an address, good for so many minutes. Whoever reads it may be a stranger whose address was
   * mistyped: it names nobody.
   */
  readonly code: { readonly subject: string; readonly text: (code: string, minutes: number) => string };
  /** The news that the address of a channel was changed or removed: to the address of before, and as a text message too. */
  readonly addressChanged: {
    readonly email: { readonly subject: string; readonly text: string };
    readonly sms: { readonly subject: string; readonly text: string };
    /** Behind it: what to do who has not done that. */
    readonly doubt: string;
  };
  /** The citizen's own lock against verification was set, or lifted. */
  readonly citizenLock: {
    readonly set: { readonly subject: string; readonly text: string };
    readonly lifted: { readonly subject: string; readonly text: string };
    /** Behind it, where staff did it and gave this reason. */
    readonly byStaff: (reason: string) => string;
    /** Behind it, where the citizen did, or who has signed in as that one. */
    readonly doubt: string;
  };
};
