import { bearerHeaders, type HttpRequest, postJson } from './http-client.ts';

/** The token and the ids of a request of staff. */
type StaffSample = {
  readonly token: string;
  readonly ids: {
    readonly notification: string;
    readonly template: string;
    readonly batch: string;
    readonly webhook: string;
  };
};

const get = ({ token }: StaffSample, path: string, method = 'GET'): HttpRequest => ({
  method,
  path: `/v1/staff${path}`,
  headers: bearerHeaders(token),
});
const post = ({ token }: StaffSample, path: string, body: unknown): HttpRequest =>
  postJson(token, `/v1/staff${path}`, body);

const why = { reason: 'The service has asked for it.' };
const look = { reason: 'citizen-asked', reference: 'CASE-4711' };
const message = { citizenId: 'demo-mary', subject: 'Your permit', message: 'Your permit is ready.' };
const template = {
  name: 'Permit',
  defaultLanguage: 'en',
  texts: [{ language: 'en', subject: 'Your permit', message: 'Your permit is ready.' }],
};
/** Valid ids that nothing has. */
const [lookUp, proposal] = ['lku_01M7WKVMFEE008WANFAS9XRDZX', 'prp_01M7WKVMFEE008WANFAS9XRDZX'];

/** For each operation of staff, a request that is well formed and permitted. The named resource need not exist. */
export const staffSamples: Readonly<Record<string, (sample: StaffSample) => HttpRequest>> = {
  readStaffMember: (of) => get(of, '/me'),
  lookUpCitizen: (of) => post(of, '/look-ups', { ...look, citizenId: 'demo-mary' }),
  readLookUp: (of) => get(of, `/look-ups/${lookUp}`),
  sendNotificationByLetter: (of) => post(of, `/notifications/${of.ids.notification}/send-by-letter`, look),
  recordReturnedNotificationLetter: (of) => post(of, `/notifications/${of.ids.notification}/returned-letter`, look),
  readServiceNotification: (of) => post(of, `/notifications/${of.ids.notification}/read`, look),
  proposeOperation: (of) =>
    post(of, '/proposals', { ...why, operation: 'eraseCitizen', input: { citizenId: 'demo-mary' } }),
  listProposals: (of) => get(of, '/proposals'),
  readProposal: (of) => get(of, `/proposals/${proposal}`),
  approveProposal: (of) => post(of, `/proposals/${proposal}/approve`, {}),
  refuseProposal: (of) => post(of, `/proposals/${proposal}/refuse`, {}),
  readStaffLog: (of) => get(of, '/log'),
  readAttention: (of) => get(of, '/attention'),
  sendServiceNotification: (of) => post(of, '/notifications', message),
  previewServiceNotification: (of) => post(of, '/notifications/preview', message),
  listServiceTemplates: (of) => get(of, '/templates'),
  readServiceTemplate: (of) => get(of, `/templates/${of.ids.template}`),
  createServiceTemplate: (of) => post(of, '/templates', template),
  removeServiceTemplate: (of) => get(of, `/templates/${of.ids.template}`, 'DELETE'),
  listClients: (of) => get(of, '/clients'),
  readRegisteredClient: (of) => get(of, '/clients/nobody'),
  disableClient: (of) => post(of, '/clients/nobody/disable', why),
  listQueues: (of) => get(of, '/queues'),
  pauseChannel: (of) => post(of, '/queues/sms/pause', why),
  resumeChannel: (of) => post(of, '/queues/sms/resume', why),
  createServiceBatch: ({ token }) => ({
    method: 'POST',
    path: '/v1/staff/notification-batches',
    headers: bearerHeaders(token, { 'content-type': 'text/csv' }),
    body: 'citizenId,subject,message\r\ndemo-mary,Your permit,Your permit is ready.\r\n',
  }),
  listServiceBatches: (of) => get(of, '/notification-batches?limit=5'),
  readServiceBatch: (of) => get(of, `/notification-batches/${of.ids.batch}`),
  previewServiceBatch: (of) => get(of, `/notification-batches/${of.ids.batch}/preview`),
  listServiceBatchRows: (of) => get(of, `/notification-batches/${of.ids.batch}/rows?limit=5`),
  readServiceBatchResults: (of) => get(of, `/notification-batches/${of.ids.batch}/results`),
  startServiceBatch: (of) => post(of, `/notification-batches/${of.ids.batch}/start`, why),
  cancelServiceBatch: (of) => get(of, `/notification-batches/${of.ids.batch}/cancel`, 'POST'),
  readServiceClient: (of) => get(of, '/client'),
  listServiceWebhooks: (of) => get(of, '/webhooks'),
  listServiceWebhookCalls: (of) => get(of, `/webhooks/${of.ids.webhook}/calls`),
  redeliverServiceWebhook: (of) => get(of, `/webhooks/${of.ids.webhook}/redeliver`, 'POST'),
  testServiceWebhook: (of) => post(of, `/webhooks/${of.ids.webhook}/test`, {}),
};
