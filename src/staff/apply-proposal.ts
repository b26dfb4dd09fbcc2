import type { OperationCall, RequestShape } from '../api/operation.ts';
import type { StaffMember } from '../auth/caller.ts';
import { type Statement, WriteRefused } from '../db/database.ts';
import type { EventId, StaffEntryId } from '../kernel/id.ts';
import { isObject } from '../kernel/is-object.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { commitWithEntry } from './commit-with-entry.ts';
import type { StaffPorts } from './ports.ts';
import type { AnyProposable } from './proposable/proposable-operation.ts';
import { findProposable } from './proposable/proposable-operations.ts';
import type { Proposal } from './proposal.ts';
import { decideProposal } from './proposal-store.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { staffActor } from './staff-member.ts';

type ProposalCall = Pick<OperationCall<RequestShape, StaffPorts>, 'now' | 'createId' | 'ports' | 'read'>;

/** A decision about a proposal, with the parts of its unit. */
export type DecidedParts = {
  readonly entry: StaffEntryId;
  readonly event: LedgerEvent & { readonly type: 'staff.decided' };
  /** Returns the statements that store the decision and its entry in the staff log. The entry names these events and what changed. */
  statementsFor(events: readonly EventId[], after: unknown): ReturnType<typeof insertStaffEntry>;
};

/** The parts of the unit of a decision. `decided` is the proposal with it; `store` replaces the update of its row. */
export function decidedParts(
  { now, createId, ports }: ProposalCall,
  decided: Proposal,
  { member, store = [decideProposal(ports, decided, now)] }: DecisionOptions,
): DecidedParts {
  const entry = createId('staffEntry');
  const { id: proposal, operation, proposer, reason, before, status } = decided;
  const event = {
    type: 'staff.decided',
    id: createId('event'),
    at: now,
    actor: staffActor(member),
    proposal,
    operation,
    decision: status === 'refused' ? 'refused' : 'approved',
    proposedBy: proposer.subject,
  } as const;
  return {
    entry,
    event,
    statementsFor: (events, after) => [
      ...store,
      ...insertStaffEntry(ports, {
        id: entry,
        at: now,
        member,
        operation,
        reason,
        reference: proposal,
        before,
        after,
        events,
      }),
    ],
  };
}

type DecisionOptions = {
  readonly member: StaffMember;
  readonly store?: readonly Statement[] | undefined;
};

const changedMeanwhile = 'The data has changed since the proposal was made. Make a new proposal.';

type Outcome = { readonly entry: StaffEntryId } | { readonly fault: string } | 'ended';

/**
 * Lets an approved proposal take effect. Returns the fault if the operation is not possible any more, and `ended` if somebody else has
 * decided meanwhile.
 */
export async function applyProposal(call: ProposalCall, decided: Proposal, options: DecisionOptions): Promise<Outcome> {
  const { ports, read, now } = call;
  const operation = findProposable(decided.operation);
  if (operation === undefined) return { fault: 'This version of the program does not have the operation.' };
  const { service, input } = decided;
  const present = await operation.check(input, { read, now, ports: ports.proposable, service });
  if ('fault' in present) return present;
  // The person who approves has seen this state.
  if (comparedState(operation, present.before) !== comparedState(operation, decided.before))
    return { fault: changedMeanwhile };
  return await takeEffect(call, { decided, operation, options });
}

type CheckedProposal = {
  readonly decided: Proposal;
  readonly operation: AnyProposable;
  readonly options: DecisionOptions;
};

/** Applies a checked proposal in one unit with its decision and the entry of the staff log. Its events name both people. */
export async function takeEffect(
  call: ProposalCall,
  { decided, operation, options }: CheckedProposal,
): Promise<Outcome> {
  const { ports, read, createId } = call;
  const parts = decidedParts(call, decided, options);
  const { service, input, proposer } = decided;
  const context = {
    read,
    now: call.now,
    ports: ports.proposable,
    service,
    actor: { ...staffActor(options.member), proposedBy: proposer.subject },
    clock: ports.clock,
    createId,
    commitWith: (after: unknown) =>
      commitWithEntry(ports.commit, {
        events: [parts.event],
        statementsFor: (events) => parts.statementsFor(events, after),
      }),
  };
  try {
    const fault = await operation.apply(input, context);
    // A new or changed client applies in this process at once.
    ports.clients.invalidate();
    return fault ?? { entry: parts.entry };
  } catch (fault) {
    if (fault instanceof WriteRefused && fault.kind === 'rows') return 'ended';
    throw fault;
  }
}

/** The state before an operation as a text, without the members that may change until the decision. */
export function comparedState({ estimates = [] }: AnyProposable, before: unknown): string {
  if (!isObject(before)) return JSON.stringify(before);
  return JSON.stringify(Object.fromEntries(Object.entries(before).filter(([name]) => !estimates.includes(name))));
}
