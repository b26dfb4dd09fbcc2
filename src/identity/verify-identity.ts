import { type Answer, type Call, type Decision, defineOperation, type Refused } from '../api/operation.ts';
import { toInstant } from '../kernel/clock.ts';
import type { VerificationId } from '../kernel/id.ts';
import { type Refusal, refuse } from '../kernel/problem.ts';
import type { CitizenEvent, HouseEvent } from '../ledger/event.ts';
import { type ClaimName, claimsBody, claimsQuery, type Question, readQuestion, requestHash } from './claims.ts';
import { type Finding, identify } from './identify.ts';
import { type NormalisedClaims, normaliseClaims } from './match/comparable.ts';
import { type Policy, reachesMinimum } from './match/policy.ts';
import type { IdentityPorts } from './ports.ts';
import { RegisterUnavailable } from './register.ts';
import { claimResults, type Verification, validForMs, verificationSchema } from './verification.ts';
import { keepVerification } from './verification-store.ts';
import { resultPayload, resultType } from './verification-token.ts';

type VerifyCall = Pick<Call<object, IdentityPorts>, 'caller' | 'now' | 'mint' | 'ports'>;
type Sent = Readonly<Record<string, string | undefined>>;

/** One question on its way to its answer. */
type Asking = {
  readonly question: Question;
  readonly claims: NormalisedClaims;
  readonly policy: Policy;
  readonly call: VerifyCall;
};

/** Decides one question; the three operations below differ only in where its claims stand. */
async function verify(call: VerifyCall, sent: Sent, from: 'query' | 'body'): Promise<Decision | Refused> {
  const read = readQuestion(sent, from);
  if ('issues' in read) {
    return {
      refusal: refuse('bad-request', 'Some claims are not usable; each is in issues[].', { issues: read.issues }),
    };
  }
  const { question } = read;
  const policy = call.ports.policyOf(call.caller.clientId);
  const refusal = refusalOf(question, policy, call);
  if (refusal !== undefined) return { refusal };
  const asking = { question, claims: normaliseClaims(question.claims), policy, call };
  const { register, frequencies } = call.ports;
  const bench = { register, policy, frequencies: frequencies?.() };
  try {
    return await answer(asking, await identify(asking.claims, question.claims, bench));
  } catch (fault) {
    if (!(fault instanceof RegisterUnavailable)) throw fault;
    return { refusal: refuse('register-unavailable', undefined, { headers: { 'retry-after': '5' } }) };
  }
}

function refusalOf({ claims, purpose }: Question, policy: Policy, { ports, caller }: VerifyCall): Refusal | undefined {
  const purposes = ports.purposesOf(caller.clientId);
  if (purpose !== undefined && purposes !== undefined && !purposes.includes(purpose)) {
    return refuse('purpose-not-permitted');
  }
  const submitted = new Set(Object.keys(claims) as ClaimName[]);
  return reachesMinimum(policy, submitted) ? undefined : refuse('insufficient-claims');
}

async function answer(asking: Asking, finding: Finding): Promise<Decision> {
  const { question, claims, policy, call } = asking;
  const { caller, now, mint, ports } = call;
  const verificationId = mint('verification');
  const events = eventsOf(asking, finding, verificationId);
  const verified = finding.decision === 'match';
  const tellsClaims = verified && caller.scopes.has('identity:verify:claims');
  const result: Omit<Verification, 'token'> = {
    verificationId,
    verified,
    decision: finding.decision,
    ...(tellsClaims ? { claims: claimResults(finding.levels) } : {}),
    assurance: policy.assurance,
    policy: policy.name,
    checkedAt: toInstant(now),
    expiresAt: toInstant(now + validForMs),
    purpose: question.purpose ?? null,
    requestHash: requestHash(question),
    receipt: `/v1/receipts/${events[0].id}`,
  };
  const to = { clientId: caller.clientId, ports };
  const token = await ports.signResult(resultPayload(result, question, finding.levels, to), resultType);
  const verification = { ...result, token };
  const asked = { clientId: caller.clientId, citizenId: finding.about, checkedAt: now, claims };
  return {
    effect: { events, statements: [await keepVerification(verification, asked, ports)] },
    answer: { status: 200, headers: privateAnswer, json: verification } satisfies Answer,
  };
}

/** No cache, shared or private, keeps what was answered about a citizen. */
export const privateAnswer = { 'cache-control': 'no-store' } as const;

/**
 * A question with an id is an event of that citizen, known or not. A question without one is an event of the house, and
 * one more of each citizen whom it concerns; its receipt is the former, so that it tells nothing of the latter.
 */
function eventsOf(
  { question, claims, policy, call }: Asking,
  { decision, concerned, searched }: Finding,
  verification: VerificationId,
): readonly [CitizenEvent | HouseEvent, ...CitizenEvent[]] {
  const what = { verification, decision, policy: policy.name, claimsAsked: claims.asked };
  const head = () => ({ id: call.mint('event'), at: call.now, actor: { client: call.caller.clientId } });
  const { purpose, legalBasis, consentReference } = question;
  const about = (citizenId: string): CitizenEvent => {
    return { type: 'identity.verified', ...head(), citizenId, ...what, purpose, legalBasis, consentReference };
  };
  const [first, ...others] = concerned;
  if (!searched && first !== undefined) return [about(first)];
  const search: HouseEvent = { type: 'identity.searched', ...head(), ...what };
  return [search, ...(first === undefined ? [] : [about(first), ...others.map(about)])];
}

const description =
  'Says whether the claims fit one citizen of the register. Unknown ids, wrong claims and too many wrong guesses answer alike. ' +
  'Send citizenId, a name and birthDate; or both names, birthDate and an address or document number.';
const responses = { 200: { description: 'What was decided.', schema: verificationSchema } } as const;
const shared = {
  since: '1.0',
  path: '/v1/identity/verify',
  scope: 'identity:verify',
  summary: 'Verify citizen identity claims',
  description,
  responses,
  citizenData: true,
} as const;
const refusals = ['insufficient-claims', 'purpose-not-permitted', 'register-unavailable'] as const;

const queryRequest = { query: claimsQuery };
const bodyRequest = { body: claimsBody };

/** `GET /v1/identity/verify`: the claims in the query string, which is never logged. */
export const verifyIdentityByQuery = defineOperation({
  ...shared,
  name: 'verifyIdentityByQuery',
  method: 'GET',
  request: queryRequest,
  refusals: ['claims-in-url-refused', ...refusals],
  run: async (call: Call<typeof queryRequest, IdentityPorts>) => {
    if (call.ports.refuseClaimsInUrl) return { refusal: refuse('claims-in-url-refused') };
    return await verify(call, call.query, 'query');
  },
});

/** `POST /v1/identity/verify`: the same with the claims in the body. */
export const verifyIdentity = defineOperation({
  ...shared,
  name: 'verifyIdentity',
  method: 'POST',
  request: bodyRequest,
  refusals,
  run: async (call: Call<typeof bodyRequest, IdentityPorts>) => await verify(call, call.body, 'body'),
});

/** `QUERY /v1/identity/verify`: the same, said to be safe to repeat. */
export const verifyIdentityQuery = defineOperation({
  ...shared,
  name: 'verifyIdentityQuery',
  method: 'QUERY',
  request: bodyRequest,
  refusals,
  run: async (call: Call<typeof bodyRequest, IdentityPorts>) => await verify(call, call.body, 'body'),
});
