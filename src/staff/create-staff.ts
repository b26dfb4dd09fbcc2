import { type BoundOperation, bindOperation, type Operation } from '../api/operation.ts';
import type { Slice, SliceDeps } from '../api/slice.ts';
import type { LedgerView } from '../audit/open-ledger.ts';
import type { ClientPorts } from '../audit/ports.ts';
import type { Register } from '../identity/register/register.ts';
import { createContactLookup } from '../notifications/notices.ts';
import type { ContactOf } from '../notifications/notification/contact.ts';
import { serviceOperationsOf } from './act-for-service.ts';
import { redeliverServiceWebhook, testServiceWebhook } from './call-service-webhook.ts';
import { cancelServiceBatch } from './cancel-service-batch.ts';
import { createServiceBatch } from './create-service-batch.ts';
import { createServiceTemplate } from './create-service-template.ts';
import { approveProposal, refuseProposal } from './decide-proposal.ts';
import { disableClient } from './disable-client.ts';
import { listClients } from './list-clients.ts';
import { listProposals } from './list-proposals.ts';
import { listQueues } from './list-queues.ts';
import { listServiceTemplates } from './list-service-templates.ts';
import { lookUpCitizen } from './look-up-citizen.ts';
import { pauseChannel } from './pause-channel.ts';
import type { StaffPorts } from './ports.ts';
import { previewServiceBatch } from './preview-service-batch.ts';
import { previewServiceNotification } from './preview-service-notification.ts';
import type { ProposableDeps } from './proposable/proposable-operation.ts';
import { proposeOperation } from './propose-operation.ts';
import { readAttention } from './read-attention.ts';
import { readLookUp } from './read-look-up.ts';
import { readProposal } from './read-proposal.ts';
import { readRegisteredClient } from './read-registered-client.ts';
import {
  listServiceBatches,
  listServiceBatchRows,
  readServiceBatch,
  readServiceBatchResults,
} from './read-service-batches.ts';
import { listServiceWebhookCalls, listServiceWebhooks, readServiceClient } from './read-service-client.ts';
import { readServiceNotification } from './read-service-notification.ts';
import { readServiceTemplate } from './read-service-template.ts';
import { readStaffLog } from './read-staff-log.ts';
import { readStaffMember } from './read-staff-member.ts';
import { recordReturnedNotificationLetter } from './record-returned-letter.ts';
import { removeServiceTemplate } from './remove-service-template.ts';
import { resumeChannel } from './resume-channel.ts';
import { sendNotificationByLetter } from './send-by-letter.ts';
import { sendServiceNotification } from './send-service-notification.ts';
import { startServiceBatch } from './start-service-batch.ts';

/** Dependencies of the staff slice: those of every slice, and functions of other slices and of the app. */
type StaffDeps = SliceDeps &
  Omit<ProposableDeps, 'random'> &
  ClientPorts & {
    readonly register: Register;
    readonly registeredContactOf: ContactOf;
    readonly organisationOf: StaffPorts['organisationOf'];
    readonly purposeTextOf: StaffPorts['purposeTextOf'];
    readonly clients: StaffPorts['clients'];
    /** The operations of clients that staff may run for their service. */
    readonly serviceOperations: readonly BoundOperation[];
    readonly ledger: Pick<LedgerView, 'view' | 'watch'>;
  };

const hourMs = 3_600_000;

const staffOperations: readonly Operation<StaffPorts>[] = [
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
];

/** Creates the staff slice: look-ups, proposals, the staff log. Its operations refuse every caller who is not of the staff. */
export function createStaff(deps: StaffDeps): Slice {
  const { settings, random, eraseCitizen, notifyLockChange, previewBatch, ledger } = deps;
  const ports: StaffPorts = {
    ...deps,
    contactOf: createContactLookup(deps, deps.registeredContactOf),
    serviceOperation: serviceOperationsOf(deps.serviceOperations),
    log: ledger.view,
    watch: ledger.watch,
    lookUpsPerHour: settings.staffLookUpsPerHour,
    proposalMs: settings.staffProposalHours * hourMs,
    fourEyes: settings.staffFourEyes === 'on',
    batchLimit: settings.staffBatchLimit,
    proposable: { random, eraseCitizen, notifyLockChange, previewBatch },
  };
  return {
    operations: staffOperations.map((operation) => bindOperation(operation, ports)),
    jobs: [],
    registerMetrics: () => undefined,
    checks: [],
  };
}
