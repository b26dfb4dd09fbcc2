import type { Caller } from '../auth/caller.ts';
import { missingScope } from '../auth/challenge.ts';
import type { PresentedProof } from '../auth/check-binding.ts';
import type { QuotaResult } from '../auth/quota.ts';
import { ReadUnavailable, WriteBusy, WriteQueueFull, WriteUnknown } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import { problems } from '../kernel/problem-catalogue.ts';
import { isRefusal, type Refusal, refuse, refuseIssues } from '../kernel/refusal.ts';
import { createTickBatch } from '../kernel/tick-batch.ts';
import { UnavailableError } from '../kernel/unavailable-error.ts';
import { type CommitContext, type CommitOptions, commitDecision } from './commit-decision.ts';
import { parseConcealment } from './concealed-access.ts';
import { findStoredResult, fingerprintRequest, type IdempotencyState, parseIdempotencyKey } from './idempotency.ts';
import { overloadedDetail } from './load-shedding.ts';
import {
  type BoundOperation,
  callerKindOf,
  type ListedOperation,
  neededTokens,
  type OperationResponse,
  type RequiredScope,
  type UnboundCall,
} from './operation.ts';
import { createRequestParser, type IncomingRequest, type ParsedRequest } from './parse-request.ts';
import type { UseCounter } from './use-counter.ts';

/** Authenticates clients, and limits them. */
export type Authorizer = {
  authenticate(
    authorization: string | undefined,
    needed: Exclude<RequiredScope, null>,
    shown: PresentedProof,
  ): Promise<Caller | Refusal>;
  /** Reserves one of the client's concurrent requests and returns its release, or the refusal. */
  acquireSlot?(caller: Caller): (() => void) | Refusal;
  /** Takes one request from the client's quota. The headers belong on every response. */
  takeQuota(caller: Caller, needed: Exclude<RequiredScope, null>): QuotaResult | Promise<QuotaResult>;
  /** Takes further requests from the quota, without a refusal: the next requests are refused until the quota is refilled. */
  chargeQuota?(caller: Caller, needed: Exclude<RequiredScope, null>, requests: number): void;
  /** Counts a request that found nothing. After too many of them `takeQuota` refuses. */
  countFailure?(caller: Caller): void;
};

/** Dependencies of dispatch. */
export type DispatchContext = CommitContext & {
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly createId: IdGenerator;
  /** The longest time that an access may be concealed from its citizen, in milliseconds; by default none. */
  readonly maxConcealmentMs?: number | undefined;
  /** The HMAC key of request fingerprints (idempotency.ts). */
  readonly fingerprintKey: Uint8Array;
  /** Counts the requests of authenticated clients. */
  readonly countUse?: UseCounter['count'];
};

/** The result of a request; `headers` come from the authorizer, for responses and refusals alike. */
export type DispatchResult = {
  readonly result: OperationResponse | Refusal;
  readonly headers: Readonly<Record<string, string>>;
  readonly caller?: Caller;
};

type OperationRuntime = {
  readonly bound: BoundOperation;
  readonly operation: ListedOperation;
  readonly app: DispatchContext;
  readonly parse: (incoming: IncomingRequest) => Promise<ParsedRequest>;
  /** The idempotency keys of requests in progress in this process. */
  readonly keysInProgress: Set<string>;
};

