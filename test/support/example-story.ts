import type { RecordedExample } from '../../src/api/openapi/recorded-examples.ts';
import { readCodeFromOutbox } from './contact-app.ts';
import { createExampleRecorder, type ExampleRecorder } from './example-recorder.ts';
import { makeDemoWithExternalIssuer, startExternalIssuer } from './external-issuer.ts';
import { type CleanupScope, type ServerFixture, waitUntilSigned } from './server-process.ts';
import { answerWithWallet } from './test-wallet.ts';
import { waitUntil } from './wait-until.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

const claims = {
  citizenId: 'demo-mary',
  givenName: 'Mary',
  familyName: 'Smith',
  birthDate: '1981-04-25',
  purpose: 'tax assessment',
  legalBasis: 'Tax Act, section 12',
};
const message = {
  citizenId: 'demo-mary',
  subject: 'Your parking permit',
  message: 'Your parking permit is ready.',
  reference: 'case-4711',
  category: 'decision',
};

/** Starts a demo, and performs one request of each operation in an order in which each one succeeds. */
export async function recordExamples(scope: CleanupScope): Promise<ReadonlyMap<string, RecordedExample>> {
  const staffIssuer = await startExternalIssuer(scope);
  const { issuer, home, citizensClient } = await makeDemoWithExternalIssuer(scope, {
    STAFF_ISSUER: staffIssuer.url,
    STAFF_CLIENT_ID: 'staff-pages',
    STAFF_CLIENT_SECRET: 'a secret of the examples',
  });
  await home.start('demo');
  const citizenClaims = { client_id: citizensClient, sub: 'mary', scope: 'citizen:self', citizen_id: 'demo-mary' };
  const citizen = await issuer.sign({ ...citizenClaims, aud: `${home.url}/v1` });
  const ofStaff = { client_id: 'staff-pages', aud: `${home.url}/v1` };
  const service = home.readDemoFile().clients[0]?.clientId;
  const ofService = { ...ofStaff, client: service };
  const support = await staffIssuer.sign({
    ...ofService,
    sub: 'sam',
    name: 'Sam Support',
    roles: ['support', 'caseworker'],
  });
  const roles = ['operator', 'auditor'];
  const staff = await staffIssuer.sign({ ...ofStaff, sub: 'olu', name: 'Olu Operator', roles });
  const approver = await staffIssuer.sign({ ...ofStaff, sub: 'alex', name: 'Alex Approver', roles: ['approver'] });
  const client = await home.fetchAccessToken();
  const recorder = createExampleRecorder(home, { client, citizen, support, staff, approver });
  await recordVerifications(home, recorder);
  await recordPresentations(recorder);
  const document = await recordDocuments(citizensClient, recorder);
  await recordBatches(recorder);
  await recordNotifications(recorder, document);
  await recordTemplates(recorder);
  await recordWebhooks(recorder);
  await recordWebhookCalls(scope, recorder);
  await recordCitizen(home, recorder);
  await recorder.record('readClient');
  await recordStaff(home, recorder);
  await recordServiceBatches(recorder);
  await recorder.record('listEndpoints');
  return recorder.examples;
}

async function recordVerifications(home: ServerFixture, { record }: ExampleRecorder): Promise<void> {
  const { verificationId, receipt } = await record('verifyIdentity', { body: claims });
  await record('verifyIdentityByQuery', { query: claims });
  await record('verifyIdentityQuery', { body: claims });
  await record('readVerification', { params: { id: String(verificationId) } });
  await waitUntilSigned(home);
  const params = { eventId: String(receipt).replace('/v1/receipts/', '') };
  await record('readReceipt', { params });
  await record('readReceiptProof', { params });
}

/** The wallet returns to the service with the code in the fragment. */
async function recordPresentations({ record, send }: ExampleRecorder): Promise<void> {
  const { purpose, legalBasis } = claims;
  const body = { purpose, legalBasis, returnUrl: 'https://permits.example.gov/back' };
  const { presentationId, walletUrl } = await record('askPresentation', { body });
  const params = { id: String(presentationId) };
  const answered = await answerWithWallet(String(walletUrl));
  const responseCode = /#response_code=(.+)$/.exec(String(answered.body['redirect_uri']))?.[1] ?? '';
  await record('completePresentation', { params, body: { responseCode } });
  await record('readPresentation', { params });
  const { presentationId: other } = await send('askPresentation', { body });
  await record('cancelPresentation', { params: { id: String(other) } });
}

/** Returns the id of a document that stays. Another client receives access to it. */
async function recordDocuments(clientId: string, { record, send }: ExampleRecorder): Promise<string> {
  const form = { citizenId: 'demo-mary', title: 'Parking permit', kind: 'permit' };
  const { id } = await record('depositDocument', { form });
  const params = { id: String(id) };
  await record('readDocumentRecord', { params });
  await record('listDocuments', { query: { citizenId: 'demo-mary' } });
  await record('retrieveDocument', { params });
  const grant = { clientId, purpose: 'tax assessment' };
  await record('grantDocument', { params, body: grant });
  await record('endGrant', { params, query: grant });
  const { id: withdrawn } = await send('depositDocument', { form });
  await record('withdrawDocument', { params: { id: String(withdrawn) } });
  return String(id);
}

