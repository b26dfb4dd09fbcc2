import { listTemplates } from '../notifications/list-templates.ts';
import { actForService } from './act-for-service.ts';

/** Lists the templates of the service of a caseworker. */
export const listServiceTemplates = actForService({
  operation: listTemplates,
  name: 'listServiceTemplates',
  path: '/v1/staff/templates',
  summary: 'List the templates of your service',
  description: 'Lists the templates of the service of the person without their texts, newest first.',
});
