import { type Answer, type Call, type Decision, defineOperation, type Refused } from '../api/operation.ts';
import { toInstant } from '../kernel/clock.ts';
import type { VerificationId } from '../kernel/id.ts';
import { type Refusal, refuse } from '../kernel/problem.ts';
import type { Effect } from '../ledger/commit.ts';
import type { CitizenEvent, HouseEvent } from '../ledger/event.ts';
import { claimsBody, claimsQuery, type Question, readQuestion, requestHash } from './claims.ts';
import { guessTags, subjectOf } from './guess-budget.ts';
import { type Finding, identify } from './identify.ts';
import { type NormalisedClaims, normaliseClaims } from './match/comparable.ts';
import { countingClaims, type Policy, reachesMinimum } from './match/policy.ts';
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
  const paced = call.ports.pace();
  const read = readQuestion(sent, from);
  if ('issues' in read) {
    return {
      refusal: refuse('bad-request', 'Some claims are not usable; each is in issues[].', { issues: read.issues }),
    };
  }
  const { question } = read;
  const policy = await call.ports.policyOf(call.caller.clientId);
  const asking = { question, claims: normaliseClaims(question.claims), policy, call };
  const refusal = refusalOf(asking, from);
  if (refusal !== undefined) return { refusal };
  const { effect, json, text } = await answer(asking, await decideOnce(asking));
  return {
    effect,
    answer: async () => {
      await paced();
      return { status: 200, headers: privateAnswer, json, text } satisfies Answer;
    },
  };
}

/** What was found, and whether this was the wrong guess that spent a budget. */
type Decided = { readonly finding: Finding; readonly spentNow: boolean };

/**
 * Asks the register, and counts what was wrong. Over budget everything is done as ever, and then answered as a mismatch:
 * test/attacks/guessing.test.ts.
 */
async function decideOnce({ question, claims, policy, call }: Asking): Promise<Decided> {
  const { register, frequencies, guesses, rootKey, citizenKeys } = call.ports;
  const key = rootKey.derive('guess-budget');
  const tags = guessTags(key, question.claims, claims);
  return await guesses.alone(tags.subjects, async () => {
    const bench = { register, policy, frequencies: frequencies?.(), today: toInstant(call.now).slice(0, 10) };
    const [found, unspent] = await Promise.all([
      identify(claims, question.claims, bench).catch((fault) => openAfter(fault, question)),
      guesses.hasRoom(tags.subjects, call.now),
      // Of a known id the key is often at hand: that of an unknown one is looked for beside what is read anyway.
      question.claims.citizenId === undefined ? undefined : citizenKeys.keyOf(question.claims.citizenId),
    ]);
    const owner = found.searched && found.about !== null ? [subjectOf(key, found.about)] : [];
    // Looked up whether it matters any more or not, so that the time does not tell.
    const ownerUnspent = await guesses.hasRoom(owner, call.now);
    const finding: Finding = unspent && ownerUnspent ? found : { ...found, decision: 'no_match', levels: {} };
    if (finding.decision !== 'no_match') return { finding, spentNow: false };
    return { finding, ...(await guesses.count(tags, call.now)) };
  });
}

/** What the client may not ask; nothing of the register is looked at for it. */
function refusalOf({ question, claims, policy, call }: Asking, from: 'query' | 'body'): Refusal | undefined {
  const { purpose, legalBasis, consentReference } = question;
  const purposes = call.ports.purposesOf(call.caller.clientId);
  if (purposes !== undefined && !purposes.includes(purpose ?? '')) return refuse('purpose-not-permitted');
  const bases = call.ports.legalBasesOf?.(call.caller.clientId);
  const consents = consentReference !== undefined && bases?.includes(consentBasis) === true;
  const based = legalBasis === undefined ? consents : bases?.includes(legalBasis) === true;
  if (bases !== undefined && !based) return refuse('legal-basis-not-permitted');
  const forbidden = claims.asked.filter((claim) => policy.permitted?.has(claim) === false);
  if (forbidden.length > 0) {
    const detail = 'not permitted by the policy of this client';
    const issues = forbidden.map((claim) =>
      from === 'body'
        ? ({ in: from, pointer: `/${claim}`, code: 'not-permitted', detail } as const)
        : ({ in: from, name: claim, code: 'not-permitted', detail } as const),
    );
    return refuse('claim-not-permitted', undefined, { issues });
  }
  return reachesMinimum(policy, countingClaims(policy, claims)) ? undefined : refuse('insufficient-claims');
}

/** Among the legal bases of a client: it may give a reference to the consent of the citizen instead. */
const consentBasis = 'consent';

/** A register that could not be asked leaves the question open; anything else is a fault. */
function openAfter(fault: unknown, { claims }: Question): Finding {
  if (!(fault instanceof RegisterUnavailable)) throw fault;
  const { citizenId } = claims;
  const concerned = citizenId === undefined ? [] : [citizenId];
  const about = citizenId ?? null;
  return { decision: 'not_determined', levels: {}, concerned, about, searched: citizenId === undefined };
}

async function answer(
  asking: Asking,
  { finding, spentNow }: Decided,
): Promise<{ readonly effect: Effect; readonly json: Verification; readonly text: string }> {
  const { question, policy, call } = asking;
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
    legalBasis: question.legalBasis ?? null,
    consentReference: question.consentReference ?? null,
    requestHash: requestHash(question),
    receipt: `/v1/receipts/${events[0].id}`,
  };
  const to = { clientId: caller.clientId, ports };
  const token = await ports.signResult(resultPayload(result, question, finding.levels, to), resultType);
  const json = { ...result, token };
  const text = JSON.stringify(json);
  const asked = { clientId: caller.clientId, citizenId: finding.about, checkedAt: now };
  const notices = spentNow ? await Promise.all(finding.concerned.map((id) => alert(id, verificationId, call))) : [];
  return {
    effect: {
      events: [...events, ...notices.flatMap((notice) => notice.events)],
      statements: [
        await keepVerification(verificationId, text, asked, ports),
        ...notices.flatMap((notice) => notice.statements),
      ],
    },
    json,
    text,
  };
}

/** The citizen is told of guesses, in the ledger and by message, in the unit of the guess that spent the budget. */
async function alert(citizenId: string, verification: VerificationId, call: VerifyCall): Promise<Effect> {
  const { mint, now, ports, caller } = call;
  const head = { id: mint('event'), at: now, actor: { client: caller.clientId } };
  const notice = await ports.noticeOfGuesses(citizenId, { now, mint });
  return {
    events: [{ type: 'identity.guesses-spent', ...head, citizenId, verification }, ...notice.events],
    statements: notice.statements,
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
const refusals = [
  'insufficient-claims',
  'purpose-not-permitted',
  'legal-basis-not-permitted',
  'claim-not-permitted',
  'register-unavailable',
] as const;

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
