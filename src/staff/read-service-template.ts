import { readTemplate } from '../notifications/read-template.ts';
import { actForService } from './act-for-service.ts';

/** Reads a template of the service of a caseworker. */
export const readServiceTemplate = actForService({
  operation: readTemplate,
  name: 'readServiceTemplate',
  path: '/v1/staff/templates/{id}',
  summary: 'Read a template of your service',
  description: 'Returns one template of the service of the person with its texts.',
});
