import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import { clientShape, describeClient } from '../audit/read-client.ts';
import type { StaffMember } from '../auth/caller.ts';
import type { Client } from '../auth/client.ts';
import { findClient } from '../auth/client-store.ts';
import type { Read } from '../db/database.ts';
import { formatInstant } from '../kernel/clock.ts';
import { refuse } from '../kernel/refusal.ts';
import type { StaffPorts } from './ports.ts';
import { staffOf } from './staff-member.ts';

/** The path parameters of the operations on one client. */
export const clientParams = Type.Object(
  { id: Type.String({ minLength: 1, maxLength: 255, description: 'The id of the client.' }) },
  { additionalProperties: false },
);

const request = { params: clientParams };

const registeredShape = Type.Object(
  {
    ...clientShape.properties,
    policy: Type.Union([Type.String(), Type.Null()], {
      description: 'The matching policy for its verifications. null: VERIFY_POLICY.',
    }),
    disabledAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When it was disabled. null: it is active.',
    }),
  },
  { $id: 'StaffClient' },
);

/** Shows a client to operators as the client sees itself, with its policy and whether it is disabled. */
export const readRegisteredClient = defineOperation({
  name: 'readRegisteredClient',
  since: '1.0',
  method: 'GET',
  path: '/v1/staff/clients/{id}',
  scope: 'staff:operate',
  callers: ['staff'],
  summary: 'Read a client',
  description:
    'Returns the scopes, quotas, credentials and webhooks of a client, and its requests of the last 7 days by decision. The response never contains a secret.',
  request,
  responses: { 200: { description: 'The client.', schema: registeredShape } },
  refusals: ['client-not-found'],
  citizenData: false,
  run: async (call: OperationCall<typeof request, StaffPorts>) => {
    const client = await findVisibleClient(call.read, call.params.id, staffOf(call.caller));
    if (client === undefined) return { refusal: refuse('client-not-found') };
    const { policy = null, disabledAt } = client;
    const json = {
      ...(await describeClient(client, call)),
      policy,
      disabledAt: disabledAt === undefined ? null : formatInstant(disabledAt),
    };
    return { plain: { status: 200, json } };
  },
});

/** The client with this id if the person may see it: people of a service see only its client. */
export async function findVisibleClient(
  read: Read,
  clientId: string,
  { service }: Pick<StaffMember, 'service'>,
): Promise<Client | undefined> {
  return service === null || service === clientId ? await findClient(read, clientId) : undefined;
}
