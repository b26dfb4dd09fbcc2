import { defineOperation, type OperationCall } from '../api/operation.ts';
import { refuse } from '../kernel/refusal.ts';
import type { NotificationPorts } from './ports.ts';
import {
  findOwnTemplate,
  templateChangedEvent,
  templateParams,
  templateShape,
  templateView,
} from './templates/template-shape.ts';
import { deleteTemplate } from './templates/template-store.ts';

const request = { params: templateParams };

/** Removes a template. Messages that were sent with it keep their text and are still delivered. */
export const removeTemplate = defineOperation({
  name: 'removeTemplate',
  since: '1.0',
  method: 'DELETE',
  path: '/v1/templates/{id}',
  scope: 'notifications:send',
  callers: ['clients'],
  summary: 'Remove a template',
  description:
    'Removes a template: you can no longer send with it. Accepted messages keep their text, and the server still delivers them.',
  request,
  responses: { 200: { description: 'The removed template.', schema: templateShape } },
  refusals: ['template-not-found'],
  citizenData: true,
  run: async (call: OperationCall<typeof request, NotificationPorts>) => {
    const template = await findOwnTemplate(call.read, call.params.id, call.caller.clientId);
    if (template === undefined) return { refusal: refuse('template-not-found') };
    return {
      effect: {
        events: [templateChangedEvent(call, template.id, 'removed')],
        statements: [deleteTemplate(template.id)],
      },
      answer: { status: 200, json: templateView(template) },
      // Another request has removed it.
      onConflict: () => refuse('template-not-found'),
    };
  },
});
