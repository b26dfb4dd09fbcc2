import { sendNotification } from '../notifications/send-notification.ts';
import { actForService } from './act-for-service.ts';

/** Sends one message for the service of a caseworker. */
export const sendServiceNotification = actForService({
  operation: sendNotification,
  name: 'sendServiceNotification',
  path: '/v1/staff/notifications',
  summary: 'Send a message for your service',
  description:
    'Sends a message to one citizen for the service of the person, with the same rules and body as for its programs. The staff log names the person. The citizen sees the organisation.',
  after: ({ id, status }) => ({ notification: id, status }),
});
