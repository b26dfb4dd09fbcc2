import { toInstant } from '../kernel/clock.ts';
import type { Effect } from '../ledger/commit.ts';
import type { CitizenEvent, HouseEvent, LedgerEvent } from '../ledger/event.ts';
import type { Asking, Untold } from './decide-question.ts';
import { toldStatement } from './guess-budget.ts';
import type { Finding } from './identify.ts';
import { RegisterUnavailable } from './register.ts';
import { ownersOf } from './strangers.ts';

/**
 * A question with an id is an event of that citizen, known or not. A question without one is an event of the house, and
 * one more of each citizen whom it concerns, or of strangers: everybody can see how many entries the ledger gets, of which
 * kind and how long, so these are the same whoever was found (test/attacks/guessing-ledger.test.ts). Only the house's
 * event has a receipt for the client.
 */
export function eventsOf(
  { verificationId, question, claims, policy, call }: Asking,
  { decision, concerned, searched }: Finding,
): readonly [CitizenEvent | HouseEvent, ...CitizenEvent[]] {
  const what = { verification: verificationId, decision, policy: policy.name, claimsAsked: claims.asked };
  const head = () => ({ id: call.mint('event'), at: call.now, actor: { client: call.caller.clientId } });
  const { purpose, legalBasis, consentReference } = question;
  const about = (citizenId: string): CitizenEvent => {
    return { type: 'identity.verified', ...head(), citizenId, ...what, purpose, legalBasis, consentReference };
  };
  const [first] = concerned;
  if (!searched && first !== undefined) return [about(first)];
  const search: HouseEvent = { type: 'identity.searched', ...head(), ...what };
  const owners = ownersOf(concerned, verificationId);
  return [search, ...owners.map((owner) => ({ ...about(owner), receipt: false }) as const)];
}

type Notice = { readonly events: readonly LedgerEvent[]; readonly statements: Effect['statements'] };

/**
 * The citizen is told of guesses, in the ledger and by message, in the unit of the answer, which keeps that it was done.
 * Where the register cannot be asked how the citizen is reached, a later guess does it. Where one of the guesses is hidden all of it
 * waits until none is: before, it would tell of it.
 */
export async function noticeTo(
  { citizenId, subject, hiddenUntil }: Untold,
  { verificationId: verification, call }: Asking,
): Promise<Notice> {
  const { mint, now, ports, caller } = call;
  const head = { id: mint('event'), at: now, actor: { client: caller.clientId }, receipt: false } as const;
  try {
    const notice = await ports.noticeOfGuesses(citizenId, { now, mint, notBefore: hiddenUntil });
    const spent: LedgerEvent = { type: 'identity.guesses-spent', ...head, citizenId, verification };
    const hiding = { hiddenUntil: toInstant(hiddenUntil ?? now), hiddenReason: others };
    // Of the same length either way, or who gave the last guess would see by it that others have hidden theirs.
    const hidden = hiddenUntil === undefined ? { blanks: JSON.stringify(hiding).length - 1 } : hiding;
    return {
      events: [spent, ...notice.events].map((event): LedgerEvent => ({ ...event, ...hidden })),
      statements: [...notice.statements, toldStatement(subject, now)],
    };
  } catch (fault) {
    if (fault instanceof RegisterUnavailable) return { events: [], statements: [] };
    throw fault;
  }
}

const others = 'It follows from uses that are hidden until then.';
