import type { Read } from '../db/database.ts';
import { formatInstant } from '../kernel/clock.ts';
import type { IdGenerator } from '../kernel/id.ts';
import type { Effect } from '../ledger/commit.ts';
import type { CitizenEvent } from '../ledger/ledger-event.ts';
import { normaliseClaims } from './match/comparable.ts';
import type { MatchPolicy } from './match/policy.ts';
import { type Claims, requestHash, usableClaims } from './register/claims.ts';
import { decoyIdsOf } from './register/decoy-ids.ts';
import type { AttestedClaims } from './verification/attested-claims.ts';
import type { VerificationContext } from './verification/decide-verification.ts';
import type { IdentificationResult } from './verification/identify-citizen.ts';
import { identifyPresenter } from './verification/identify-presenter.ts';
import type { IdentityPorts } from './verification/ports.ts';
import { claimResults, type Verification, verificationValidMs } from './verification/verification.ts';
import { verificationEventsOf } from './verification/verification-events.ts';
import { insertVerification } from './verification/verification-store.ts';
import { presentationTokenPayload, verificationTokenType } from './verification/verification-token.ts';
import { keepWalletLink, walletLinkKey } from './verification/wallet-link-store.ts';
import { toCountableClaims } from './verification-limit/verification-keys.ts';

type PresentationDeps = { readonly read: Read; readonly ports: IdentityPorts };
type DecidingAt = { readonly now: number; readonly createId: IdGenerator };

/** The effect of a decided presentation with its result. `citizenId`: the citizen of a match; null otherwise. */
export type PresentationDecision = {
  readonly effect: Effect;
  readonly result: Verification;
  readonly citizenId: string | null;
};

/**
 * Decides whose credential a wallet presented, by the policy of the client. Attested values do not count towards the verification limit,
 * and the limit does not refuse them. Attack: the answers for no person, a locked person and an unexpected person must not differ, so they
 * have the same members, events and statements, and the time is padded as in `verify` (test/attacks/wallet-values.test.ts).
 */
export async function decidePresentedClaims(
  attested: AttestedClaims,
  by: DecidingAt,
  { read, ports }: PresentationDeps,
): Promise<PresentationDecision> {
  const padResponse = ports.startResponsePadding();
  const { clientId, purpose, legalBasis, nonce, expectedCitizenId, link } = attested;
  const { isAdministrativeNumberCitizenId: isNumberTheId } = attested;
  const policy = await ports.policyOf(clientId);
  const claims = comparableClaims(attested, policy, by.now);
  const normalised = normaliseClaims(claims);
  const sent = Object.fromEntries(
    Object.entries({ purpose, legalBasis, nonce }).filter(([, value]) => value !== undefined),
  );
  const context: VerificationContext = {
    verificationId: by.createId('verification'),
    // The members that the client sent. The attested values are in no part of the result.
    request: { ...sent, claims: expectedCitizenId === undefined ? {} : { citizenId: expectedCitizenId } },
    // Names with very many readings are reduced to their first forms, as in `verify`.
    claims: toCountableClaims(ports.rootKey.derive('guess-budget'), claims, normalised, policy).claims,
    policy,
    call: { ...by, ports, caller: { clientId, scopes: new Set() } },
  };
  const decoyKeys = decoyIdsOf(context.verificationId).map(ports.citizenKeys.keyOf);
  const [identification] = await Promise.all([
    identifyPresenter(context.claims, claims, {
      read,
      register: ports.register,
      policy,
      frequencies: ports.frequencies?.(),
      today: formatInstant(by.now).slice(0, 10),
      isBelowLimit: async () => true,
      link: link === undefined || isNumberTheId ? undefined : walletLinkKey(ports.rootKey, link),
      expectedCitizenId,
    }),
    // Loading these keys during the search hides the additional time without a citizen.
    ...decoyKeys,
  ]);
  const decided = await prepareDecision(attested, context, identification);
  await padResponse();
  return decided;
}

