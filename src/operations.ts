import type { Operation } from './api/operation.ts';
import { depositDocument } from './documents/deposit-document.ts';
import { endGrant } from './documents/end-grant.ts';
import { grantDocument } from './documents/grant-document.ts';
import { listDocumentRecords } from './documents/list-documents.ts';
import type { DocumentPorts } from './documents/ports.ts';
import { retrieveDocument } from './documents/retrieve-document.ts';
import { withdrawDocument } from './documents/withdraw-document.ts';
import { changeOwnLock } from './identity/change-own-lock.ts';
import type { IdentityPorts } from './identity/ports.ts';
import { readOwnRecord } from './identity/read-own-record.ts';
import { readVerification } from './identity/read-verification.ts';
import { verifyIdentity, verifyIdentityByQuery, verifyIdentityQuery } from './identity/verify-identity.ts';
import { cancelNotification } from './notifications/cancel-notification.ts';
import { askContactCode } from './notifications/contact/ask-contact-code.ts';
import { confirmContactAddress } from './notifications/contact/confirm-contact-address.ts';
import { readPreferences } from './notifications/contact/read-preferences.ts';
import { removeContactAddress } from './notifications/contact/remove-contact-address.ts';
import { statePreferences } from './notifications/contact/state-preferences.ts';
import { type EvidencePorts, readEvidence } from './notifications/evidence/read-evidence.ts';
import { listInboxMessages } from './notifications/inbox/list-inbox.ts';
import { openInboxMessage } from './notifications/inbox/open-inbox-message.ts';
import { listNotifications } from './notifications/list-notifications.ts';
import type { NotificationPorts } from './notifications/ports.ts';
import { readNotification } from './notifications/read-notification.ts';
import { sendNotification } from './notifications/send-notification.ts';
import { createTemplate } from './notifications/templates/create-template.ts';
import { listOwnTemplates } from './notifications/templates/list-templates.ts';
import { readTemplate } from './notifications/templates/read-template.ts';
import { removeOwnTemplate } from './notifications/templates/remove-template.ts';
import { createWebhook } from './notifications/webhooks/create-webhook.ts';
import { listWebhooks } from './notifications/webhooks/list-webhooks.ts';
import { readEvents } from './notifications/webhooks/read-events.ts';
import { redeliverWebhook } from './notifications/webhooks/redeliver-webhook.ts';
import { removeWebhook } from './notifications/webhooks/remove-webhook.ts';
import { rotateWebhookSecret } from './notifications/webhooks/rotate-webhook-secret.ts';
import type { WebhookPorts } from './notifications/webhooks/webhook-ports.ts';
import { listEndpoints } from './oversight/list-endpoints.ts';
import type { OversightPorts } from './oversight/ports.ts';
import { readOwnAccessLog } from './oversight/read-access-log.ts';
import { readReceipt } from './oversight/read-receipt.ts';

/** What all operations together are given. */
export type Ports = IdentityPorts & NotificationPorts & DocumentPorts & OversightPorts & WebhookPorts & EvidencePorts;

/** The append-only register of endpoints: a new one goes at the end, none is ever taken out or moved. */
export const operations: readonly Operation<Ports>[] = [
  verifyIdentityByQuery,
  verifyIdentity,
  verifyIdentityQuery,
  readVerification,
  sendNotification,
  readNotification,
  listNotifications,
  cancelNotification,
  depositDocument,
  retrieveDocument,
  listDocumentRecords,
  readReceipt,
  listEndpoints,
  withdrawDocument,
  grantDocument,
  endGrant,
  readOwnAccessLog,
  createWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  redeliverWebhook,
  readEvents,
  readEvidence,
  statePreferences,
  readPreferences,
  listInboxMessages,
  openInboxMessage,
  readOwnRecord,
  askContactCode,
  confirmContactAddress,
  removeContactAddress,
  createTemplate,
  listOwnTemplates,
  readTemplate,
  removeOwnTemplate,
  changeOwnLock,
];