async function recordNotifications({ record, send }: ExampleRecorder, document: string): Promise<void> {
  await record('previewNotification', { body: message });
  const params = { id: String((await record('sendNotification', { body: message }))['id']) };
  await waitUntilDelivered(params.id, send);
  await record('readNotification', { params });
  await record('readEvidence', { params });
  await record('listNotifications', { query: { limit: 2 } });
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  const later = await send('sendNotification', { body: { ...message, sendAt } });
  await record('cancelNotification', { params: { id: String(later['id']) } });
  await send('sendNotification', { body: { ...message, attachments: [document] } });
  await record('readEvents', { query: { limit: 2 } });
}

async function recordBatches({ record, send }: ExampleRecorder): Promise<void> {
  const csv =
    'citizenId,subject,message\r\ndemo-mary,Your permit,Your parking permit is ready.\r\ndemo-mary,Your permit,\r\n';
  const query = { name: 'Parking permits', start: 'manual' };
  const params = { id: String((await record('createNotificationBatch', { query, csv }))['id']) };
  const isIn = async (state: string) => (await send('readNotificationBatch', { params }))['state'] === state;
  await waitUntil(() => isIn('ready'));
  await record('startNotificationBatch', { params });
  await waitUntil(() => isIn('done'));
  const delivered = async () => JSON.stringify((await send('readNotificationBatch', { params }))['notifications']);
  await waitUntil(async () => (await delivered()) === '{"delivered":1}');
  await record('readNotificationBatch', { params });
  await record('listBatchRows', { params });
  await record('readBatchResults', { params, query: { state: 'refused' } });
  const other = await send('createNotificationBatch', { query, csv });
  await record('cancelNotificationBatch', { params: { id: String(other['id']) } });
  await record('listNotificationBatches', { query: { limit: 2 } });
}

async function recordTemplates({ record }: ExampleRecorder): Promise<void> {
  const texts = [
    { language: 'en', subject: 'Your permit', message: 'Dear ((name)), your permit is ready.' },
    { language: 'fr', subject: 'Votre permis', message: 'Bonjour ((name)), votre permis est prêt.' },
  ];
  const { id } = await record('createTemplate', { body: { name: 'Permit ready', defaultLanguage: 'en', texts } });
  const params = { id: String(id) };
  await record('listTemplates');
  await record('readTemplate', { params });
  await record('removeTemplate', { params });
}

async function recordWebhooks({ record }: ExampleRecorder): Promise<void> {
  const { id } = await record('createWebhook', { body: { url: 'https://hooks.example.gov/calls' } });
  const params = { id: String(id) };
  await record('listWebhooks');
  await record('rotateWebhookSecret', { params });
  await record('redeliverWebhook', { params });
  await record('removeWebhook', { params });
}

async function recordWebhookCalls(scope: CleanupScope, { record, send }: ExampleRecorder): Promise<void> {
  const { url } = await startWebhookReceiver(scope);
  const { id } = await send('createWebhook', { body: { url } });
  const params = { id: String(id) };
  await record('testWebhook', { params, body: { type: 'notification.delivery-ended' } });
  await send('sendNotification', { body: { ...message, citizenId: 'demo-layla' } });
  const query = { limit: 10 };
  // Messages that were sent before have events too, also between two requests: the list is recorded again until all its calls have ended.
  const recordWhenEnded = (name: 'listWebhookCalls' | 'listServiceWebhookCalls') =>
    waitUntil(async () => {
      const { items } = await record(name, { params, query });
      return Array.isArray(items) && items.length > 0 && items.every((call) => Object(call)['state'] === 'done');
    });
  await recordWhenEnded('listWebhookCalls');
  await record('readServiceClient');
  await record('listServiceWebhooks');
  await recordWhenEnded('listServiceWebhookCalls');
  await record('testServiceWebhook', { params, body: { type: 'notification.delivery-ended' } });
  await record('redeliverServiceWebhook', { params });
  await send('removeWebhook', { params });
}

async function recordCitizen(home: ServerFixture, { record }: ExampleRecorder): Promise<void> {
  const messages = await record('listInboxMessages', { query: { limit: 2 } });
  // The schema of the operation states this shape.
  const [first] = messages['items'] as readonly { readonly id: string }[];
  const params = { id: first?.id ?? '' };
  await record('openInboxMessage', { params });
  await record('searchInbox', { body: { text: 'permit', archived: false, limit: 2 } });
  await record('archiveInboxMessage', { params });
  await record('restoreInboxMessage', { params });
  await record('markInboxMessageUnread', { params });
  await record('exportInbox', { body: { limit: 1 } });
  const address = 'mary@example.org';
  await record('askContactCode', { body: { channel: 'email', address } });
  const code = await readCodeFromOutbox(home, address);
  await record('confirmContactAddress', { body: { channel: 'email', code } });
  const hours = { channels: ['email'], from: 8, until: 20, timeZone: 'Europe/London' };
  await record('statePreferences', { body: { channels: ['email'], declined: ['sms'], hours, language: 'en' } });
  await record('readPreferences');
  await record('removeContactAddress', { query: { channel: 'email' } });
  await record('readOwnRecord');
  await record('readOwnAccessLog', { query: { limit: 2 } });
  await record('changeOwnLock', { body: { locked: true } });
  await record('removeWalletLinks');
}

