import { previewNotification } from '../notifications/preview-notification.ts';
import { actForService } from './act-for-service.ts';

/** Previews one message for the service of a caseworker. */
export const previewServiceNotification = actForService({
  operation: previewNotification,
  name: 'previewServiceNotification',
  path: '/v1/staff/notifications/preview',
  summary: 'Preview a message of your service',
  description:
    'Checks a message to one citizen, and returns what each channel would send. The server sends nothing. The citizen sees the preview in their access log, as for the programs of the service.',
});
