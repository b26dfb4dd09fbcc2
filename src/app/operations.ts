import type { ListedOperation } from '../api/operation.ts';
import { listEndpoints } from '../audit/list-endpoints.ts';
import { readClient } from '../audit/read-client.ts';
import { readOwnAccessLog } from '../audit/read-own-access-log.ts';
import { readReceipt } from '../audit/read-receipt.ts';
import { readReceiptProof } from '../audit/read-receipt-proof.ts';
import { depositDocument } from '../documents/deposit-document.ts';
import { endGrant } from '../documents/end-grant.ts';
import { grantDocument } from '../documents/grant-document.ts';
import { listDocumentRecords } from '../documents/list-documents.ts';
import { readDocumentRecord } from '../documents/read-document-record.ts';
import { retrieveDocument } from '../documents/retrieve-document.ts';
import { withdrawDocument } from '../documents/withdraw-document.ts';
import { changeCitizenLock } from '../identity/change-citizen-lock.ts';
import { readOwnRecord } from '../identity/read-own-record.ts';
import { readVerification } from '../identity/read-verification.ts';
import { removeWalletLinks } from '../identity/remove-wallet-links.ts';
import { verifyIdentity, verifyIdentityByQuery, verifyIdentityQuery } from '../identity/verify-identity.ts';
import { askContactCode } from '../notifications/ask-contact-code.ts';
import { cancelNotification } from '../notifications/cancel-notification.ts';
import { cancelNotificationBatch } from '../notifications/cancel-notification-batch.ts';
import { confirmContactAddress } from '../notifications/confirm-contact-address.ts';
import { createNotificationBatch } from '../notifications/create-notification-batch.ts';
import { createTemplate } from '../notifications/create-template.ts';
import { createWebhook } from '../notifications/create-webhook.ts';
import { exportInbox } from '../notifications/export-inbox.ts';
import { listBatchRows } from '../notifications/list-batch-rows.ts';
import { listInboxMessages } from '../notifications/list-inbox-messages.ts';
import { listNotificationBatches } from '../notifications/list-notification-batches.ts';
import { listNotifications } from '../notifications/list-notifications.ts';
import { listTemplates } from '../notifications/list-templates.ts';
import { listWebhookCalls } from '../notifications/list-webhook-calls.ts';
import { listWebhooks } from '../notifications/list-webhooks.ts';
import {
  archiveInboxMessage,
  markInboxMessageUnread,
  restoreInboxMessage,
} from '../notifications/mark-inbox-message.ts';
import { openInboxMessage } from '../notifications/open-inbox-message.ts';
import { previewNotification } from '../notifications/preview-notification.ts';
import { readBatchResults } from '../notifications/read-batch-results.ts';
import { readEvents } from '../notifications/read-events.ts';
import { readEvidence } from '../notifications/read-evidence.ts';
import { readNotification } from '../notifications/read-notification.ts';
import { readNotificationBatch } from '../notifications/read-notification-batch.ts';
import { readPreferences } from '../notifications/read-preferences.ts';
import { readTemplate } from '../notifications/read-template.ts';
import { redeliverWebhook } from '../notifications/redeliver-webhook.ts';
import { removeContactAddress } from '../notifications/remove-contact-address.ts';
import { removeTemplate } from '../notifications/remove-template.ts';
import { removeWebhook } from '../notifications/remove-webhook.ts';
import { rotateWebhookSecret } from '../notifications/rotate-webhook-secret.ts';
import { searchInbox } from '../notifications/search-inbox.ts';
import { sendNotification } from '../notifications/send-notification.ts';
import { startNotificationBatch } from '../notifications/start-notification-batch.ts';
import { statePreferences } from '../notifications/state-preferences.ts';
import { testWebhook } from '../notifications/test-webhook.ts';
import { redeliverServiceWebhook, testServiceWebhook } from '../staff/call-service-webhook.ts';
import { cancelServiceBatch } from '../staff/cancel-service-batch.ts';
import { createServiceBatch } from '../staff/create-service-batch.ts';
import { createServiceTemplate } from '../staff/create-service-template.ts';
import { approveProposal, refuseProposal } from '../staff/decide-proposal.ts';
import { disableClient } from '../staff/disable-client.ts';
import { listClients } from '../staff/list-clients.ts';
import { listProposals } from '../staff/list-proposals.ts';
import { listQueues } from '../staff/list-queues.ts';
import { listServiceTemplates } from '../staff/list-service-templates.ts';
import { lookUpCitizen } from '../staff/look-up-citizen.ts';
import { pauseChannel } from '../staff/pause-channel.ts';
import { previewServiceBatch } from '../staff/preview-service-batch.ts';
import { previewServiceNotification } from '../staff/preview-service-notification.ts';
import { proposeOperation } from '../staff/propose-operation.ts';
import { readAttention } from '../staff/read-attention.ts';
import { readLookUp } from '../staff/read-look-up.ts';
import { readProposal } from '../staff/read-proposal.ts';
import { readRegisteredClient } from '../staff/read-registered-client.ts';
import {
  listServiceBatches,
  listServiceBatchRows,
  readServiceBatch,
  readServiceBatchResults,
} from '../staff/read-service-batches.ts';
import { listServiceWebhookCalls, listServiceWebhooks, readServiceClient } from '../staff/read-service-client.ts';
import { readServiceNotification } from '../staff/read-service-notification.ts';
import { readServiceTemplate } from '../staff/read-service-template.ts';
import { readStaffLog } from '../staff/read-staff-log.ts';
import { readStaffMember } from '../staff/read-staff-member.ts';
import { recordReturnedNotificationLetter } from '../staff/record-returned-letter.ts';
import { removeServiceTemplate } from '../staff/remove-service-template.ts';
import { resumeChannel } from '../staff/resume-channel.ts';
import { sendNotificationByLetter } from '../staff/send-by-letter.ts';
import { sendServiceNotification } from '../staff/send-service-notification.ts';
import { startServiceBatch } from '../staff/start-service-batch.ts';
import { askPresentation } from '../wallet/ask-presentation.ts';
import { cancelPresentation } from '../wallet/cancel-presentation.ts';
import { completePresentation } from '../wallet/complete-presentation.ts';
import { readPresentation } from '../wallet/read-presentation.ts';

