import { removeTemplate } from '../notifications/remove-template.ts';
import { actForService } from './act-for-service.ts';

/** Removes a template of the service of a caseworker. */
export const removeServiceTemplate = actForService({
  operation: removeTemplate,
  name: 'removeServiceTemplate',
  path: '/v1/staff/templates/{id}',
  summary: 'Remove a template of your service',
  description:
    'Removes a template of the service of the person. Messages that were sent with it stay as they are. The staff log names the person.',
  after: ({ id, name }) => ({ removed: id, name }),
});
