import { Type } from 'typebox';
import { defineOperation, type OperationCall } from '../api/operation.ts';
import type { NotificationPorts } from './ports.ts';
import { templateSummaryOf, templateSummaryShape } from './templates/template-shape.ts';
import { findTemplates, maxTemplates } from './templates/template-store.ts';

const request = {};

/** Lists the templates of the client without their texts. */
export const listTemplates = defineOperation({
  name: 'listTemplates',
  since: '1.0',
  method: 'GET',
  path: '/v1/templates',
  scope: 'notifications:send',
  callers: ['clients'],
  summary: 'List the templates of your client',
  description: `Lists all templates without their texts, newest first. A client has at most ${maxTemplates}.`,
  request,
  responses: {
    200: { description: 'All templates.', schema: Type.Object({ items: Type.Array(templateSummaryShape) }) },
  },
  refusals: [],
  citizenData: false,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const items = (await findTemplates(call.read, call.caller.clientId)).map(templateSummaryOf);
    return { plain: { status: 200, json: { items } } };
  },
});
