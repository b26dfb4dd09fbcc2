import { formatInstant } from '../../kernel/clock.ts';
import type { Effect } from '../../ledger/commit.ts';
import type { CitizenEvent, LedgerEvent, SystemEvent } from '../../ledger/ledger-event.ts';
import { entryOwnersOf } from '../register/decoy-ids.ts';
import { RegisterUnavailable } from '../register/register.ts';
import { markNotifiedStatement } from '../verification-limit/verification-limiter.ts';
import type { PendingNotice, VerificationContext } from './decide-verification.ts';
import type { IdentificationResult } from './identify-citizen.ts';

/**
 * A question with an id is an event of that citizen, known or not. A question without one is an event of the house, and
 * one more of each citizen whom it concerns, or of strangers: everybody can see how many entries the ledger gets, of which
 * kind and how long, so these are the same whoever was found (test/attacks/verification-limit-ledger.test.ts). Only the house's
 * event has a receipt for the client.
 */
export function verificationEventsOf(
  { verificationId, request, claims, policy, call }: VerificationContext,
  { decision, concernedIds, isSearch }: IdentificationResult,
): readonly [CitizenEvent | SystemEvent, ...CitizenEvent[]] {
  const commonMembers = { verification: verificationId, decision, policy: policy.name, claimsAsked: claims.asked };
  const head = () => ({ id: call.mint('event'), at: call.now, actor: { client: call.caller.clientId } });
  const { purpose, legalBasis, consentReference } = request;
  const verifiedEvent = (citizenId: string): CitizenEvent => {
    return { type: 'identity.verified', ...head(), citizenId, ...commonMembers, purpose, legalBasis, consentReference };
  };
  const [first] = concernedIds;
  if (!isSearch && first !== undefined) return [verifiedEvent(first)];
  const searchEvent: SystemEvent = { type: 'identity.searched', ...head(), ...commonMembers };
  const owners = entryOwnersOf(concernedIds, verificationId);
  return [searchEvent, ...owners.map((owner) => ({ ...verifiedEvent(owner), receipt: false }) as const)];
}

type Notice = { readonly events: readonly LedgerEvent[]; readonly statements: Effect['statements'] };

/**
 * The citizen is told of guesses, in the ledger and by message, in the unit of the answer, which keeps that it was done.
 * Where the register cannot be asked how the citizen is reached, a later guess does it. Where one of the guesses is hidden all of it
 * waits until none is: before, it would tell of it.
 */
export async function limitReachedEffect(
  { citizenId, verificationKey, hiddenUntil }: PendingNotice,
  { verificationId: verification, call }: VerificationContext,
): Promise<Notice> {
  const { mint, now, ports, caller } = call;
  const head = { id: mint('event'), at: now, actor: { client: caller.clientId }, receipt: false } as const;
  try {
    const notice = await ports.limitReachedNotice(citizenId, { now, mint, notBefore: hiddenUntil });
    const limitReachedEvent: LedgerEvent = { type: 'identity.guesses-spent', ...head, citizenId, verification };
    const hiddenMembers = { hiddenUntil: formatInstant(hiddenUntil ?? now), hiddenReason: hiddenNoticeReason };
    // Of the same length either way, or who gave the last guess would see by it that others have hidden theirs.
    const hidden = hiddenUntil === undefined ? { blanks: JSON.stringify(hiddenMembers).length - 1 } : hiddenMembers;
    return {
      events: [limitReachedEvent, ...notice.events].map((event): LedgerEvent => ({ ...event, ...hidden })),
      statements: [...notice.statements, markNotifiedStatement(verificationKey, now)],
    };
  } catch (fault) {
    if (fault instanceof RegisterUnavailable) return { events: [], statements: [] };
    throw fault;
  }
}

const hiddenNoticeReason = 'It follows from uses that are hidden until then.';
