import { Type } from 'typebox';
import { type Call, defineOperation } from '../api/operation.ts';
import type { OversightPorts } from './ports.ts';

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

/** The register of endpoints itself, as data. */
export const listEndpoints = defineOperation({
  name: 'listEndpoints',
  since: '1.0',
  method: 'GET',
  path: '/v1',
  scope: null,
  summary: 'The register of endpoints',
  description: 'Every endpoint of this interface in the order in which it came. Entries are only ever appended.',
  request,
  responses: { 200: { description: 'The register.', schema: Type.Object({ endpoints: Type.Array(endpoint) }) } },
  refusals: [],
  citizenData: false,
  run: async (call: Call<typeof request, OversightPorts>) => ({
    plain: { status: 200, json: { endpoints: call.ports.endpoints.map(published) } },
  }),
});

function published(entry: OversightPorts['endpoints'][number]) {
  const { name, since, method, path, scope, summary, schemaHash } = entry;
  return { name, since, method, path, scope, summary, schemaHash };
}
