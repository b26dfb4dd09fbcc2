import type { Random } from '../kernel/clock.ts';
import type { Mint } from '../kernel/id.ts';
import type { RootKey } from '../keys/root-key.ts';
import type { CitizenKeys } from '../ledger/citizen-keys.ts';
import type { Effect } from '../ledger/commit.ts';
import type { GuessBudget } from './guess-budget.ts';
import type { Frequencies } from './match/model.ts';
import type { Policy } from './match/policy.ts';
import type { Register } from './register.ts';

/** A change of a citizen's own lock; with the reason where staff lifted it. */
export type LockChange = { readonly citizenId: string; readonly locked: boolean; readonly reason?: string | undefined };

/** What the operations of identity are given by `compose.ts`. */
export type IdentityPorts = {
  readonly register: Register;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>;
  readonly rootKey: Pick<RootKey, 'derive'>;
  readonly random: Random;
  /** How often names stand in the register, where that was counted. */
  frequencies?(): Frequencies | undefined;
  /** The policy by which the questions of this client are decided. */
  policyOf(clientId: string): Policy | Promise<Policy>;
  readonly guesses: GuessBudget;
  /** What tells a citizen, by an official message, that somebody guesses at the own data; joins the unit of the answer. */
  noticeOfGuesses(
    citizenId: string,
    by: { readonly now: number; readonly mint: Mint; readonly notBefore?: number | undefined },
  ): Promise<Effect>;
  /**
   * What tells a citizen, by an official message, that the own lock was changed; joins the unit of the change. Undefined where
   * another register is asked, which keeps its own locks.
   */
  tellOfLock?(change: LockChange, by: { readonly now: number; readonly mint: Mint }): Promise<Effect>;
  /** Starts the time of one question; what it gives ends with the next full quantum of time. */
  pace(): () => Promise<void>;
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
