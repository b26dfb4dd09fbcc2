import { claims, message, report } from './expected.ts';
import { SendNotificationBody, VerifyIdentityBody } from './generated/api';

const sent = SendNotificationBody.parse(message);
report({
  decision: VerifyIdentityBody.parse(claims).familyName,
  status: sent.personalisation?.['number'],
  notificationId: undefined,
  document: '',
});
