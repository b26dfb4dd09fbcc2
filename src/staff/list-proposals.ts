import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { literalUnion } from '../notifications/notification/notification-shape.ts';
import type { StaffPorts } from './ports.ts';
import { maySeeProposal, proposalShape, proposalStatuses, proposalView } from './proposal.ts';
import { findProposals } from './proposal-store.ts';
import { staffOf } from './staff-member.ts';

const request = {
  query: Type.Object(
    { status: Type.Optional(literalUnion(proposalStatuses, 'Only proposals with this stored status.')) },
    { additionalProperties: false },
  ),
};

/** More than this number of proposals are not listed. */
const maxListed = 200;
const listedMs = 90 * 86_400_000;

/** Lists the proposals that the person may see. Proposals contain no data of citizens except ids, and reading them decides nothing. */
export const listProposals = defineOperation({
  name: 'listProposals',
  since: '1.0',
  method: 'GET',
  path: '/v1/staff/proposals',
  scope: 'any',
  callers: ['staff'],
  summary: 'List proposals',
  description: `Returns the newest ${maxListed} proposals of the last 90 days that you may see: your own, and with staff:approve, staff:operate or staff:audit those of your service. Without a service of your own, you see those of all services.`,
  request,
  responses: {
    200: { description: 'The proposals, the newest first.', schema: Type.Object({ items: Type.Array(proposalShape) }) },
  },
  refusals: [],
  citizenData: false,
  run: async ({ read, ports, caller, query, now }: OperationCall<typeof request, StaffPorts>) => {
    const member = staffOf(caller);
    const found = await findProposals(
      { read, root: ports.root },
      {
        status: query.status ?? null,
        from: now - listedMs,
        limit: maxListed,
      },
    );
    const items = found.filter((one) => maySeeProposal(caller, member, one)).map((one) => proposalView(one, now));
    return { plain: { status: 200, json: { items } } };
  },
});
