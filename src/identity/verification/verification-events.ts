import { formatInstant } from '../../kernel/clock.ts';
import type { Effect } from '../../ledger/commit.ts';
import type { CitizenEvent, LedgerEvent, SystemEvent } from '../../ledger/ledger-event.ts';
import { entryOwnersOf } from '../register/decoy-ids.ts';
import { RegisterUnavailable } from '../register/register.ts';
import { markNotifiedStatement } from '../verification-limit/verification-limiter.ts';
import type { PendingNotice, VerificationContext } from './decide-verification.ts';
import type { IdentificationResult } from './identify-citizen.ts';

/**
 * The events of a verification. With an id: one event of that citizen, known or not. A search: one system event, and one event for each
 * concerned citizen, with decoys up to the minimum number. Attack: everybody can see the number, kind and length of ledger entries, so they
 * must not depend on who was found (test/attacks/verification-limit-ledger.test.ts). The client gets a receipt for the system event only.
 */
export function verificationEventsOf(
  { verificationId, request, claims, policy, call }: VerificationContext,
  { decision, concernedIds, isSearch }: IdentificationResult,
): readonly [CitizenEvent | SystemEvent, ...CitizenEvent[]] {
  const commonMembers = { verification: verificationId, decision, policy: policy.name, claimsAsked: claims.submitted };
  const head = () => ({ id: call.createId('event'), at: call.now, actor: { client: call.caller.clientId } });
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

/** Empty if the register is unavailable. */
type Notice = { readonly events: readonly LedgerEvent[]; readonly statements: Effect['statements'] };

/**
 * Notifies the citizen that the limit is reached, by a ledger event and a message in the unit of the result, which also records the
 * notification. If the register cannot give the contact data, a later failed verification notifies. If one of the counted failures is
 * concealed, event and message wait until the concealment ends: before, they would reveal it.
 */
export async function limitReachedEffect(
  { citizenId, verificationKey, hiddenUntil }: PendingNotice,
  { verificationId: verification, call }: VerificationContext,
): Promise<Notice> {
  const { createId, now, ports, caller } = call;
  const head = { id: createId('event'), at: now, actor: { client: caller.clientId }, receipt: false } as const;
  try {
    const notice = await ports.limitReachedNotice(citizenId, { now, createId, notBefore: hiddenUntil });
    const limitReachedEvent: LedgerEvent = { type: 'identity.guesses-spent', ...head, citizenId, verification };
    const hiddenMembers = { hiddenUntil: formatInstant(hiddenUntil ?? now), hiddenReason: hiddenNoticeReason };
    // Blanks give the event the same length without a concealment. Otherwise the client could see in the ledger that the failure of another
    // client is concealed (test/attacks/verification-limit-ledger.test.ts).
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
