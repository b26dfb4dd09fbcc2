import type { Metrics } from '../api/metrics.ts';
import { bindOperation, type Operation } from '../api/operation.ts';
import { createResponsePadding } from '../api/pad-response-time.ts';
import type { Slice, SliceDeps } from '../api/slice.ts';
import type { ClientCache } from '../auth/client-cache.ts';
import { type SigningKey, signJws } from '../crypto/signing-key.ts';
import { type RepeatingTask, repeatEvery, startupDelayMs } from '../jobs/repeat-every.ts';
import { parseId } from '../kernel/id.ts';
import { changeCitizenLock } from './change-citizen-lock.ts';
import { decidePresentedClaims } from './decide-presented-claims.ts';
import { createFrequencyCache } from './import/count-register.ts';
import { planPresentedClaims } from './plan-presented-claims.ts';
import { loadDefaultPolicy } from './policies/default-policy.ts';
import { createPolicyCache } from './policies/policy-store.ts';
import { readOwnRecord } from './read-own-record.ts';
import { readStoredResult, readVerification } from './read-verification.ts';
import type { Register } from './register/register.ts';
import { removeWalletLinks } from './remove-wallet-links.ts';
import { deleteExpiredFailures, deleteExpiredVerifications } from './verification/delete-expired-verifications.ts';
import type { IdentityPorts } from './verification/ports.ts';
import { findExplanation } from './verification/verification-store.ts';
import { createVerificationLimiter, defaultVerificationLimits } from './verification-limit/verification-limiter.ts';
import { verifyIdentity, verifyIdentityByQuery, verifyIdentityQuery } from './verify-identity.ts';

type IdentityDeps = SliceDeps & {
  readonly publicUrl: string;
  readonly clients: ClientCache;
  readonly register: Register;
  /** The published key that signs results now. */
  readonly resultKey: () => SigningKey;
  readonly limitReachedNotice: IdentityPorts['limitReachedNotice'];
  readonly lockChangeNotice: NonNullable<IdentityPorts['lockChangeNotice']>;
};

/** The identity slice, and its functions for other slices. */
export type IdentitySlice = Slice & {
  /** Explains the verifications in the access log of a citizen. */
  readonly explanationOf: VerificationExplainer;
  /** Plans the claims to ask a wallet for. */
  planPresentedClaims(plan: Parameters<typeof planPresentedClaims>[0]): ReturnType<typeof planPresentedClaims>;
  /** Decides whose credential a wallet presented. */
  decidePresentedClaims(
    attested: Parameters<typeof decidePresentedClaims>[0],
    by: Parameters<typeof decidePresentedClaims>[1],
  ): ReturnType<typeof decidePresentedClaims>;
  /** Reads a stored result for the client that received it, with the event of this access. */
  readResult(
    id: string,
    by: Omit<Parameters<typeof readStoredResult>[1], 'read' | 'ports'>,
  ): ReturnType<typeof readStoredResult>;
};

/** Explains the result of a verification to its citizen; undefined for any other id. */
type VerificationExplainer = (id: string, citizenId: string) => ReturnType<typeof findExplanation>;

/** The frequencies of names are read again after this time. */
const frequenciesMaxAgeMs = 600_000;
const dayMs = 86_400_000;
const cleanupEveryMs = 3_600_000;

/** Creates the identity slice: verification, the citizen's own record and lock. */
export async function createIdentity(deps: IdentityDeps): Promise<IdentitySlice> {
  const ports = await createPorts(deps);
  const operations: readonly Operation<IdentityPorts>[] = [
    verifyIdentityByQuery,
    verifyIdentity,
    verifyIdentityQuery,
    readVerification,
    readOwnRecord,
    changeCitizenLock,
    removeWalletLinks,
  ];
  return {
    operations: operations.map((operation) => bindOperation(operation, ports)),
    jobs: [{ name: 'verification-cleanup', start: () => startCleanup(deps) }],
    registerMetrics: (metrics) => countReachedLimits(metrics, deps),
    checks: [],
    explanationOf: createVerificationExplainer(deps),
    planPresentedClaims: (plan) => planPresentedClaims(plan, ports),
    decidePresentedClaims: (attested, by) => decidePresentedClaims(attested, by, { read: deps.db.read, ports }),
    readResult: async (id, by) => {
      const padResponse = ports.startResponsePadding();
      const found = await readStoredResult(id, { ...by, read: deps.db.read, ports });
      await padResponse();
      return found;
    },
  };
}

