import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { clientKinds } from '../auth/client.ts';
import { allClients } from '../auth/client-store.ts';
import { findLastUse, useDayOf } from '../auth/client-use-store.ts';
import { formatInstant } from '../kernel/clock.ts';
import { instantSchema, literalUnion } from '../notifications/notification/notification-shape.ts';
import type { StaffPorts } from './ports.ts';
import { staffOf } from './staff-member.ts';

const dayMs = 86_400_000;
/** The counts cover this number of days, up to today. */
const usageDays = 30;

const itemShape = Type.Object(
  {
    clientId: Type.String(),
    name: Type.String({ description: 'The name that citizens read.' }),
    kind: literalUnion(clientKinds),
    scopes: Type.Array(Type.String(), { description: 'The scopes of the client.' }),
    createdAt: instantSchema('When it was created.'),
    disabledAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When it was disabled. null: it is active.',
    }),
    requests: Type.Integer({ minimum: 0, description: `Its requests of the last ${usageDays} days.` }),
    lastUsedOn: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
      description: `The last day with a request, in UTC. null: none in the last ${usageDays} days.`,
    }),
  },
  { $id: 'StaffClientItem' },
);

/** Lists the clients with their last use. */
export const listClients = defineOperation({
  name: 'listClients',
  since: '1.0',
  method: 'GET',
  path: '/v1/staff/clients',
  scope: 'staff:operate',
  callers: ['staff'],
  summary: 'List the clients',
  description:
    'Returns all clients, also disabled ones, with their last use. A person of a service sees only its client.',
  request: {},
  responses: {
    200: { description: 'The clients, sorted by id.', schema: Type.Object({ items: Type.Array(itemShape) }) },
  },
  refusals: [],
  citizenData: false,
  run: async ({ read, ports, caller, now }: OperationCall<Record<never, never>, StaffPorts>) => {
    const { service } = staffOf(caller);
    await ports.storeUse();
    const today = useDayOf(now);
    const used = await findLastUse(read, { fromDay: today - (usageDays - 1), untilDay: today });
    const clients = await allClients(read);
    const items = clients
      .filter(({ clientId }) => service === null || clientId === service)
      .map(({ clientId, name, kind, scopes, createdAt, disabledAt }) => {
        const use = used.get(clientId);
        return {
          clientId,
          name,
          kind,
          scopes: [...scopes],
          createdAt: formatInstant(createdAt),
          disabledAt: disabledAt === undefined ? null : formatInstant(disabledAt),
          requests: use?.requests ?? 0,
          lastUsedOn: use === undefined ? null : formatInstant(use.lastDay * dayMs).slice(0, 10),
        };
      });
    return { plain: { status: 200, json: { items } } };
  },
});
