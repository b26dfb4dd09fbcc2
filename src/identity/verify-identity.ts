import {
  type Decision,
  defineOperation,
  type OperationCall,
  type OperationResponse,
  type RefusedDecision,
} from '../api/operation.ts';
import { formatInstant } from '../kernel/clock.ts';
import { type Issue, type Refusal, refuse, refuseIssues } from '../kernel/refusal.ts';
import type { Effect } from '../ledger/commit.ts';
import { normaliseClaims } from './match/comparable.ts';
import { submittedForMinimum } from './match/policy.ts';
import {
  type Claims,
  canonicalMemberName,
  claimsBody,
  claimsQuery,
  issueAt,
  parseVerificationRequest,
  requestHash,
} from './register/claims.ts';
import {
  decideVerification,
  type VerificationCall,
  type VerificationContext,
  type VerificationOutcome,
} from './verification/decide-verification.ts';
import { refuseForbiddenClaims, refuseInsufficientClaims, refuseUnagreedBasis } from './verification/permitted-use.ts';
import type { IdentityPorts } from './verification/ports.ts';
import {
  claimResults,
  type Verification,
  verificationSchema,
  verificationValidMs,
} from './verification/verification.ts';
import { limitReachedEffect, verificationEventsOf } from './verification/verification-events.ts';
import { insertVerification } from './verification/verification-store.ts';
import { verificationTokenPayload, verificationTokenType } from './verification/verification-token.ts';

type SentMembers = Readonly<Record<string, string | undefined>>;

/** Decides one verification. The three operations differ only in the place of the claims. */
async function verify(
  call: VerificationCall,
  sent: SentMembers,
  from: 'query' | 'body',
): Promise<Decision | RefusedDecision> {
  const padResponse = call.ports.startResponsePadding();
  const parsed = parseVerificationRequest(sent, { from, now: call.now });
  if ('issues' in parsed) {
    return { refusal: refuseIssues(parsed.issues) };
  }
  const { request } = parsed;
  const { ports, caller } = call;
  const decide = async () => {
    const policy = await ports.policyOf(caller.clientId);
    const verificationId = call.createId('verification');
    const context = { verificationId, request, claims: normaliseClaims(request.claims), policy, call };
    const refusal = checkPermitted(context, sent, from);
    return refusal === undefined ? await decideAndAnswer(context, padResponse) : { refusal };
  };
  // Attack: a client sends long claims over many connections, to keep the processor from the requests of others. Its long claims are
  // decided one after another (test/attacks/bounded-work.test.ts).
  return hasLongClaims(request.claims)
    ? await ports.verificationLimiter.runExclusive([`long claims\0${caller.clientId}`], decide)
    : await decide();
}

/** Usual claims have about 100 characters together. */
const longClaimsLength = 300;

function hasLongClaims(claims: Claims): boolean {
  return Object.values(claims).reduce((sum, { length }) => sum + length, 0) > longClaimsLength;
}

async function decideAndAnswer(context: VerificationContext, padResponse: () => Promise<void>): Promise<Decision> {
  const outcome = await decideVerification(context);
  const { effect, json, text } = await prepareAnswer(context, outcome);
  return {
    effect,
    quotaWeight: outcome.quotaWeight,
    answer: async () => {
      await padResponse();
      return { status: 200, headers: noStoreHeaders, json, text } satisfies OperationResponse;
    },
    // Another process counted a failure for the same keys, so the decision is repeated. The limit bounds the number of repetitions.
    onConflict: () => decideAndAnswer(context, padResponse),
  };
}

/** Refuses purposes, legal bases and claims that the client may not use, before the register is read. */
function checkPermitted(
  { request, claims, policy, call }: VerificationContext,
  sent: SentMembers,
  from: 'query' | 'body',
): Refusal | undefined {
  const notPermitted: ReadonlySet<string> = new Set(
    claims.submitted.filter((claim) => policy.permitted?.has(claim) === false),
  );
  const forbidden = Object.keys(sent).filter(
    (name) => sent[name] !== undefined && notPermitted.has(canonicalMemberName(name)),
  );
  const issueFor = (name: string, fault: Pick<Issue, 'code' | 'detail'>) => issueAt(from, name, fault);
  return (
    refuseUnagreedBasis(call.ports, call.caller.clientId, request) ??
    refuseForbiddenClaims(forbidden, issueFor) ??
    refuseInsufficientClaims(policy, submittedForMinimum(claims), issueFor)
  );
}

