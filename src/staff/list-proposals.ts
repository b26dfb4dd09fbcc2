import { Type } from 'typebox';
import { cursorSchema, nextCursorSchema, pageOf } from '../api/list-page.ts';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { idPatternSource } from '../kernel/id.ts';
import { literalUnion } from '../notifications/notification/notification-shape.ts';
import type { StaffPorts } from './ports.ts';
import { proposableOperations } from './proposable/proposable-operations.ts';
import { proposalFilters, proposalShape, proposalView, visibleServiceOf } from './proposal.ts';
import { findProposals } from './proposal-store.ts';
import { staffOf } from './staff-member.ts';

const defaultLimit = 25;

const request = {
  query: Type.Object(
    {
      status: Type.Optional(
        literalUnion(proposalFilters, 'Only proposals in this state. ended: approved, refused or expired.'),
      ),
      operation: Type.Optional(
        literalUnion(
          proposableOperations.map(({ name }) => name),
          'Only proposals of this operation.',
        ),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of proposals. Default: 25.' }),
      ),
      cursor: cursorSchema({ pattern: idPatternSource('proposal') }),
    },
    { additionalProperties: false },
  ),
};

const listedDays = 90;

/** Lists the proposals that the person may see. Proposals contain no data of citizens except ids, and reading them decides nothing. */
export const listProposals = defineOperation({
  name: 'listProposals',
  since: '1.0',
  method: 'GET',
  path: '/v1/staff/proposals',
  scope: 'any',
  callers: ['staff'],
  summary: 'List proposals',
  description: `Lists the proposals of the last ${listedDays} days that you may see, newest first: your own, and with staff:approve, staff:operate or staff:audit those of your service. Without a service of your own, you see those of all services. To read the next page, send next as cursor.`,
  request,
  responses: {
    200: {
      description: 'One page of proposals.',
      schema: Type.Object({ items: Type.Array(proposalShape), next: nextCursorSchema }),
    },
  },
  refusals: ['bad-request'],
  citizenData: false,
  run: async ({ read, ports, caller, query, now }: OperationCall<typeof request, StaffPorts>) => {
    const member = staffOf(caller);
    const { limit = defaultLimit, ...wanted } = query;
    const filter = {
      ...wanted,
      now,
      from: now - listedDays * 86_400_000,
      subject: member.subject,
      visibleService: visibleServiceOf(caller, member),
    };
    const found = await findProposals({ read, root: ports.root }, filter, limit + 1);
    const { items, next } = pageOf(found, limit, ({ id }) => id);
    return { plain: { status: 200, json: { items: items.map((one) => proposalView(one, now)), next } } };
  },
});
