import type { RootKey } from '../../crypto/root-key.ts';
import type { RandomBytes } from '../../kernel/clock.ts';
import type { IdGenerator } from '../../kernel/id.ts';
import type { CitizenKeys } from '../../ledger/citizen-keys.ts';
import type { Effect } from '../../ledger/commit.ts';
import type { Frequencies } from '../match/model.ts';
import type { MatchPolicy } from '../match/policy.ts';
import type { Register } from '../register/register.ts';
import type { VerificationLimiter } from '../verification-limit/verification-limiter.ts';

/** A change of the lock that a citizen controls. `reason`: why staff removed it. */
type CitizenLockChange = {
  readonly citizenId: string;
  readonly locked: boolean;
  readonly reason?: string | undefined;
};

/** The dependencies of the operations of identity. */
export type IdentityPorts = {
  readonly register: Register;
  readonly citizenKeys: Pick<CitizenKeys, 'keyOf'>;
  readonly rootKey: Pick<RootKey, 'derive'>;
  readonly random: RandomBytes;
  /** Name frequencies of the register; undefined if they were not counted. */
  frequencies?(): Frequencies | undefined;
  /** The matching policy of this client. */
  policyOf(clientId: string): MatchPolicy | Promise<MatchPolicy>;
  readonly verificationLimiter: VerificationLimiter;
  /** An official message to a citizen whose verification limit is reached. It belongs to the unit of the result. */
  limitReachedNotice(
    citizenId: string,
    by: { readonly now: number; readonly createId: IdGenerator; readonly notBefore?: number | undefined },
  ): Promise<Effect>;
  /**
   * An official message to a citizen whose lock was changed. It belongs to the unit of the change. Undefined with an external register,
   * which manages locks itself.
   */
  lockChangeNotice?(
    change: CitizenLockChange,
    by: { readonly now: number; readonly createId: IdGenerator },
  ): Promise<Effect>;
  /** See `createResponsePadding`. Called when a request arrives; the returned function is awaited before the response leaves. */
  startResponsePadding(): () => Promise<void>;
  /** The purposes that were agreed for this client; undefined permits all. */
  purposesOf(clientId: string): readonly string[] | undefined;
  /** The legal bases that were agreed for this client; `consent` permits references to a consent. Undefined permits all. */
  legalBasesOf?(clientId: string): readonly string[] | undefined;
  /** Signs a payload as a compact JWS of the media type `typ` with a published key. */
  signResult(payload: Readonly<Record<string, unknown>>, typ: string): Promise<string>;
  /** The issuer URL of the server metadata. */
  readonly issuer: string;
  /** The register as named in evidence. `country` is ISO 3166-1 alpha-2. */
  readonly registerSource: { readonly name: string; readonly country?: string };
  readonly refuseClaimsInUrl: boolean;
  /** Whether the client has the scope for the result of each claim. */
  mayReadClaims(clientId: string): boolean;
};
