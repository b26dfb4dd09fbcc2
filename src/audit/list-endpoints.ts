import { Type } from 'typebox';
import { callerKinds, defineOperation, type OperationCall } from '../api/operation.ts';
import { endpointRegisterProof } from './endpoint-register-proof.ts';
import type { AuditPorts } from './ports.ts';

const request = {};

const endpoint = Type.Object(
  {
    name: Type.String({ description: 'The name of the endpoint, which is its operationId in OpenAPI.' }),
    since: Type.String(),
    method: Type.String(),
    path: Type.String(),
    scope: Type.Union([Type.String(), Type.Null()]),
    callers: Type.Array(Type.Union(callerKinds.map((kind) => Type.Literal(kind)))),
    summary: Type.String(),
    schemaHash: Type.String(),
  },
  { $id: 'Endpoint' },
);

/** Lists the register of endpoints. */
export const listEndpoints = defineOperation({
  name: 'listEndpoints',
  since: '1.0',
  method: 'GET',
  path: '/v1',
  scope: null,
  callers: ['clients', 'citizens'],
  summary: 'List all endpoints',
  description:
    'Returns every endpoint of this interface, in the order of publication. The server only appends entries.',
  request,
  responses: {
    200: {
      description: 'The endpoints. The member growth is absent until the ledger contains all entries.',
      schema: Type.Object({ endpoints: Type.Array(endpoint), growth: Type.Optional(endpointRegisterProof) }),
    },
  },
  refusals: [],
  citizenData: false,
  run: async (call: OperationCall<typeof request, AuditPorts>) => ({
    plain: {
      status: 200,
      json: {
        endpoints: call.ports.endpoints.map(toPublishedEndpoint),
        growth: await call.ports.proveEndpointRegister(),
      },
    },
  }),
});

function toPublishedEndpoint(entry: AuditPorts['endpoints'][number]) {
  const { name, since, method, path, scope, callers, summary, schemaHash } = entry;
  return { name, since, method, path, scope, callers, summary, schemaHash };
}