/** The attested claims that the policy permits. The citizen id is only the number that the operator has declared to be it. */
function comparableClaims(
  { claims: attested, link, isAdministrativeNumberCitizenId }: AttestedClaims,
  { permitted }: MatchPolicy,
  now: number,
): Claims {
  const { citizenId: _, ...others } = attested;
  const number = isAdministrativeNumberCitizenId ? link?.administrativeNumber : undefined;
  const claims = usableClaims(number === undefined ? others : { ...others, citizenId: number }, now);
  if (permitted === undefined) return claims;
  const names: ReadonlySet<string> = permitted;
  return Object.fromEntries(Object.entries(claims).filter(([claim]) => names.has(claim)));
}

async function prepareDecision(
  attested: AttestedClaims,
  context: VerificationContext,
  identification: IdentificationResult,
): Promise<PresentationDecision> {
  const { request, call } = context;
  const { ports, now } = call;
  const { clientId, evidence } = attested;
  const [searchEvent, ...citizenEvents] = verificationEventsOf(context, identification);
  const unsigned = unsignedResult(attested, context, identification, searchEvent.id);
  const payload = presentationTokenPayload(
    unsigned,
    request,
    { evidence, compared: context.claims.submitted },
    { clientId, ports },
  );
  const result: Verification = { ...unsigned, token: await ports.signResult(payload, verificationTokenType) };
  const { aboutCitizenId, explanation } = identification;
  const citizenId = identification.decision === 'match' ? aboutCitizenId : null;
  const record = { clientId, citizenId: aboutCitizenId, isSearch: true, checkedAt: now, explanation };
  const link = linkEffect(attested, context, citizenId);
  const markedEvents = citizenEvents.map((event) =>
    event.type === 'identity.verified'
      ? ({ ...event, wallet: event.citizenId === citizenId ? 'match' : 'other' } as const)
      : event,
  );
  return {
    effect: {
      events: [searchEvent, ...markedEvents, ...link.events],
      statements: [await insertVerification(result, record, ports), ...link.statements],
    },
    result,
    citizenId,
  };
}

function unsignedResult(
  { clientId, assurance, evidence }: AttestedClaims,
  { verificationId, request, policy, call }: VerificationContext,
  { decision, levels }: IdentificationResult,
  eventId: string,
): Omit<Verification, 'token'> {
  const { now, ports } = call;
  const { credentialType: credential, format, issuer, issuingCountry } = evidence;
  const verified = decision === 'match';
  const showsClaims = verified && ports.mayReadClaims(clientId);
  return {
    verificationId,
    verified,
    decision,
    ...(showsClaims ? { claims: claimResults(levels) } : {}),
    assurance,
    policy: policy.name,
    checkedAt: formatInstant(now),
    expiresAt: formatInstant(now + verificationValidMs),
    purpose: request.purpose ?? null,
    legalBasis: request.legalBasis ?? null,
    consentReference: null,
    requestHash: requestHash(request),
    receipt: `/v1/receipts/${eventId}`,
    evidence: {
      kind: 'wallet',
      credential,
      format,
      issuer,
      ...(issuingCountry === undefined ? {} : { issuingCountry }),
      holderBinding: true,
    },
  };
}

/**
 * Keeps the link that the citizen agreed to. Attack: everybody can count ledger entries. Without a match the entry is therefore written
 * too, about a decoy.
 */
function linkEffect(
  { link, isAdministrativeNumberCitizenId, clientId }: AttestedClaims,
  { verificationId, call: { ports, now, createId } }: VerificationContext,
  citizenId: string | null,
): { readonly events: readonly CitizenEvent[]; readonly statements: Effect['statements'] } {
  if (link?.consented !== true || isAdministrativeNumberCitizenId) return { events: [], statements: [] };
  const [decoyId = ''] = decoyIdsOf(verificationId);
  const event: CitizenEvent = {
    type: 'wallet-link.kept',
    id: createId('event'),
    at: now,
    actor: { client: clientId },
    receipt: false,
    citizenId: citizenId ?? decoyId,
  };
  const { issuingCountry } = link;
  const statements =
    citizenId === null
      ? []
      : keepWalletLink(walletLinkKey(ports.rootKey, link), { citizenId, issuingCountry, keptAt: now });
  return { events: [event], statements };
}
