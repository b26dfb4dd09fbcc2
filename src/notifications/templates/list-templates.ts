import { Type } from 'typebox';
import { type Call, defineOperation } from '../../api/operation.ts';
import type { NotificationPorts } from '../ports.ts';
import { templateSummary, templateSummaryOf } from './template-shape.ts';
import { listTemplates, mostTemplates } from './template-store.ts';

const request = {};

/** The templates of this client, without their texts. */
export const listOwnTemplates = defineOperation({
  name: 'listTemplates',
  since: '1.0',
  method: 'GET',
  path: '/v1/templates',
  scope: 'notifications:send',
  summary: 'The templates of this client',
  description: `Newest first, without their texts; at most ${mostTemplates}, which is as many as a client has.`,
  request,
  responses: {
    200: { description: 'All of them.', schema: Type.Object({ items: Type.Array(templateSummary) }) },
  },
  refusals: [],
  citizenData: false,
  run: async (call: Call<typeof request, NotificationPorts>) => {
    const items = (await listTemplates(call.read, call.caller.clientId)).map(templateSummaryOf);
    return { plain: { status: 200, json: { items } } };
  },
});
