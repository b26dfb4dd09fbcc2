import { type Answer, type Call, type Decision, defineOperation, type Refused } from '../api/operation.ts';
import { toInstant } from '../kernel/clock.ts';
import { type Refusal, refusalOfIssues, refuse } from '../kernel/problem.ts';
import type { Effect } from '../ledger/commit.ts';
import { claimsBody, claimsQuery, meantBy, readQuestion, requestHash } from './claims.ts';
import { type Asking, type Decided, decideQuestion, type VerifyCall } from './decide-question.ts';
import { normaliseClaims } from './match/comparable.ts';
import { countingClaims, reachesMinimum } from './match/policy.ts';
import type { IdentityPorts } from './ports.ts';
import { claimResults, type Verification, validForMs, verificationSchema } from './verification.ts';
import { eventsOf, noticeTo } from './verification-events.ts';
import { keepVerification } from './verification-store.ts';
import { resultPayload, resultType } from './verification-token.ts';

type Sent = Readonly<Record<string, string | undefined>>;

/** Decides one question; the three operations below differ only in where its claims stand. */
async function verify(call: VerifyCall, sent: Sent, from: 'query' | 'body'): Promise<Decision | Refused> {
  const paced = call.ports.pace();
  const read = readQuestion(sent, from);
  if ('issues' in read) {
    return {
      refusal: refusalOfIssues(read.issues),
    };
  }
  const { question } = read;
  const policy = await call.ports.policyOf(call.caller.clientId);
  const verificationId = call.mint('verification');
  const asking = { verificationId, question, claims: normaliseClaims(question.claims), policy, call };
  const refusal = refusalOf(asking, sent, from);
  return refusal === undefined ? await decide(asking, paced) : { refusal };
}

async function decide(asking: Asking, paced: () => Promise<void>): Promise<Decision> {
  const { effect, json, text } = await answer(asking, await decideQuestion(asking));
  return {
    effect,
    answer: async () => {
      await paced();
      return { status: 200, headers: privateAnswer, json, text } satisfies Answer;
    },
    // A guess was counted meanwhile, in another process: at most as often as a budget has guesses.
    onRefused: () => decide(asking, paced),
  };
}

/** What the client may not ask; nothing of the register is looked at for it. */
function refusalOf(
  { question, claims, policy, call }: Asking,
  sent: Sent,
  from: 'query' | 'body',
): Refusal | undefined {
  const { purpose, legalBasis, consentReference } = question;
  const purposes = call.ports.purposesOf(call.caller.clientId);
  if (purposes !== undefined && !purposes.includes(purpose ?? '')) return refuse('purpose-not-permitted');
  const bases = call.ports.legalBasesOf?.(call.caller.clientId);
  // Consent is stated by where it is on record, whether it is named as well or not.
  const stated = legalBasis ?? (consentReference === undefined ? undefined : consentBasis);
  const isBased = stated !== consentBasis || consentReference !== undefined;
  if (bases !== undefined && !(isBased && bases.includes(stated ?? ''))) return refuse('legal-basis-not-permitted');
  const closed: ReadonlySet<string> = new Set(claims.asked.filter((claim) => policy.permitted?.has(claim) === false));
  const forbidden = Object.keys(sent).filter((written) => sent[written] !== undefined && closed.has(meantBy(written)));
  if (forbidden.length > 0) {
    const detail = 'not permitted by the policy of this client';
    const issues = forbidden.map((written) =>
      from === 'body'
        ? ({ in: from, pointer: `/${written}`, code: 'not-permitted', detail } as const)
        : ({ in: from, name: written, code: 'not-permitted', detail } as const),
    );
    return refuse('claim-not-permitted', undefined, { issues });
  }
  return reachesMinimum(policy, countingClaims(policy, claims)) ? undefined : refuse('insufficient-claims');
}

/** Among the legal bases of a client: it has to give a reference to the consent of the citizen, and that will do. */
const consentBasis = 'consent';

async function answer(
  asking: Asking,
  { finding, untold, guards }: Decided,
): Promise<{ readonly effect: Effect; readonly json: Verification; readonly text: string }> {
  const { verificationId, question, policy, call } = asking;
  const { caller, now, ports } = call;
  const events = eventsOf(asking, finding);
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
    legalBasis: question.legalBasis ?? null,
    consentReference: question.consentReference ?? null,
    requestHash: requestHash(question),
    receipt: `/v1/receipts/${events[0].id}`,
  };
  const to = { clientId: caller.clientId, ports };
  const token = await ports.signResult(resultPayload(result, question, finding.levels, to), resultType);
  const json = { ...result, token };
  const text = JSON.stringify(json);
  const { about, searched, explanation } = finding;
  const asked = { clientId: caller.clientId, citizenId: about, searched, checkedAt: now, explanation };
  const notice = untold === undefined ? undefined : await noticeTo(untold, asking);
  return {
    effect: {
      events: [...events, ...(notice?.events ?? [])],
      statements: [await keepVerification(json, asked, ports), ...guards, ...(notice?.statements ?? [])],
    },
    json,
    text,
  };
}

/** No cache, shared or private, keeps what was answered about a citizen. */
export const privateAnswer = { 'cache-control': 'no-store' } as const;

const description =
  'Says whether the claims fit one citizen of the register. Unknown ids, wrong claims and too many wrong guesses answer alike. ' +
  'While the register cannot be asked, the decision is not_determined. ' +
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
  ...shared,
  name: 'verifyIdentityByQuery',
  method: 'GET',
  // A question is asked for its answer: HEAD would ask it and tell by the length what was decided.
  head: false,
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
