import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import type { NotificationPorts } from './ports.ts';
import { findOwnTemplate, templateParams, templateShape, templateView } from './templates/template-shape.ts';

const request = { params: templateParams };

/** Reads one template of the client with its texts. */
export const readTemplate = defineOperation({
  name: 'readTemplate',
  since: '1.0',
  method: 'GET',
  path: '/v1/templates/{id}',
  scope: 'notifications:send',
  callers: ['clients'],
  summary: 'Read a template with its texts',
  description: 'Returns the texts as you created them: a template is never edited.',
  request,
  responses: { 200: { description: 'The template.', schema: templateShape } },
  refusals: ['template-not-found'],
  citizenData: false,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const template = await findOwnTemplate(call.read, call.params.id, call.caller.clientId);
    if (template === undefined) return { refusal: refuse('template-not-found') };
    return { plain: { status: 200, json: templateView(template) } };
  },
});
