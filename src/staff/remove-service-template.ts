import { removeTemplate } from '../notifications/remove-template.ts';
import { findOwnTemplate } from '../notifications/templates/template-shape.ts';
import { actForService } from './act-for-service.ts';

/** Removes a template of the service of a caseworker. */
export const removeServiceTemplate = actForService({
  operation: removeTemplate,
  name: 'removeServiceTemplate',
  path: '/v1/staff/templates/{id}',
  summary: 'Remove a template of your service',
  description:
    'Removes a template of the service of the person. Messages that were sent with it stay as they are. The staff log names the person.',
  before: async (read, id, service) => {
    const template = await findOwnTemplate(read, id, service);
    return template && { template: template.id, name: template.name };
  },
  after: ({ id, name }) => ({ removed: id, name }),
});
