import type { RootKey } from '../../crypto/root-key.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { IdGenerator } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { Effect } from '../../ledger/commit.ts';
import type { Frequencies } from '../match/model.ts';
import type { MatchPolicy } from '../match/policy.ts';
import type { Register } from '../register/register.ts';
import type { VerificationLimiter } from '../verification-limit/verification-limiter.ts';

/** A change of a citizen's own lock; with the reason where staff lifted it. */
export type CitizenLockChange = {
  readonly citizenId: string;
  readonly locked: boolean;
  readonly reason?: string | undefined;
};

/** What the operations of identity are given by `compose.ts`. */
export type IdentityPorts = {
  readonly register: Register;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>;
  readonly rootKey: Pick<RootKey, 'derive'>;
  readonly random: RandomBytes;
  /** How often names stand in the register, where that was counted. */
  frequencies?(): Frequencies | undefined;
  /** The policy by which the questions of this client are decided. */
  policyOf(clientId: string): MatchPolicy | Promise<MatchPolicy>;
  readonly verificationLimiter: VerificationLimiter;
  /** What tells a citizen, by an official message, that somebody guesses at the own data; joins the unit of the answer. */
  limitReachedNotice(
    citizenId: string,
    by: { readonly now: number; readonly mint: IdGenerator; readonly notBefore?: number | undefined },
  ): Promise<Effect>;
  /**
   * What tells a citizen, by an official message, that the own lock was changed; joins the unit of the change. Undefined where
   * another register is asked, which keeps its own locks.
   */
  lockChangeNotice?(
    change: CitizenLockChange,
    by: { readonly now: number; readonly mint: IdGenerator },
  ): Promise<Effect>;
  /** Starts the time of one question; what it gives ends with the next full quantum of time. */
  startResponsePadding(): () => Promise<void>;
  /** The purposes that were agreed for this client; undefined where any is. */
  purposesOf(clientId: string): readonly string[] | undefined;
  /** The legal bases that were agreed for this client, `consent` among them where it may refer to one; undefined where any is. */
  legalBasesOf?(clientId: string): readonly string[] | undefined;
  /** Signs a result as a JWS (compact) of the media type `typ`, under a published key. */
  signResult(payload: Readonly<Record<string, unknown>>, typ: string): Promise<string>;
  /** Our issuer URL, as in the metadata. */
  readonly issuer: string;
  /** The register as evidence names it; the country as ISO 3166-1 alpha-2. */
  readonly registerSource: { readonly name: string; readonly country?: string };
  readonly refuseClaimsInUrl: boolean;
};