/** The append-only register of endpoints. Add a new one at the end; never remove or move one. */
export const operations: readonly ListedOperation[] = [
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
  listTemplates,
  readTemplate,
  removeTemplate,
  changeCitizenLock,
  previewNotification,
  readDocumentRecord,
  readReceiptProof,
  searchInbox,
  archiveInboxMessage,
  restoreInboxMessage,
  markInboxMessageUnread,
  exportInbox,
  testWebhook,
  listWebhookCalls,
  readClient,
  createNotificationBatch,
  listNotificationBatches,
  readNotificationBatch,
  listBatchRows,
  readBatchResults,
  startNotificationBatch,
  cancelNotificationBatch,
  readStaffMember,
  lookUpCitizen,
  sendNotificationByLetter,
  recordReturnedNotificationLetter,
  proposeOperation,
  listProposals,
  readProposal,
  approveProposal,
  refuseProposal,
  readStaffLog,
  readAttention,
  readLookUp,
  sendServiceNotification,
  previewServiceNotification,
  listServiceTemplates,
  readServiceTemplate,
  createServiceTemplate,
  removeServiceTemplate,
  listClients,
  readRegisteredClient,
  disableClient,
  listQueues,
  pauseChannel,
  resumeChannel,
  createServiceBatch,
  listServiceBatches,
  readServiceBatch,
  previewServiceBatch,
  listServiceBatchRows,
  readServiceBatchResults,
  startServiceBatch,
  cancelServiceBatch,
  readServiceClient,
  listServiceWebhooks,
  listServiceWebhookCalls,
  redeliverServiceWebhook,
  testServiceWebhook,
  readServiceNotification,
  removeWalletLinks,
  askPresentation,
  readPresentation,
  completePresentation,
  cancelPresentation,
];