async function createPorts(deps: IdentityDeps): Promise<IdentityPorts> {
  const { settings, db, clock, timer, clients, resultKey } = deps;
  const defaultPolicy = await loadDefaultPolicy(deps);
  const policyNamed = createPolicyCache(db.read);
  const hasOwnRegister = settings.registerUrl === undefined;
  // The frequencies are counted in the embedded register, so they do not apply to an external one.
  const frequencies = hasOwnRegister ? await createFrequencyCache(db.read, clock, frequenciesMaxAgeMs) : undefined;
  const country = settings.registerCountry === undefined ? {} : { country: settings.registerCountry };
  return {
    register: deps.register,
    citizenKeys: deps.citizenKeys,
    rootKey: deps.root,
    random: deps.random,
    ...(frequencies === undefined ? {} : { frequencies }),
    policyOf: (clientId) => {
      const name = clients.get(clientId)?.policy;
      return name === undefined ? defaultPolicy : policyNamed(name);
    },
    verificationLimiter: createVerificationLimiter(db.read, deps.claim, defaultVerificationLimits),
    limitReachedNotice: deps.limitReachedNotice,
    ...(hasOwnRegister ? { lockChangeNotice: deps.lockChangeNotice } : {}),
    startResponsePadding: createResponsePadding({
      intervalMs: settings.verifyIntervalMs,
      stopwatch: () => performance.now(),
      timer,
    }).start,
    purposesOf: (clientId) => clients.get(clientId)?.purposes,
    legalBasesOf: (clientId) => clients.get(clientId)?.legalBases,
    signResult: async (payload, typ) => signJws(resultKey(), typ, payload),
    issuer: deps.publicUrl,
    registerSource: { name: settings.registerName, ...country },
    refuseClaimsInUrl: settings.refuseClaimsInUrl,
    mayReadClaims: (clientId) => clients.get(clientId)?.scopes.includes('identity:verify:claims') === true,
  };
}

/** Creates the explainer; the command that prints a citizen's access log calls it too. */
export function createVerificationExplainer({
  db,
  citizenKeys,
  clock,
}: Pick<SliceDeps, 'db' | 'citizenKeys' | 'clock'>): VerificationExplainer {
  return async (text, citizenId) => {
    const id = parseId('verification', text);
    return id === undefined ? undefined : await findExplanation({ read: db.read, citizenKeys, clock }, id, citizenId);
  };
}

/** Deletes expired failures and stored results soon after the start, and then each hour. */
function startCleanup({ db, clock, isClockSure, timer, claim, random, log, settings }: SliceDeps): RepeatingTask {
  return repeatEvery({
    timer,
    everyMs: cleanupEveryMs,
    firstMs: startupDelayMs(random),
    onFault: (fault) => log.fault('identity', fault),
    call: async () => {
      if (!(await isClockSure())) return;
      const now = clock.now();
      await deleteExpiredFailures(claim, now);
      await deleteExpiredVerifications({ read: db.read, claim, before: now - settings.verificationsKeptDays * dayMs });
    },
  });
}

/** Counts reached limits. Metric labels contain no client ids, so the log names the client. */
function countReachedLimits(metrics: Metrics, { log, onCommitted }: Pick<SliceDeps, 'log' | 'onCommitted'>): void {
  const count = metrics.counter({
    name: 'citizen_services_guesses_spent_total',
    help: 'Citizens whose verification limit was reached: all claims about them are answered no_match for a time.',
    labels: [],
    initialLabels: [{}],
  });
  onCommitted(['identity.guesses-spent'], (events) => {
    for (const { actor } of events) {
      count({});
      if ('client' in actor) log.notice('the verification limit of a citizen is reached', { clientId: actor.client });
    }
  });
}
