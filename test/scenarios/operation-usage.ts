import assert from 'node:assert/strict';
import { decodeJwt } from 'jose';
import {
  bearerHeaders,
  type HttpRequest,
  type HttpResponse,
  type HttpSend,
  parseJsonBody,
  postJson,
} from '../support/http-client.ts';
import { createResources, markers, type ResourceIds, validClaims, validRequest } from '../support/valid-requests.ts';

/** The ledger events that a client has caused: their number by type. */
type ClientUsage = { readonly clientId: string; readonly events: Readonly<Record<string, number>> };

/** The usage of two clients. */
export type OperationUsage = { readonly user: ClientUsage; readonly otherClient: ClientUsage };

type OperationCaller = {
  readonly token: string;
  readonly ids: ResourceIds;
  /** Sends a request and expects this status. */
  expect(status: number, asked: HttpRequest): Promise<HttpResponse>;
  validRequest(name: string): HttpRequest;
};

/** Calls every operation at least once, some with a refusal. Both tokens must belong to new clients. */
export async function callEveryOperation(ask: HttpSend, token: string, otherToken: string): Promise<OperationUsage> {
  // Two verifications, a notification for later, a deposit, a webhook, a template, a batch and a presentation.
  const ids = await createResources(ask, token);
  const caller: OperationCaller = {
    token,
    ids,
    expect: async (status, asked) => {
      const answer = await ask(asked);
      assert.equal(answer.status, status, `${asked.method ?? 'GET'} ${asked.path}: ${answer.body}`);
      return answer;
    },
    validRequest: (name) => validRequest(name, { token, ids }),
  };
  await callIdentityOperations(caller);
  await callNotificationOperations(caller);
  await callDocumentOperations(caller);
  await callWithoutEvents(caller, otherToken);
  return {
    user: {
      clientId: String(decodeJwt(token)['client_id']),
      events: {
        'document.deposited': 1,
        'document.listed': 2,
        'document.record-read': 4,
        'document.retrieved': 2,
        'documents.listed': 1,
        'identity.presentation-asked': 2,
        'identity.presentation-cancelled': 1,
        'identity.presentation-completed': 1,
        'identity.searched': 2,
        'identity.verification-read': 1,
        'identity.verified': 5,
        'notification.accepted': 2,
        'notification.cancelled': 1,
        'notification.rehearsed': 1,
        'notification.status-read': 4,
        'notification-batch.changed': 2,
        'notifications.listed': 3,
        'template.changed': 2,
        'webhook.changed': 4,
      },
    },
    // The event of a refused document belongs to the citizen, not to the client.
    otherClient: { clientId: String(decodeJwt(otherToken)['client_id']), events: {} },
  };
}

async function callIdentityOperations({ token, expect, validRequest: good }: OperationCaller): Promise<void> {
  const path = '/v1/identity/verify';
  await expect(200, good('verifyIdentityByQuery'));
  await expect(200, good('verifyIdentityQuery'));
  await expect(200, postJson(token, path, { ...validClaims, familyName: markers.name }));
  // A search is one event of the client. The events of the person found and of the decoy have no client.
  const { citizenId: _id, ...names } = validClaims;
  await expect(200, postJson(token, path, { ...names, postalCode: 'BS1 4ST' }));
  await expect(200, good('readVerification'));
  const { presentationId } = parseJsonBody(await expect(201, good('askPresentation')));
  const cancelPath = `/v1/identity/presentations/${presentationId}/cancel`;
  await expect(200, { ...good('cancelPresentation'), path: cancelPath });
  await expect(200, good('readPresentation'));
  await expect(200, good('completePresentation'));
}

async function callNotificationOperations({ token, expect, validRequest: good }: OperationCaller): Promise<void> {
  const message = { citizenId: 'demo-layla', message: markers.message };
  const keyed = postJson(token, '/v1/notifications/send', message, { 'idempotency-key': 'keyed' });
  await expect(202, keyed);
  assert.equal((await expect(202, keyed)).headers['idempotent-replayed'], 'true');
  await expect(200, good('previewNotification'));
  await expect(200, good('readNotification'));
  assert.equal((parseJsonBody(await expect(200, good('listNotifications')))['items'] as unknown[]).length, 2);
  await expect(200, good('cancelNotification'));
  await expect(200, good('readEvidence'));
  await expect(200, good('listBatchRows'));
  await expect(200, good('readBatchResults'));
  await expect(200, good('cancelNotificationBatch'));
  await expect(200, good('rotateWebhookSecret'));
  await expect(202, good('redeliverWebhook'));
  await expect(200, good('testWebhook'));
  await expect(200, good('listWebhookCalls'));
  await expect(200, good('removeWebhook'));
  await expect(200, good('removeTemplate'));
}

async function callDocumentOperations({ token, ids, expect }: OperationCaller): Promise<void> {
  const path = `/v1/documents/${ids.document}`;
  const read = (more = {}): HttpRequest => ({ path, headers: bearerHeaders(token, more) });
  const { headers } = await expect(200, read());
  await expect(206, read({ range: 'bytes=0-3' }));
  await expect(200, { ...read(), method: 'HEAD' });
  await expect(304, read({ 'if-none-match': headers.etag }));
  await expect(200, { ...read(), path: `${path}/record` });
  await expect(416, read({ range: 'bytes=999999-' }));
  await expect(200, { ...read(), path: '/v1/documents?citizenId=demo-mary' });
  await expect(200, { ...read(), path: '/v1/documents' });
}

/** Calls that use no citizen data, and refusals. Only the refusals of a document and of its record leave events. */
async function callWithoutEvents(
  { token, ids, expect, validRequest: good }: OperationCaller,
  otherToken: string,
): Promise<void> {
  await expect(200, good('listWebhooks'));
  await expect(200, good('readClient'));
  await expect(200, good('listTemplates'));
  await expect(200, good('listNotificationBatches'));
  await expect(200, good('readNotificationBatch'));
  await expect(200, good('readEvents'));
  await expect(200, good('listEndpoints'));
  await expect(400, postJson(token, '/v1/identity/verify', {}));
  await expect(400, postJson(token, '/v1/notifications/send', { citizenId: 'demo-layla' }));
  const document = `/v1/documents/${ids.document}`;
  await expect(401, { path: document });
  for (const path of [
    document,
    `/v1/notifications/${ids.notification}`,
    `/v1/identity/verifications/${ids.verification}`,
    `${document}/record`,
    `/v1/notification-batches/${ids.batch}`,
    `/v1/receipts/${ids.event}`,
    `/v1/receipts/${ids.event}/proof`,
  ]) {
    await expect(404, { path, headers: bearerHeaders(otherToken) });
  }
}