async function recordStaff(home: ServerFixture, { record, send }: ExampleRecorder): Promise<void> {
  const act = { reason: 'not-delivered', reference: 'CASE-4711' };
  await record('readStaffMember');
  const { id } = await send('sendNotification', { body: { ...message, citizenId: 'demo-lukasz' } });
  const params = { id: String(id) };
  await waitUntilDelivered(params.id, send);
  const { id: lookUp } = await record('lookUpCitizen', { body: { ...act, notificationId: params.id } });
  await record('readLookUp', { params: { id: String(lookUp) } });
  await record('sendNotificationByLetter', { params, body: act });
  await waitUntil(async () => {
    const { deliveries } = await send('readNotification', { params });
    return JSON.stringify(deliveries).includes('"channel":"letter","status":"sent"');
  });
  await record('recordReturnedNotificationLetter', { params, body: act });
  await record('readServiceNotification', { params, body: act });
  const body = { operation: 'eraseCitizen', input: { citizenId: 'demo-anh' }, reason: 'The person asked for it.' };
  const { id: proposal } = await record('proposeOperation', { body });
  const { id: other } = await send('proposeOperation', { body: { ...body, input: { citizenId: 'demo-aarav' } } });
  await record('refuseProposal', { params: { id: String(other) }, body: { reason: 'The request is not signed.' } });
  await record('approveProposal', { params: { id: String(proposal) }, body: {} });
  await record('readProposal', { params: { id: String(proposal) } });
  await record('listProposals', { query: { status: 'refused' } });
  await waitUntilSigned(home);
  await record('readStaffLog', { query: { operation: 'lookUpCitizen' } });
  await record('readAttention');
  const reason = 'The mail server rejects all messages.';
  await record('pauseChannel', { params: { channel: 'email' }, body: { reason } });
  await record('listQueues');
  await record('resumeChannel', { params: { channel: 'email' }, body: { reason: 'The mail server works again.' } });
  const { items } = await record('listClients');
  // The schema of the operation states this shape.
  const found = (items as readonly { readonly clientId: string; readonly requests: number }[]).filter(
    ({ requests }) => requests === 0,
  );
  const unused = { id: found[0]?.clientId ?? '' };
  await record('readRegisteredClient', { params: unused });
  await record('disableClient', { params: unused, body: { reason: 'Its key is stolen.' } });
  await recordServiceStaff({ record });
}

async function recordServiceStaff({ record }: Pick<ExampleRecorder, 'record'>): Promise<void> {
  await record('previewServiceNotification', { body: { ...message, citizenId: 'demo-lukasz' } });
  await record('sendServiceNotification', { body: { ...message, citizenId: 'demo-lukasz' } });
  const texts = [{ language: 'en', subject: 'Your permit', message: 'Dear ((name)), your permit is ready.' }];
  const { id } = await record('createServiceTemplate', { body: { name: 'Permit', defaultLanguage: 'en', texts } });
  const params = { id: String(id) };
  await record('listServiceTemplates');
  await record('readServiceTemplate', { params });
  await record('removeServiceTemplate', { params });
}

async function recordServiceBatches({ record, send }: ExampleRecorder): Promise<void> {
  const csv =
    'citizenId,subject,message\r\ndemo-mary,Your permit,Your parking permit is ready.\r\ndemo-mary,Your permit,\r\n';
  const query = { name: 'Parking permits' };
  const params = { id: String((await record('createServiceBatch', { query, csv }))['id']) };
  const isIn = async (state: string) => (await send('readServiceBatch', { params }))['state'] === state;
  await waitUntil(() => isIn('ready'));
  await record('previewServiceBatch', { params });
  await record('startServiceBatch', { params, body: { reason: 'The permits are ready.' } });
  await waitUntil(() => isIn('done'));
  const delivered = async () => JSON.stringify((await send('readServiceBatch', { params }))['notifications']);
  await waitUntil(async () => (await delivered()) === '{"delivered":1}');
  await record('readServiceBatch', { params });
  await record('listServiceBatchRows', { params });
  await record('readServiceBatchResults', { params, query: { state: 'refused' } });
  const other = await send('createServiceBatch', { query, csv });
  await record('cancelServiceBatch', { params: { id: String(other['id']) } });
  await record('listServiceBatches', { query: { limit: 2 } });
}

async function waitUntilDelivered(id: string, send: ExampleRecorder['send']): Promise<void> {
  const shown = async () => await send('readNotification', { params: { id } });
  await waitUntil(async () => (await shown())['status'] === 'delivered');
}
