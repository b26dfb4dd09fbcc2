import type { OperationCall } from '../../api/operation.ts';
import type { Statement } from '../../db/database.ts';
import { formatInstant } from '../../kernel/clock.ts';
import type { VerificationId } from '../../kernel/id.ts';
import type { NormalisedClaims } from '../match/comparable.ts';
import type { ClaimLevels } from '../match/compare.ts';
import type { MatchPolicy } from '../match/policy.ts';
import { type ClaimName, claimKindOf, type VerificationRequest } from '../register/claims.ts';
import { decoyIdsOf } from '../register/decoy-ids.ts';
import { RegisterUnavailable } from '../register/register.ts';
import {
  type CountableClaims,
  citizenSearchKey,
  citizenVerificationKey,
  decoySearchKey,
  quotaWeightOf,
  toCountableClaims,
  type VerificationKeys,
} from '../verification-limit/verification-keys.ts';
import { type LimitSnapshot, requireUnchangedStatements } from '../verification-limit/verification-limiter.ts';
import { type IdentificationResult, identifyCitizen, undeterminedResult } from './identify-citizen.ts';
import type { IdentityPorts } from './ports.ts';

/** The parts of a call that a verification needs. */
export type VerificationCall = Pick<
  OperationCall<object, IdentityPorts>,
  'caller' | 'now' | 'createId' | 'ports' | 'hiddenUntil'
>;

/** One verification request with the policy that decides it. */
export type VerificationContext = {
  readonly verificationId: VerificationId;
  readonly request: VerificationRequest;
  readonly claims: NormalisedClaims;
  readonly policy: MatchPolicy;
  readonly call: VerificationCall;
};

/** A notice that the verification limit is reached. `citizenId` is a decoy id if the search concerned no citizen. */
export type PendingNotice = {
  readonly citizenId: string;
  readonly verificationKey: string;
  /** The time until which one of the counted failures is concealed (epoch ms). */
  readonly hiddenUntil: number | undefined;
};

/** The decision, and statements for the unit that stores it. */
export type VerificationOutcome = {
  readonly identification: IdentificationResult;
  readonly pendingNotice?: PendingNotice;
  /** Belong to the unit of the result. They make it fail if another process counted a failure after the snapshot. */
  readonly guardStatements: readonly Statement[];
  /** The number of requests that this verification takes from the quota. It does not depend on the decision. */
  readonly quotaWeight: number;
};

/**
 * Looks up the citizen and counts a failed verification. At the limit, the work and the answer are those of wrong claims, even if the
 * claims are right (test/attacks/verification-limit.test.ts). If the register is unavailable, nothing is counted.
 */
export async function decideVerification(context: VerificationContext): Promise<VerificationOutcome> {
  const { request, claims, policy, call } = context;
  const hmacKey = call.ports.rootKey.derive('guess-budget');
  const countable = toCountableClaims(hmacKey, request.claims, claims, policy);
  const outcome = await decideCountable(context, hmacKey, countable);
  return { ...outcome, quotaWeight: quotaWeightOf(countable) };
}

type LimitedOutcome = Omit<VerificationOutcome, 'quotaWeight'>;

async function decideCountable(
  { verificationId, request, policy, call }: VerificationContext,
  hmacKey: Uint8Array,
  { claims, verificationKeys }: CountableClaims,
): Promise<LimitedOutcome> {
  const { register, frequencies, verificationLimiter, citizenKeys } = call.ports;
  const { citizenId } = request.claims;
  const snapshotRead = verificationLimiter.readSnapshot(verificationKeys.keys, call.now);
  const isBelowLimit = async () => (await snapshotRead).isBelowLimit;
  const context = {
    register,
    policy,
    frequencies: frequencies?.(),
    today: formatInstant(call.now).slice(0, 10),
    isBelowLimit,
  };
  // Lookups of concurrent verifications run in parallel. Only reading the limit and counting are serialised.
  const lookups = Promise.all([
    identifyCitizen(claims, request.claims, context).catch((fault) => undefinedIfUnavailable(fault)),
    snapshotRead,
    // The key of a known id is often cached. Loading keys during the lookup hides the additional time for an unknown id.
    ...(citizenId === undefined ? decoyIdsOf(verificationId) : [citizenId]).map(citizenKeys.keyOf),
  ]);
  // `await lookups` below throws a rejection, but only after earlier verifications with the same keys.
  lookups.catch(() => undefined);
  return await verificationLimiter.runExclusive(verificationKeys.keys, async (waited) => {
    const [identification, firstSnapshot] = await lookups;
    if (identification === undefined) return { identification: undeterminedResult(citizenId), guardStatements: [] };
    // If the first snapshot was at the limit, `identifyCitizen` skipped the ambiguity check. The merge keeps that refusal.
    const snapshot = waited
      ? mergeSnapshots(firstSnapshot, await verificationLimiter.readSnapshot(verificationKeys.keys, call.now))
      : firstSnapshot;
    if (citizenId !== undefined)
      return await applyLimit(call, { identification, verificationKeys, snapshot, ownerId: citizenId });
    // A search that concerns no citizen reads and writes the same rows for a decoy id, so that the work does not reveal it
    // (test/attacks/verification-limit-searches.test.ts).
    const concernedId = identification.aboutCitizenId ?? [...identification.concernedIds].sort()[0];
    const [decoyId = ''] = decoyIdsOf(verificationId);
    const ownerId = concernedId ?? decoyId;
    const searchKey =
      concernedId === undefined ? decoySearchKey(hmacKey, verificationKeys) : citizenSearchKey(hmacKey, concernedId);
    return await verificationLimiter.runExclusive([searchKey], async () => {
      const ownerSnapshot = await verificationLimiter.readSnapshot(
        [searchKey, citizenVerificationKey(hmacKey, ownerId)],
        call.now,
      );
      const keys = [...verificationKeys.keys, searchKey];
      return await applyLimit(call, {
        identification,
        verificationKeys: { ...verificationKeys, keys },
        snapshot: mergeSnapshots(snapshot, ownerSnapshot),
        ownerId,
      });
    });
  });
}