async function prepareAnswer(
  context: VerificationContext,
  { identification, pendingNotice, guardStatements }: VerificationOutcome,
): Promise<{ readonly effect: Effect; readonly json: Verification; readonly text: string }> {
  const { verificationId, request, policy, call } = context;
  const { caller, now, ports } = call;
  const events = verificationEventsOf(context, identification);
  const verified = identification.decision === 'match';
  const showsClaims = verified && caller.scopes.has('identity:verify:claims');
  const result: Omit<Verification, 'token'> = {
    verificationId,
    verified,
    decision: identification.decision,
    ...(showsClaims ? { claims: claimResults(identification.levels) } : {}),
    assurance: policy.assurance,
    policy: policy.name,
    checkedAt: formatInstant(now),
    expiresAt: formatInstant(now + verificationValidMs),
    purpose: request.purpose ?? null,
    legalBasis: request.legalBasis ?? null,
    consentReference: request.consentReference ?? null,
    requestHash: requestHash(request),
    receipt: `/v1/receipts/${events[0].id}`,
  };
  const audience = { clientId: caller.clientId, ports };
  const token = await ports.signResult(
    verificationTokenPayload(result, request, identification.levels, audience),
    verificationTokenType,
  );
  const json = { ...result, token };
  const text = JSON.stringify(json);
  const { aboutCitizenId, isSearch, explanation } = identification;
  const record = { clientId: caller.clientId, citizenId: aboutCitizenId, isSearch, checkedAt: now, explanation };
  const notice = pendingNotice === undefined ? undefined : await limitReachedEffect(pendingNotice, context);
  return {
    effect: {
      events: [...events, ...(notice?.events ?? [])],
      statements: [await insertVerification(json, record, ports), ...guardStatements, ...(notice?.statements ?? [])],
    },
    json,
    text,
  };
}

/** No shared or private cache may store data about a citizen. */
export const noStoreHeaders = { 'cache-control': 'no-store' } as const;

const description =
  'Compares the claims with the register, and reports whether they fit exactly one citizen. Unknown ids, wrong claims and a reached verification limit have the same answer. ' +
  'While the register is unavailable, the decision is not_determined. ' +
  'Send citizenId, a name and birthDate; or both names, birthDate and an address or document number.';
const responses = {
  200: { description: 'The result of the verification. Read its member decision.', schema: verificationSchema },
} as const;
const commonDefinition = {
  since: '1.0',
  path: '/v1/identity/verify',
  scope: 'identity:verify',
  callers: ['clients'],
  summary: 'Verify citizen identity claims',
  description,
  responses,
  citizenData: true,
} as const;
const refusals = [
  'insufficient-claims',
  'purpose-not-permitted',
  'legal-basis-not-permitted',
  'claim-not-permitted',
] as const;

const queryRequest = { query: claimsQuery };
const bodyRequest = { body: claimsBody };

/** `GET /v1/identity/verify`: the claims in the query string, which is never logged. */
export const verifyIdentityByQuery = defineOperation({
  ...commonDefinition,
  name: 'verifyIdentityByQuery',
  method: 'GET',
  // HEAD would cause a verification and reveal the decision by the content length.
  head: false,
  request: queryRequest,
  refusals: ['claims-in-url-refused', ...refusals],
  run: async (call: OperationCall<typeof queryRequest, IdentityPorts>) => {
    if (call.ports.refuseClaimsInUrl) return { refusal: refuse('claims-in-url-refused') };
    return await verify(call, call.query, 'query');
  },
});

/** `POST /v1/identity/verify`: the same with the claims in the body. */
export const verifyIdentity = defineOperation({
  ...commonDefinition,
  name: 'verifyIdentity',
  method: 'POST',
  request: bodyRequest,
  refusals,
  run: async (call: OperationCall<typeof bodyRequest, IdentityPorts>) => await verify(call, call.body, 'body'),
});

/** `QUERY /v1/identity/verify`: the same with a method that is safe to repeat. */
export const verifyIdentityQuery = defineOperation({
  ...commonDefinition,
  name: 'verifyIdentityQuery',
  method: 'QUERY',
  request: bodyRequest,
  refusals,
  run: async (call: OperationCall<typeof bodyRequest, IdentityPorts>) => await verify(call, call.body, 'body'),
});
