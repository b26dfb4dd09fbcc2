import type { Client } from '@kubb/plugin-client/clients/fetch';
import { authorization, baseUrl, citizenId, claims, message, report } from './expected.ts';
import { listDocuments, retrieveDocument, sendNotification, verifyIdentity } from './generated';

const options = { baseURL: baseUrl, headers: { authorization, 'content-type': 'application/json' } };

/** The built-in client parses every response as JSON, so a document needs a client of its own. */
const textClient: Client = async ({ url, method }) => {
  const response = await fetch(`${baseUrl}${url}`, { method, headers: { authorization } });
  const { status, statusText, headers } = response;
  return { data: (await response.text()) as never, status, statusText, headers };
};

const verified = await verifyIdentity(claims, undefined, options);
const sent = await sendNotification(message, undefined, options);
const listed = await listDocuments({ citizenId }, undefined, options);
const id = listed.items[0]?.id ?? '';
const read = await retrieveDocument(id, undefined, { ...options, client: textClient });
report({
  decision: verified.decision,
  status: sent.status,
  notificationId: sent.id,
  document: String(read),
});
