import { Type } from 'typebox';
import {
  type Decision,
  defineOperation,
  type OperationCall,
  type RefusedDecision,
  type ReplayedResult,
} from '../api/operation.ts';
import { compilePartCheck } from '../api/validate-request.ts';
import { missingScope } from '../auth/challenge.ts';
import { type Issue, refuse, refuseIssues } from '../kernel/refusal.ts';
import { literalUnion } from '../notifications/notification/notification-shape.ts';
import { comparedState, takeEffect } from './apply-proposal.ts';
import { isOverLimit, refuseOverLimit } from './hourly-limit.ts';
import type { StaffPorts } from './ports.ts';
import type { AnyProposable, Fault } from './proposable/proposable-operation.ts';
import { findProposable, needsOtherApprover, proposableOperations } from './proposable/proposable-operations.ts';
import { type Proposal, proposalReasonSchema, proposalShape, proposalView } from './proposal.ts';
import { insertProposal } from './proposal-store.ts';
import { insertStaffEntry } from './staff-entry-store.ts';
import { hasOneOf, staffActor, staffOf } from './staff-member.ts';

const request = {
  body: Type.Object(
    {
      operation: literalUnion(
        proposableOperations.map(({ name }) => name),
        proposableOperations.map(({ name, summary }) => `${name}: ${summary}.`).join(' '),
      ),
      input: Type.Record(Type.String(), Type.Unknown(), {
        description: 'The input of the operation; docs/operate/staff.md lists the members.',
      }),
      reason: proposalReasonSchema,
    },
    { additionalProperties: false },
  ),
};
const inputChecks = new Map(proposableOperations.map(({ name, input }) => [name, compilePartCheck('body', input)]));

/** The operation in the entry of the staff log about a proposal that was not possible. */
export const rejectedProposal = 'rejectedProposal';

type ProposeCall = OperationCall<typeof request, StaffPorts>;
type ProposeContext = Pick<ProposeCall, 'caller' | 'now' | 'createId' | 'ports' | 'read'>;
type WantedOperation = Pick<Proposal, 'operation' | 'input' | 'reason'>;

/** Proposes an operation that one person alone may not do. */
export const proposeOperation = defineOperation({
  name: 'proposeOperation',
  since: '1.0',
  method: 'POST',
  path: '/v1/staff/proposals',
  scope: 'any',
  callers: ['staff'],
  summary: 'Propose an operation',
  description:
    'Proposes an operation that takes effect when another person approves it within 72 hours (STAFF_PROPOSAL_HOURS). liftCitizenLock and releaseHold need the scope staff:support or staff:operate, startBatch needs staff:send, all others need staff:operate. People of a service can change only their own client. While it waits, the same proposal again receives 409. The staff log also records a proposal that is not possible, and one person can make a limited number of these in an hour (STAFF_LOOK_UPS_PER_HOUR). With STAFF_FOUR_EYES=off a proposal takes effect at once.',
  request,
  responses: { 202: { description: 'The proposal.', schema: proposalShape } },
  refusals: [
    'bad-request',
    'missing-scope',
    'affects-all-services',
    'client-not-found',
    'conflict',
    'changed-meanwhile',
    'look-ups-exceeded',
  ],
  citizenData: true,
  run: (call: ProposeCall) => propose(call, call.body),
});

/** Proposes an operation for the caller, who may have asked for it by another operation. */
export async function propose(
  call: ProposeContext,
  body: WantedOperation,
): Promise<Decision | RefusedDecision | ReplayedResult> {
  const { caller, now, createId, ports, read } = call;
  const member = staffOf(caller);
  const operation = findProposable(body.operation);
  if (operation === undefined) return { refusal: refuse('bad-request') };
  const [neededScope = 'staff:operate'] = operation.proposers;
  if (!hasOneOf(caller, operation.proposers)) return { refusal: missingScope(neededScope, caller) };
  const issues = inputIssues(operation, body.input);
  if (issues.length > 0) return { refusal: refuseIssues(issues) };
  const { subject, name, service } = member;
  if (!ports.fourEyes && needsOtherApprover(operation.name, member)) return { refusal: refuse('affects-all-services') };
  const counted = { subject, operation: rejectedProposal };
  if (await isOverLimit(call, counted)) return { refusal: await refuseOverLimit(call, counted) };
  const checked = await operation.check(body.input, { read, now, ports: ports.proposable, service });
  if ('fault' in checked) return refuseFault(call, operation, { ...checked, reason: body.reason });
  const proposal: Proposal = {
    id: createId('proposal'),
    at: now,
    expiresAt: now + ports.proposalMs,
    operation: operation.name,
    input: body.input,
    reason: body.reason,
    proposer: { subject, name },
    service,
    before: checked.before,
    status: 'proposed',
  };
  if (!ports.fourEyes)
    return await applyAlone(call, operation, {
      ...proposal,
      status: 'approved',
      decision: { subject, name, at: now },
    });
  const event = { id: createId('event'), at: now, actor: staffActor(member), proposal: proposal.id } as const;
  return {
    effect: {
      events: [{ type: 'staff.proposed', ...event, operation: operation.name }],
      statements: [
        ...insertProposal(ports, proposal, comparedState(operation, checked.before)),
        ...insertStaffEntry(ports, {
          id: createId('staffEntry'),
          at: now,
          member,
          operation: 'proposeOperation',
          reason: body.reason,
          reference: proposal.id,
          before: checked.before,
          after: { proposed: operation.name },
          events: [event.id],
        }),
      ],
    },
    answer: { status: 202, json: proposalView(proposal, now) },
    onConflict: () => refuse('conflict', 'The same proposal already waits for the decision of another person.'),
  };
}

/**
 * Refuses a proposal that is not possible. The refusal can reveal whether a citizen has a lock or a hold, so the staff log and the ledger
 * record it, and `propose` counts it for the limit of one hour (test/scenarios/staff-proposals.test.ts).
 */
function refuseFault(
  { caller, now, createId, ports }: ProposeContext,
  { name: proposed }: AnyProposable,
  { fault, problem, reason }: Fault & { readonly reason: string },
): RefusedDecision {
  const member = staffOf(caller);
  const id = createId('event');
  const entry = { id: createId('staffEntry'), at: now, member, operation: rejectedProposal, reason };
  return {
    refusal: problem === undefined ? refuse('conflict', fault) : refuse(problem),
    effect: {
      events: [{ type: 'staff.proposed', id, at: now, actor: staffActor(member), proposal: null, operation: proposed }],
      statements: insertStaffEntry(ports, { ...entry, after: { proposed }, events: [id] }),
    },
  };
}

/** In a sandbox the same person decides at once. The proposal and the entry of the staff log are stored all the same. */
async function applyAlone(
  call: ProposeContext,
  operation: AnyProposable,
  decided: Proposal,
): Promise<RefusedDecision | ReplayedResult> {
  const { ports, now, caller } = call;
  const options = {
    member: staffOf(caller),
    store: insertProposal(ports, decided, comparedState(operation, decided.before)),
  };
  const outcome = await takeEffect(call, { decided, operation, options });
  if (outcome === 'ended') return { refusal: refuse('changed-meanwhile') };
  if ('fault' in outcome) return { refusal: refuse('conflict', outcome.fault) };
  return { replayed: { status: 202, json: proposalView(decided, now) } };
}

/** The faults of the input, without its values. */
function inputIssues({ name }: AnyProposable, input: unknown): readonly Issue[] {
  const issues = inputChecks.get(name)?.(input) ?? [];
  return issues.map((issue) => ({ ...issue, pointer: `/input${issue.pointer ?? ''}` }));
}
