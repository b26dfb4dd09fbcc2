import type { Statement } from '../db/database.ts';
import type { RandomBytes } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { Effect } from '../ledger/commit.ts';
import type { CheckedPresentation, PresentationEvent, PresentationStatus } from './protocol/presentation.ts';
import type { AccessCertificate } from './trust/access-certificate.ts';
import type { CredentialKind, WalletTrust } from './trust/wallet-trust.ts';

/** Attested claims, and what the decision about them needs. */
export type PresentedClaims = {
  readonly clientId: string;
  /** By the names of the claims of a verification. */
  readonly claims: Readonly<Record<string, string>>;
  readonly purpose: string | undefined;
  readonly legalBasis: string | undefined;
  readonly nonce: string | undefined;
  /** The citizen whom the service expects. */
  readonly expectedCitizenId: string | undefined;
  readonly assurance: CredentialKind['assurance'];
  readonly evidence: CheckedPresentation['evidence'];
  /** Present if the credential has an administrative number. `consented`: the citizen agreed on the page to keep the link. */
  readonly link?: {
    readonly issuingCountry: string;
    readonly administrativeNumber: string;
    readonly consented: boolean;
  };
  readonly isAdministrativeNumberCitizenId: boolean;
};

/** The result for the client, and the effect that stores it. */
export type DecidedPresentation = {
  readonly effect: Effect;
  /** `claims`: the result of each claim, only for callers with the scope identity:verify:claims. */
  readonly result: { readonly verificationId: string; readonly claims?: object };
};

/**
 * Decides by the policy of the client, and returns the effect with its events. The response time is padded, so that it does not reveal the
 * decision.
 */
export type DecidePresentedClaims = (
  presented: PresentedClaims,
  by: { readonly now: number; readonly createId: IdGenerator },
) => Promise<DecidedPresentation>;

/**
 * Refuses purposes, legal bases and claims that the client may not use, and claims that are fewer than each minimum of its policy, before a
 * wallet is asked. Returns the claims to ask for. If `claims` is undefined: the smallest minimum set, with as few as possible that are not
 * `mandatory`, because a credential may lack the others.
 */
export type PlanPresentedClaims = (asked: {
  readonly clientId: string;
  readonly claims: readonly string[] | undefined;
  readonly purpose: string | undefined;
  readonly legalBasis: string | undefined;
  readonly available: readonly string[];
  readonly mandatory: readonly string[];
}) => Promise<{ readonly claims: readonly string[] } | { readonly refusal: Refusal }>;

/** Reads a stored result for the client that received it: the JSON, and the event of this access. Its response time is padded. */
export type ReadVerificationResult = (
  id: string,
  by: {
    readonly clientId: string;
    readonly showsClaims: boolean;
    readonly now: number;
    readonly createId: IdGenerator;
  },
) => Promise<{ readonly effect: Effect; readonly result: object } | undefined>;

/** The operator's configuration for wallets. */
export type WalletConfiguration = { readonly trust: WalletTrust; readonly certificate: AccessCertificate };

/** The dependencies of the operations of wallets. */
export type WalletPorts = {
  /** Undefined if the operator has configured no wallets. */
  readonly wallets: WalletConfiguration | undefined;
  readonly publicUrl: string;
  /** Encrypts stored requests and presentations. */
  readonly sealKey: Uint8Array;
  readonly random: RandomBytes;
  readonly plan: PlanPresentedClaims;
  readonly decide: DecidePresentedClaims;
  readonly readResult: ReadVerificationResult;
  /** The registration certificate of a purpose of a client (ETSI TS 119 475), if it has one. */
  registrationCertificateOf(clientId: string, purpose: string): string | undefined;
  /** The statement that adds an event to the feed of the client. */
  feedEvent(event: PresentationEvent, status: PresentationStatus): Statement;
};