/** Creates the function that serves one operation. It throws only on a fault of the program or the machine. */
export function createDispatch(
  bound: BoundOperation,
  app: DispatchContext,
): (incoming: IncomingRequest) => Promise<DispatchResult> {
  const { operation } = bound;
  const parse = createRequestParser(operation, app);
  const runtime: OperationRuntime = { bound, operation, app, parse, keysInProgress: new Set() };
  const requiredScope = operation.scope;
  const joinTick = createTickBatch();
  return async (incoming) => {
    const served = await serve(incoming);
    if (served.caller !== undefined) app.countUse?.(served.caller.clientId, operation.name, outcomeOf(served.result));
    return served;
  };

  async function serve(incoming: IncomingRequest): Promise<DispatchResult> {
    await joinTick();
    let admitted: Omit<DispatchResult, 'result'> = { headers: {} };
    let releaseSlot: (() => void) | undefined;
    let streams = false;
    try {
      if (requiredScope === null) return { ...admitted, result: await serveCall(runtime, incoming, anonymousCaller) };
      const known = await app.authorizer.authenticate(incoming.headers.authorization, requiredScope, incoming);
      if (isRefusal(known)) return { ...admitted, result: known };
      const caller = incoming.session === undefined ? known : { ...known, session: incoming.session };
      const slot = app.authorizer.acquireSlot?.(caller);
      if (typeof slot === 'object') return { ...admitted, caller, result: slot };
      releaseSlot = slot;
      const quotaCheck = app.authorizer.takeQuota(caller, requiredScope);
      const quota = quotaCheck instanceof Promise ? await quotaCheck : quotaCheck;
      admitted = { headers: quota.headers, caller };
      const forbidden = forbiddenCall(operation, caller);
      if (forbidden !== undefined) return { ...admitted, result: forbidden };
      if (quota.refusal !== undefined) return { ...admitted, result: quota.refusal };
      const result = await serveCall(runtime, incoming, caller);
      streams = 'stream' in result && result.stream !== null;
      if (isFailedLookup(result)) app.authorizer.countFailure?.(caller);
      return { ...admitted, result };
    } catch (fault) {
      const refusal = refusalOfFault(fault);
      if (refusal === undefined) throw fault;
      return { ...admitted, result: refusal };
    } finally {
      // A streamed response counts as concurrent until the client has received it or is gone.
      if (releaseSlot !== undefined && streams && incoming.onFinished !== undefined) incoming.onFinished(releaseSlot);
      else releaseSlot?.();
    }
  }
}

/** The outcome of a request in the counts of its client: a decision, the name of a problem, or `ok`. */
function outcomeOf(result: OperationResponse | Refusal): string {
  if (isRefusal(result)) return result.slug;
  const decision = 'json' in result ? (result.json as { readonly decision?: unknown } | null)?.decision : undefined;
  return typeof decision === 'string' ? decision : 'ok';
}

/**
 * The refusal of a caller without the right to call this operation. A token that names a citizen never has the rights of its
 * client, whatever scopes it has: it opens the operations for citizens alone, and only with the scope `citizen:self`
 * (test/attacks/tokens-of-citizens.test.ts). A token of staff opens the operations for staff alone
 * (test/attacks/tokens-of-staff.test.ts).
 */
function forbiddenCall({ callers, scope }: ListedOperation, caller: Caller): Refusal | undefined {
  const kind = callerKindOf(caller);
  if (!callers.includes(kind)) return refuse(neededTokens[callers[0]]);
  const required = kind === 'citizens' ? ['citizen:self', scope] : [scope];
  const missing = required.find((one) => one !== null && one !== 'any' && !caller.scopes.has(one));
  return typeof missing === 'string' ? missingScope(missing, caller) : undefined;
}

async function serveCall(
  runtime: OperationRuntime,
  incoming: IncomingRequest,
  caller: Caller,
): Promise<OperationResponse | Refusal> {
  const { bound, operation, app } = runtime;
  const parsed = await runtime.parse(incoming);
  if ('refusal' in parsed) return parsed.refusal;
  if ('issues' in parsed) {
    const contentIssues = parsed.validPart && (await bound.contentIssues({ ...parsed.validPart, caller }));
    return refuseIssues([...parsed.issues, ...(contentIssues ?? [])]);
  }
  const longestMs = app.maxConcealmentMs ?? 0;
  // Only operations on the data of a citizen are recorded in an access log, so only they can be concealed.
  const concealment = operation.citizenData
    ? parseConcealment(incoming.headers, caller, { now: parsed.input.now, longestMs })
    : undefined;
  if (concealment !== undefined && isRefusal(concealment)) return concealment;
  const hiddenUntil = concealment?.hiddenUntil === undefined ? undefined : Date.parse(concealment.hiddenUntil);
  const call = { ...parsed.input, caller, hiddenUntil };
  const header = operation.idempotent === true ? incoming.headers['idempotency-key'] : undefined;
  if (header === undefined) return await runOperation(runtime, call, { concealment });
  const key = parseIdempotencyKey(String(header));
  if (typeof key !== 'string') return key;
  const request = { clientId: caller.clientId, operation: operation.name, key };
  return await runOnce(runtime, call, { concealment, key: { request } });
}

