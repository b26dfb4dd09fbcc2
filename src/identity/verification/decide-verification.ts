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
  citizenSearchKey,
  citizenVerificationKey,
  decoySearchKey,
  toCountableClaims,
  type VerificationKeys,
} from '../verification-limit/verification-keys.ts';
import { type LimitSnapshot, requireUnchangedStatements } from '../verification-limit/verification-limiter.ts';
import { explainDecision } from './explanation.ts';
import { type IdentificationResult, identifyCitizen } from './identify-citizen.ts';
import type { IdentityPorts } from './ports.ts';

/** What an operation of verification is called with. */
export type VerificationCall = Pick<
  OperationCall<object, IdentityPorts>,
  'caller' | 'now' | 'mint' | 'ports' | 'hiddenUntil'
>;

/** One question on its way to its answer. */
export type VerificationContext = {
  readonly verificationId: VerificationId;
  readonly request: VerificationRequest;
  readonly claims: NormalisedClaims;
  readonly policy: MatchPolicy;
  readonly call: VerificationCall;
};

/** Whose budget this question finds spent, and who was not told of it yet: a citizen, or a stranger in the place of one. */
export type PendingNotice = {
  readonly citizenId: string;
  readonly verificationKey: string;
  /** Until when a guess by which it is spent is hidden. */
  readonly hiddenUntil: number | undefined;
};

export type VerificationOutcome = {
  readonly identification: IdentificationResult;
  readonly pendingNotice?: PendingNotice;
  /** They go into the unit of the answer, which is refused where another process counted a guess meanwhile. */
  readonly guardStatements: readonly Statement[];
};

/**
 * Asks the register, and counts what was wrong. Over budget all is done as for a wrong guess, and answered as one:
 * test/attacks/verification-limit.test.ts. Where the register could not be asked nothing is counted, whatever the budget.
 */
export async function decideVerification({
  verificationId,
  request,
  claims: sentClaims,
  policy,
  call,
}: VerificationContext): Promise<VerificationOutcome> {
  const { register, frequencies, verificationLimiter, rootKey, citizenKeys } = call.ports;
  const hmacKey = rootKey.derive('guess-budget');
  const { claims, verificationKeys } = toCountableClaims(hmacKey, request.claims, sentClaims, policy);
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
  // Nobody waits for what the register tells others: only looking at the budget and counting go one after the other.
  const lookups = Promise.all([
    identifyCitizen(claims, request.claims, context).catch((fault) => undefinedIfUnavailable(fault)),
    snapshotRead,
    // Of a known id the key is often at hand: that of an unknown one is looked for beside what is read anyway.
    ...(citizenId === undefined ? decoyIdsOf(verificationId) : [citizenId]).map(citizenKeys.keyOf),
  ]);
  // A fault is met below, when it is the turn of this question.
  lookups.catch(() => undefined);
  return await verificationLimiter.runExclusive(verificationKeys.keys, async (waited) => {
    const [identification, firstSnapshot] = await lookups;
    if (identification === undefined) return { identification: undeterminedResult(citizenId), guardStatements: [] };
    // Who saw no room did not look at everything, and has none now.
    const snapshot = waited
      ? mergeSnapshots(firstSnapshot, await verificationLimiter.readSnapshot(verificationKeys.keys, call.now))
      : firstSnapshot;
    if (citizenId !== undefined)
      return await applyLimit(call, { identification, verificationKeys, snapshot, ownerId: citizenId });
    // One whom the search concerns, or a stranger: looked up and written for either, so that neither tells.
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

/** What was found for a question, and what was seen of the budgets that it needs. */
type LimitCheck = {
  readonly identification: IdentificationResult;
  readonly verificationKeys: VerificationKeys;
  readonly snapshot: LimitSnapshot;
  readonly ownerId: string;
};

async function applyLimit(
  { ports, hiddenUntil: ownHiddenUntil }: VerificationCall,
  { identification, verificationKeys, snapshot, ownerId }: LimitCheck,
): Promise<VerificationOutcome> {
  const isFailed = isFailedVerification(identification);
  if (snapshot.isBelowLimit && !isFailed)
    return { identification, guardStatements: requireUnchangedStatements(snapshot) };
  // Over budget nothing is added, for the ledger would tell by it who was right: nobody learns anything then.
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

/** What is left of a finding where guesses are spent. Whose record it is may still know what fitted, once none of them is hidden. */
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
 * Whether a guess was wrong. A tolerant policy lets claims differ; what is not attested then would tell a guesser of
 * numbers and dates, try by try, for nothing.
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

/** A register that could not be asked; anything else is a fault. */
function undefinedIfUnavailable(fault: unknown): undefined {
  if (!(fault instanceof RegisterUnavailable)) throw fault;
  return undefined;
}

/** What a register that could not be asked leaves of the question. */
function undeterminedResult(citizenId: string | undefined): IdentificationResult {
  const concernedIds = citizenId === undefined ? [] : [citizenId];
  const isSearch = citizenId === undefined;
  const explanation = explainDecision('register-unavailable', {});
  return {
    decision: 'not_determined',
    levels: {},
    concernedIds,
    aboutCitizenId: citizenId ?? null,
    isSearch,
    explanation,
  };
}