/** A decision before the limit is applied, with the state of its keys. */
type LimitCheck = {
  readonly identification: IdentificationResult;
  readonly verificationKeys: VerificationKeys;
  readonly snapshot: LimitSnapshot;
  readonly ownerId: string;
};

async function applyLimit(
  { ports, hiddenUntil: ownHiddenUntil }: VerificationCall,
  { identification, verificationKeys, snapshot, ownerId }: LimitCheck,
): Promise<LimitedOutcome> {
  const isFailed = isFailedVerification(identification);
  if (snapshot.isBelowLimit && !isFailed)
    return { identification, guardStatements: requireUnchangedStatements(snapshot) };
  // At the limit no failure is added for right or wrong claims: otherwise a later notice in the ledger would reveal which were wrong.
  const count = { ...verificationKeys, isFailed: isFailed && snapshot.isBelowLimit, hiddenUntil: ownHiddenUntil };
  const { wasBelowLimit, mustNotify, hiddenUntil } = await ports.verificationLimiter.count(count, snapshot);
  const result: IdentificationResult =
    snapshot.isBelowLimit && wasBelowLimit ? identification : asLimitReached(identification, hiddenUntil);
  return {
    identification: result,
    guardStatements: [],
    ...(mustNotify
      ? { pendingNotice: { citizenId: ownerId, verificationKey: verificationKeys.notifyKey, hiddenUntil } }
      : {}),
  };
}

/**
 * The answer at the limit: no_match without levels. The stored explanation keeps the findings for the citizen, who may read them once
 * no counted failure is concealed.
 */
function asLimitReached(
  { explanation: { claims }, ...result }: IdentificationResult,
  hiddenUntil: number | undefined,
): IdentificationResult {
  const explanation = { reason: 'guesses-spent', claims, from: hiddenUntil } as const;
  return { ...result, decision: 'no_match', levels: {}, explanation };
}

function mergeSnapshots(one: LimitSnapshot, other: LimitSnapshot): LimitSnapshot {
  const states = new Map([...one.states, ...other.states]);
  return { states, isBelowLimit: one.isBelowLimit && other.isBelowLimit, now: other.now };
}

/**
 * Whether the verification counts as failed. A match counts as well if a claim is not attested: with a tolerant policy an attacker could
 * otherwise try numbers and dates, and see in each answer whether the claim is attested, without reaching the limit
 * (test/attacks/verification-limit-searches.test.ts).
 */
function isFailedVerification({ decision, levels }: IdentificationResult): boolean {
  return (
    decision === 'no_match' || (Object.keys(levels) as ClaimName[]).some((claim) => isUnattestedLevel(claim, levels))
  );
}

function isUnattestedLevel(claim: ClaimName, levels: ClaimLevels): boolean {
  const level = levels[claim];
  if (level === 'different' || level === 'near' || level === 'close') return true;
  const kind = claimKindOf(claim);
  return level === 'similar' && (kind === 'code' || kind === 'date');
}

/** Rethrows all errors except that of an unavailable register. */
function undefinedIfUnavailable(fault: unknown): undefined {
  if (!(fault instanceof RegisterUnavailable)) throw fault;
  return undefined;
}
