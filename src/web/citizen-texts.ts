import type { ClaimName } from '../identity/register/claims.ts';
import type { ClaimFinding, UnmatchedReason } from '../kernel/verification-explanation.ts';
import type { CitizenEvent } from '../ledger/ledger-event.ts';

/** A text for each channel whose addresses are verified by a code. */
type ChannelTexts = { readonly email: string; readonly sms: string };

/** What the citizens' own pages say, in one language. */
export type CitizenTexts = {
  /** What they are in: a language tag (BCP 47). */
  readonly language: string;
  /** How the pages are named where the operator has given no name. */
  readonly site: string;
  readonly nav: {
    /** Names the list of pages for those who hear it. */
    readonly label: string;
    readonly messages: string;
    readonly documents: string;
    readonly uses: string;
    readonly record: string;
    readonly signOut: string;
  };
  readonly signIn: {
    readonly title: string;
    readonly text: string;
    readonly link: string;
    /** Above it, for who comes back after a while. */
    readonly ended: string;
  };
  /** Behind a sign-in that was broken off, or was not begun in this browser. */
  readonly notSignedIn: { readonly title: string; readonly text: string; readonly link: string };
  /** The issuer knows the person, and does not say who that is in the register. */
  readonly unknownPerson: { readonly title: string; readonly text: string };
  readonly signedOut: { readonly title: string; readonly text: string; readonly leave: string; readonly again: string };
  readonly messages: {
    readonly none: string;
    /** Beside a message that was not opened yet. */
    readonly fresh: string;
    readonly older: string;
    readonly newest: string;
  };
  readonly message: {
    readonly attachments: string;
    readonly back: string;
  };
  readonly documents: {
    readonly none: string;
    /** Of one that cannot be given out: it is being examined, or was found harmful, or its record is damaged. */
    readonly notReady: string;
    readonly withdrawn: string;
    readonly older: string;
    readonly newest: string;
  };
  readonly uses: {
    readonly intro: string;
    readonly none: string;
    readonly you: string;
    /** Staff of the register at the command line; no employee is named. */
    readonly staff: string;
    readonly system: string;
    readonly purpose: string;
    readonly legalBasis: string;
    readonly consent: string;
    /** Which details a service asked about, and what it was answered. */
    readonly asked: string;
    readonly answer: string;
    readonly decisions: { readonly match: string; readonly no_match: string; readonly not_determined: string };
    /** Below an answer that was no match: what that means, and what to do. */
    readonly noMatch: string;
    /** Before the details of which that is so. */
    readonly findings: Readonly<Record<ClaimFinding, string>>;
    /** Why it was no match: a sentence. */
    readonly reasons: Readonly<Record<UnmatchedReason, string>>;
    readonly hidden: string;
    readonly erased: string;
    readonly older: string;
    readonly newer: string;
    /** How many uses there are in all. */
    readonly total: (count: number) => string;
    /** Every kind of use that a citizen's log can name. */
    readonly kinds: Readonly<Record<CitizenEvent['type'], string>>;
    readonly claims: Readonly<Record<ClaimName, string>>;
  };
  /** What the register has. */
  readonly record: {
    readonly intro: string;
    readonly none: string;
    readonly email: string;
    readonly phone: string;
    readonly language: string;
    /** In brackets behind what was true before. */
    readonly earlier: string;
    readonly marks: Readonly<Record<'underReview' | 'locked' | 'deceased', string>>;
    readonly wrong: string;
    /** To where the operator says how. */
    readonly corrections: string;
    /** The lock that the citizen holds: what it does, the buttons, and why it cannot be lifted again today. */
    readonly lock: Readonly<Record<'title' | 'off' | 'on' | 'told' | 'set' | 'lift' | 'tooMany', string>>;
  };
  /** How the citizen wishes to be reached. */
  readonly contact: {
    readonly title: string;
    readonly intro: string;
    /** Behind a form that was kept. */
    readonly kept: string;
    readonly addresses: {
      readonly title: string;
      /** Before the day on which an address was. */
      readonly verified: string;
      readonly unverified: string;
      /** Names the field for an address that is to be verified. */
      readonly own: ChannelTexts;
      readonly send: ChannelTexts;
      /** Behind an address to which a code was sent. */
      readonly awaits: (minutes: number) => string;
      readonly code: ChannelTexts;
      readonly confirm: ChannelTexts;
      readonly remove: ChannelTexts;
      /** Above the page, behind a form that was dealt with. */
      readonly done: { readonly asked: string; readonly confirmed: string; readonly removed: string };
      readonly faults: ChannelTexts & {
        readonly wrong: string;
        readonly needed: string;
        readonly tooMany: string;
      };
    };
    /** Above the form of the wishes. */
    readonly wishes: string;
    readonly channels: Readonly<Record<'email' | 'sms' | 'letter', string>>;
    readonly ways: {
      readonly legend: string;
      readonly hint: string;
      readonly noWish: string;
      readonly places: { readonly first: string; readonly second: string; readonly third: string };
      readonly never: string;
    };
    readonly hours: {
      readonly legend: string;
      readonly hint: string;
      readonly keep: ChannelTexts;
      readonly from: string;
      readonly until: string;
      readonly timeZone: string;
      /** In place of an hour or a time zone that is not chosen yet. */
      readonly choose: string;
    };
    readonly language: { readonly label: string; readonly hint: string; readonly noWish: string };
    readonly save: string;
    /** What is wrong with a form; `title` stands above it. */
    readonly faults: {
      readonly title: string;
      readonly places: string;
      readonly hours: string;
      readonly timeZone: string;
      readonly form: string;
    };
  };
  /** A page that is not there, or not this citizen's. */
  readonly notFound: { readonly title: string; readonly text: string };
};
