import { defineOperation, type OperationCall } from '../api/operation.ts';
import type { Caller, StaffMember } from '../auth/caller.ts';
import type { Read } from '../db/database.ts';
import { parseId } from '../kernel/id.ts';
import { refuse } from '../kernel/refusal.ts';
import type { StaffPorts } from './ports.ts';
import { maySeeProposal, type Proposal, proposalParams, proposalShape, proposalView } from './proposal.ts';
import { findProposal } from './proposal-store.ts';
import { staffOf } from './staff-member.ts';

const request = { params: proposalParams };

/** Reads one proposal. */
export const readProposal = defineOperation({
  name: 'readProposal',
  since: '1.0',
  method: 'GET',
  path: '/v1/staff/proposals/{id}',
  scope: 'any',
  callers: ['staff'],
  summary: 'Read a proposal',
  description: 'Returns a proposal that you may see, with the people who proposed and decided it.',
  request,
  responses: { 200: { description: 'The proposal.', schema: proposalShape } },
  refusals: ['proposal-not-found'],
  citizenData: false,
  run: async ({ read, ports, caller, params, now }: OperationCall<typeof request, StaffPorts>) => {
    const found = await findVisibleProposal({ read, root: ports.root }, params.id, { caller, member: staffOf(caller) });
    if (found === undefined) return { refusal: refuse('proposal-not-found') };
    return { plain: { status: 200, json: proposalView(found, now) } };
  },
});

/** The proposal with this id if the person may see it. */
export async function findVisibleProposal(
  deps: { readonly read: Read } & Pick<StaffPorts, 'root'>,
  text: string,
  { caller, member }: { readonly caller: Pick<Caller, 'scopes'>; readonly member: StaffMember },
): Promise<Proposal | undefined> {
  const id = parseId('proposal', text);
  const found = id === undefined ? undefined : await findProposal(deps, id);
  return found !== undefined && maySeeProposal(caller, member, found) ? found : undefined;
}