/** Runs the operation, unless its idempotency key has a stored result or is in progress in this process. */
async function runOnce(
  runtime: OperationRuntime,
  call: UnboundCall,
  commitOptions: Required<CommitOptions>,
): Promise<OperationResponse | Refusal> {
  const { bound, operation, app, keysInProgress } = runtime;
  const { key } = commitOptions;
  let ownCall = call;
  if (operation.bodyBytes !== undefined) ownCall = withIdempotencyLookup(app, call, key);
  else {
    const open = async (sealedBody: string) => bound.openStoredBody(sealedBody);
    key.fingerprint = { digest: fingerprintRequest(app.fingerprintKey, call.body), open };
    const earlier = await findStoredResult(app.read, key.request, key.fingerprint);
    if (earlier !== undefined) return earlier;
  }
  const keyOfClient = `${key.request.clientId} ${key.request.key}`;
  if (keysInProgress.has(keyOfClient))
    return refuse('idempotency-key-in-progress', undefined, { headers: { 'retry-after': '1' } });
  keysInProgress.add(keyOfClient);
  try {
    return await runOperation(runtime, ownCall, commitOptions);
  } finally {
    keysInProgress.delete(keyOfClient);
  }
}

async function runOperation(
  runtime: OperationRuntime,
  call: UnboundCall,
  commitOptions: CommitOptions,
): Promise<OperationResponse | Refusal> {
  const decision = await runtime.bound.run(call);
  if ('plain' in decision) return decision.plain;
  if ('replayed' in decision) return decision.replayed;
  const { app, operation } = runtime;
  const quotaWeight = 'refusal' in decision ? 1 : (decision.quotaWeight ?? 1);
  if (quotaWeight > 1 && operation.scope !== null)
    app.authorizer.chargeQuota?.(call.caller, operation.scope, quotaWeight - 1);
  return await commitDecision(runtime, decision, {
    ...commitOptions,
    caller: call.caller,
    now: call.now,
    conflicts: 0,
  });
}

const anonymousCaller: Caller = { clientId: '', scopes: new Set() };

/** Adds the lookup of the key to the call, for an operation that reads its input itself. */
function withIdempotencyLookup(
  { fingerprintKey }: DispatchContext,
  call: UnboundCall,
  key: IdempotencyState,
): UnboundCall {
  return {
    ...call,
    repeat: {
      key: key.request.key,
      findStoredResult: async (input, open) => {
        key.fingerprint = { digest: fingerprintRequest(fingerprintKey, input), open };
        const earlier = await findStoredResult(call.read, key.request, key.fingerprint);
        if (earlier === undefined) return undefined;
        return isRefusal(earlier) ? { refusal: earlier } : { replayed: earlier };
      },
    },
  };
}

function refusalOfFault(fault: unknown): Refusal | undefined {
  if (fault instanceof WriteUnknown) return refuse('outcome-unknown', undefined, { headers: { 'retry-after': '2' } });
  if (fault instanceof WriteBusy) {
    const detail =
      fault instanceof WriteQueueFull
        ? overloadedDetail
        : 'The database could not store the request. Nothing was stored.';
    return refuse('capacity-reduced', detail, { headers: { 'retry-after': '1' } });
  }
  if (fault instanceof ReadUnavailable)
    return refuse('capacity-reduced', 'The database does not respond.', { headers: { 'retry-after': '2' } });
  if (fault instanceof UnavailableError) return refuse(fault.slug, fault.detail, { headers: { 'retry-after': '2' } });
  return undefined;
}

/** Whether a lookup found nothing or claims did not match. */
function isFailedLookup(result: OperationResponse | Refusal): boolean {
  if ('slug' in result) return problems[result.slug].status === 404;
  return 'json' in result && (result.json as { readonly verified?: unknown } | null)?.verified === false;
}
