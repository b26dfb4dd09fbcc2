import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import type { AuditPorts } from './ports.ts';

const request = {};

const endpoint = Type.Object({
  name: Type.String(),
  since: Type.String(),
  method: Type.String(),
  path: Type.String(),
  scope: Type.Union([Type.String(), Type.Null()]),
  summary: Type.String(),
  schemaHash: Type.String(),
});

const growth = Type.Object({
  chain: Type.String({ description: 'The pseudonym of the register in the ledger, in base64.' }),
  linkKey: Type.String({ description: 'The key with which the chain of its entries is checked, in base64.' }),
  treeSize: Type.Integer(),
  entries: Type.Array(
    Type.Object({
      number: Type.Integer({ description: 'From 1 without gaps; what was number 7 stays number 7.' }),
      endpoint: Type.String(),
      since: Type.String(),
      schemaHash: Type.String(),
      proof: Type.String({ description: 'A c2sp.org/tlog-proof of the entry, verifiable offline.' }),
    }),
  ),
});

/** Lists the register of endpoints. */
export const listEndpoints = defineOperation({
  name: 'listEndpoints',
  since: '1.0',
  method: 'GET',
  path: '/v1',
  scope: null,
  summary: 'The register of endpoints',
  description: 'Every endpoint of this interface in the order in which it came. Entries are only ever appended.',
  request,
  responses: {
    200: {
      description: 'The register, and once it is in the ledger the proof that it only grew.',
      schema: Type.Object({ endpoints: Type.Array(endpoint), growth: Type.Optional(growth) }),
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
  const { name, since, method, path, scope, summary, schemaHash } = entry;
  return { name, since, method, path, scope, summary, schemaHash };
}
