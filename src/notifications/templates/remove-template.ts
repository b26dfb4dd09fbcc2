import { type Call, defineOperation } from '../../api/operation.ts';
import { refuse } from '../../kernel/problem.ts';
import type { NotificationPorts } from '../ports.ts';
import { changed, findOwnTemplate, templateParams, templateShape, templateView } from './template-shape.ts';
import { removeTemplate } from './template-store.ts';

const request = { params: templateParams };

/** Takes a template out. What was sent by it keeps its text, and goes on. */
export const removeOwnTemplate = defineOperation({
  name: 'removeTemplate',
  since: '1.0',
  method: 'DELETE',
  path: '/v1/templates/{id}',
  scope: 'notifications:send',
  summary: 'Remove a template',
  description: 'Nothing can be sent by it any more. Messages that were accepted keep their text and go on.',
  request,
  responses: { 200: { description: 'As it was.', schema: templateShape } },
  refusals: ['template-not-found'],
  citizenData: true,
  run: async (call: Call<typeof request, NotificationPorts>) => {
    const template = await findOwnTemplate(call.read, call.params.id, call.caller.clientId);
    if (template === undefined) return { refusal: refuse('template-not-found') };
    return {
      effect: { events: [changed(call, template.id, 'removed')], statements: [removeTemplate(template.id)] },
      answer: { status: 200, json: templateView(template) },
      // Removed by another request meanwhile.
      onRefused: () => refuse('template-not-found'),
    };
  },
});
