import { createTemplate } from '../notifications/create-template.ts';
import { actForService } from './act-for-service.ts';

/** Creates a template for the service of a caseworker. */
export const createServiceTemplate = actForService({
  operation: createTemplate,
  name: 'createServiceTemplate',
  path: '/v1/staff/templates',
  summary: 'Create a template for your service',
  description:
    'Creates a template for the service of the person, with the same rules and body as for its programs. A template is never edited: a new version is another template. The staff log names the person.',
  after: ({ id, name }) => ({ template: id, name }),
});
