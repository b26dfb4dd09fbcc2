import { Type } from 'typebox';
import {
  type Decision,
  defineOperation,
  type OperationCall,
  type RefusedDecision,
  type ReplayedResult,
} from '../api/operation.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { applyProposal, decidedParts } from './apply-proposal.ts';
import type { StaffPorts } from './ports.ts';
import { needsOtherApprover } from './proposable/proposable-operations.ts';
import {
  isOpen,
  type Proposal,
  proposalParams,
  proposalReasonSchema,
  proposalShape,
  proposalView,
} from './proposal.ts';
import { findVisibleProposal } from './read-proposal.ts';
import { staffOf } from './staff-member.ts';

const request = {
  params: proposalParams,
  body: Type.Object({ reason: Type.Optional(proposalReasonSchema) }, { additionalProperties: false }),
};
type DecideCall = OperationCall<typeof request, StaffPorts>;
type Outcome = Decision | RefusedDecision | ReplayedResult;

const common = {
  since: '1.0',
  method: 'POST',
  scope: 'staff:approve',
  callers: ['staff'],
  request,
  citizenData: true,
} as const;
const refusals = ['proposal-not-found', 'own-proposal', 'proposal-ended', 'conflict'] as const;

/** Approves a proposal of another person, which then takes effect. No right lets people approve their own proposals. */
export const approveProposal = defineOperation({
  ...common,
  name: 'approveProposal',
  path: '/v1/staff/proposals/{id}/approve',
  summary: 'Approve a proposal',
  description:
    'Approves a proposal of another person. The operation takes effect at once, and its ledger event names both of you. Nobody can approve their own proposal. Only people who belong to no service approve eraseCitizen, createClient and addPolicy, which affect all services.',
  responses: { 200: { description: 'The approved proposal.', schema: proposalShape } },
  refusals: [...refusals, 'affects-all-services'],
  run: async (call: DecideCall): Promise<Outcome> => {
    const decided = await decide(call, 'approved');
    if ('slug' in decided) return { refusal: decided };
    const outcome = await applyProposal(call, decided, { member: staffOf(call.caller) });
    if (outcome === 'ended') return { refusal: refuse('proposal-ended') };
    if ('fault' in outcome) {
      const again = await decide(call, 'approved');
      return { refusal: 'slug' in again ? again : refuse('conflict', outcome.fault) };
    }
    return { replayed: { status: 200, json: proposalView(decided, call.now) } };
  },
});

/** Refuses a proposal of another person. */
export const refuseProposal = defineOperation({
  ...common,
  name: 'refuseProposal',
  path: '/v1/staff/proposals/{id}/refuse',
  summary: 'Refuse a proposal',
  description: 'Refuses a proposal of another person. The operation does not take effect.',
  responses: { 200: { description: 'The refused proposal.', schema: proposalShape } },
  refusals,
  run: async (call: DecideCall): Promise<Outcome> => {
    const decided = await decide(call, 'refused');
    if ('slug' in decided) return { refusal: decided };
    const { event, statementsFor } = decidedParts(call, decided, { member: staffOf(call.caller) });
    return {
      effect: { events: [event], statements: statementsFor([event.id], { status: 'refused' }) },
      answer: { status: 200, json: proposalView(decided, call.now) },
      onConflict: () => refuse('proposal-ended'),
    };
  },
});

/** The proposal with the decision of the caller, or why the caller cannot decide it. */
async function decide(call: DecideCall, status: 'approved' | 'refused'): Promise<Proposal | Refusal> {
  const { read, ports, caller, params, body, now } = call;
  const member = staffOf(caller);
  const found = await findVisibleProposal({ read, root: ports.root }, params.id, { caller, member });
  if (found === undefined) return refuse('proposal-not-found');
  // This check comes before the status: people cannot decide their own proposal, even if it was decided already.
  if (found.proposer.subject === member.subject) return refuse('own-proposal');
  if (!isOpen(found, now)) return refuse('proposal-ended');
  if (status === 'approved' && needsOtherApprover(found.operation, member)) return refuse('affects-all-services');
  const { subject, name } = member;
  return { ...found, status, decision: { subject, name, at: now, reason: body.reason } };
}
